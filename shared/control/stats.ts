/** What a daemon counted since a time: calls to and from the server, looks at files, and what never had to be sent. */
import { z } from 'zod';
import { answer, type Command } from './command.ts';

/** The calls of one RPC. Bytes are of headers and contents; `ms` and `steps` are of the calls that were answered. */
export interface CallStats {
  readonly rpc: string;
  readonly side: 'began' | 'received';
  readonly calls: number;
  readonly failures: number;
  readonly broken: number;
  readonly bytesOut: number;
  readonly bytesIn: number;
  readonly ms: number;
  readonly steps: readonly number[];
}

/** Looks of one kind that ended alike. */
export interface LookStats {
  readonly by: 'program' | 'folder';
  readonly of: 'open' | 'status' | 'name' | 'listing' | 'obtain';
  readonly end: 'here' | 'asked' | 'fetched' | 'in-vain';
  readonly count: number;
}

/** Updates that were logged and never had to be sent. */
export interface SparedStats {
  readonly by: 'overwritten' | 'removed' | 'merged';
  readonly updates: number;
  readonly bytes: number;
}

export interface StatsReport {
  /** From when on it counts, and until when: ISO 8601. */
  readonly since: string;
  readonly until: string;
  /** How long that was, milliseconds. */
  readonly forMs: number;
  /** The daemon began then, and knows nothing of before. */
  readonly isSinceStart: boolean;
  /** The upper bounds of steps, milliseconds; the last step has none. */
  readonly stepsMs: readonly number[];
  readonly calls: readonly CallStats[];
  readonly looks: readonly LookStats[];
  readonly spared: readonly SparedStats[];
}

/** The bound of the step in which so large a share of all had ended, milliseconds; Infinity: it is above all bounds; null: there was nothing. */
export function stepOf(
  steps: readonly number[],
  bounds: readonly number[],
  share: number,
): number | null {
  const all = steps.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let ended = 0;
  const index = steps.findIndex((count) => (ended += count) >= share * all);
  return bounds[index] ?? Infinity;
}

/** The longest time that is asked for. */
const LONGEST_MS = 10 * 365 * 86_400_000;

export const STATS_COMMANDS = {
  stats: {
    says: 'What was counted since the daemon began, or in the last so many milliseconds: calls by name, looks at files by how they were answered, updates that never had to be sent. It counts from a sample of then, which is up to a minute older, after an hour up to a quarter of an hour.',
    callers: ['cli', 'window'],
    args: z.strictObject({ sinceMs: z.number().int().min(0).max(LONGEST_MS).nullable() }),
    answer: answer<StatsReport>(),
  },
} as const satisfies Readonly<Record<string, Command>>;
