/** Runs algorithms over one workload, side by side, and counts. */
import type { CostTable, Level } from './costs.ts';
import { LEVELS, timeAt } from './costs.ts';
import type { Access, CoopPolicy } from './policy.ts';

/** Reads of one client by where they were answered. */
export type LevelCounts = Record<Level, number>;

export interface Outcome {
  readonly name: string;
  readonly hops: CoopPolicy['hops'];
  /** By client. */
  readonly reads: readonly LevelCounts[];
  /** Load units of the server after the warm-up. */
  readonly load: LoadParts;
}

export interface LoadParts {
  readonly server: number;
  readonly remote: number;
  readonly disk: number;
  readonly other: number;
}

export interface Run {
  readonly accesses: Iterable<Access>;
  /** So many accesses fill the caches and are not counted. */
  readonly warmUp: number;
  readonly clients: number;
  readonly policies: ReadonlyMap<string, CoopPolicy>;
}

/** Each policy sees each access, in order. Only reads are counted, as in the paper. */
export function run({ accesses, warmUp, clients, policies }: Run): Outcome[] {
  const counted = [...policies].map(([name, policy]) => ({
    name,
    policy,
    reads: Array.from({ length: clients }, none),
    before: { server: 0, remote: 0, disk: 0, other: 0 },
  }));
  let at = 0;
  for (const { client, block, isWrite } of accesses) {
    if (at++ === warmUp) for (const one of counted) one.before = loadOf(one.policy);
    for (const { policy, reads } of counted) {
      if (isWrite) {
        policy.write(client, block);
        continue;
      }
      const level = policy.read(client, block);
      if (at > warmUp) (reads[client] as LevelCounts)[level]++;
    }
  }
  return counted.map(({ name, policy, reads, before }) => ({
    name,
    hops: policy.hops,
    reads,
    load: since(loadOf(policy), before),
  }));
}

const none = (): LevelCounts => ({ local: 0, remote: 0, server: 0, disk: 0 });

const loadOf = ({ load: { server, remote, disk, other } }: CoopPolicy): LoadParts => ({
  server,
  remote,
  disk,
  other,
});

function since(now: LoadParts, before: LoadParts): LoadParts {
  return {
    server: now.server - before.server,
    remote: now.remote - before.remote,
    disk: now.disk - before.disk,
    other: now.other - before.other,
  };
}

/** Of all clients together. */
export function sumOf(reads: readonly LevelCounts[]): LevelCounts {
  const sum = none();
  for (const counts of reads) for (const level of LEVELS) sum[level] += counts[level];
  return sum;
}

export function countOf(counts: LevelCounts): number {
  return LEVELS.reduce((sum, level) => sum + counts[level], 0);
}

/** Microseconds of a mean read, with `hidden` local hits that the accesses leave out (stack deletion, section 4.4). */
export function meanTime(
  counts: LevelCounts,
  hops: CoopPolicy['hops'],
  costs: CostTable,
  hidden = 0,
): number {
  const reads = countOf(counts) + hidden;
  if (reads === 0) return 0;
  const spent = LEVELS.reduce((sum, level) => sum + counts[level] * timeAt(level, hops, costs), 0);
  return (spent + hidden * costs.local) / reads;
}
