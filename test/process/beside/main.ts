/**
 * `npm run beside -- [--attacks a,b] [--rounds N] [--seconds N] [--pin]`: how long a device waits beside another one that does the server harm.
 *
 * One server; a device that asks the time and saves a small file in turn; and attackers, each in a process of its own at `nice 19`, so that what they
 * cost is what the server does for them. A time without and a time with an attacker take turns in one run, so whatever else the machine does
 * is in both. Figures are printed, nothing is asserted: they are of this machine.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { Fid } from '../../../shared/model/fid.ts';
import { parseInvitation } from '../../../shared/model/invitation.ts';
import { present } from '../../../shared/util/assert.ts';
import { Bench, endProcess, firstLine, type RunningServer } from '../../support/bench.ts';
import { countOf, flagsOf, wrongFlag } from '../../support/flags.ts';
import { ATTACKS, type Attack } from './attacks.ts';
import { Peer } from './peer.ts';

const ATTACKER = join(import.meta.dirname, 'attacker.ts');
const FILES = 2048;
/** What is there already is long enough for full pages, and no attack changes it. */
const BATCH = 256;
const PAUSE_MS = 20;
/** An attack is under way before the first question, and over before the next one. */
const SETTLES_MS = 500;

const values = flagsOf('npm run beside', {
  attacks: { type: 'string', default: ATTACKS.map(({ name }) => name).join(',') },
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '4' },
  pin: { type: 'boolean' },
  profile: { type: 'boolean' },
});
const attacks = values.attacks.split(',').map((given) => {
  const found = ATTACKS.find(({ name }) => name === given);
  const names = ATTACKS.map(({ name }) => name).join(', ');
  return found ?? wrongFlag(`--attacks ${given}: give some of ${names}`);
});
const rounds = countOf('rounds', values.rounds);
const seconds = countOf('seconds', values.seconds);

class Waits {
  readonly #all: number[] = [];

  add(ms: number): void {
    this.#all.push(ms);
  }

  get text(): string {
    return `p50 ${ms(this.at(0.5))}, p95 ${ms(this.at(0.95))}, worst ${ms(this.at(1))} of ${this.#all.length}`;
  }

  at(share: number): number {
    const sorted = [...this.#all].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
  }
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const KINDS = ['ask', 'save'] as const;
type Figures = Record<(typeof KINDS)[number], Waits>;
const figures = (): Figures => ({ ask: new Waits(), save: new Waits() });

async function measure(victim: Peer, dir: Fid, into: Figures): Promise<void> {
  const until = performance.now() + 1000 * seconds;
  for (let n = 0; performance.now() < until; n++) {
    const kind = n % 2 === 0 ? 'ask' : 'save';
    const begun = performance.now();
    if (kind === 'ask') await victim.ask('GetTime', {});
    else await victim.create(dir, [`saved ${begun}`]);
    into[kind].add(performance.now() - begun);
    await pause(PAUSE_MS);
  }
}

async function attackerOf(
  bench: Bench,
  server: RunningServer,
  { name }: Attack,
  files: readonly Fid[],
): Promise<ChildProcess> {
  const folder = mkdtempSync(join(bench.root, `${name}-`));
  const invitation = await bench.invite(server);
  const pinned = values.pin === true ? ['taskset', '-c', '1'] : [];
  const command = [...pinned, 'nice', '-n', '19', process.execPath, ATTACKER];
  const [program = '', ...args] = [...command, name, invitation, folder, ...files];
  const child = bench.runs(spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
  await firstLine(child);
  return child;
}

/** One time with it. Returns how many messages of it were answered. */
async function attacked(
  child: ChildProcess,
  { isStopped }: Attack,
  during: () => Promise<void>,
): Promise<number> {
  child.stdin?.write('begin\n');
  await pause(SETTLES_MS);
  if (isStopped === true) child.kill('SIGSTOP');
  await during();
  if (isStopped === true) child.kill('SIGCONT');
  const told = firstLine(child);
  child.stdin?.end('end\n');
  const answered = Number(await told);
  if (child.exitCode === null) await once(child, 'exit');
  return answered;
}

const bench = new Bench();
try {
  const data = bench.path('server');
  if (values.pin === true) bench.within(data, ['taskset', '-c', '0']);
  if (values.profile === true) {
    bench.within(data, [
      ...(values.pin === true ? ['taskset', '-c', '0'] : []),
      'env',
      `NODE_OPTIONS=--cpu-prof --cpu-prof-dir=/tmp/fair-prof`,
    ]);
  }
  const server = await bench.server();
  const invitation = present(parseInvitation(await bench.invite(server)), 'an invitation');
  const victim = await Peer.pair(bench.path('victim'), invitation);
  const dir = await victim.directory('saves');
  const old = await victim.directory('old');
  const files: Fid[] = [];
  while (files.length < FILES) {
    const names = Array.from({ length: BATCH }, (_, n) => `file ${files.length + n}`);
    files.push(...(await victim.create(old, names)));
  }
  for (const attack of attacks) {
    const [idle, beside] = [figures(), figures()];
    let answered = 0;
    const loads: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await measure(victim, dir, idle);
      const child = await attackerOf(bench, server, attack, files.slice(0, BATCH));
      answered += await attacked(child, attack, () => measure(victim, dir, beside));
      loads.push(loadavg()[0] ?? NaN);
      await pause(SETTLES_MS);
    }
    const load = `${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`;
    process.stdout.write(`${attack.name}: ${answered} answered, load ${load}\n`);
    for (const kind of KINDS) {
      const ratio = (beside[kind].at(0.95) / idle[kind].at(0.95)).toFixed(1);
      process.stdout.write(`  ${kind} alone  ${idle[kind].text}\n`);
      process.stdout.write(`  ${kind} beside ${beside[kind].text}; p95 x ${ratio}\n`);
    }
  }
  await victim.end();
  if (server.child.pid !== undefined) await endProcess(server.child.pid);
} finally {
  await bench.close();
}
