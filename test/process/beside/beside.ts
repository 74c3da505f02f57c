/**
 * How long a device waits beside another one that does the server harm.
 *
 * One server; a device that asks the time and saves a small file in turn; and an attacker in a process of its own at `nice 19`, so that what it
 * costs is what the server does for it. Times without and times with the attacker take turns, so whatever else the machine does is in both.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Fid } from '../../../shared/model/fid.ts';
import { parseInvitation } from '../../../shared/model/invitation.ts';
import { present } from '../../../shared/util/assert.ts';
import { firstLine, type Bench, type RunningServer } from '../../support/bench.ts';
import type { Attack } from './attacks.ts';
import { Peer } from './peer.ts';

const ATTACKER = fileURLToPath(new URL('./attacker.ts', import.meta.url));
/** The number of initial files: enough for full pages, and no attack changes them. */
const FILES = 2048;
const BATCH = 256;
const PAUSE_MS = 20;
/** An attack is under way before the first question, and over before the next one. */
const SETTLES_MS = 500;

export interface Plan {
  readonly attacks: readonly Attack[];
  readonly rounds: number;
  readonly seconds: number;
}

export const KINDS = ['ask', 'save'] as const;
/** The waits of each kind in milliseconds. */
export type Waits = Record<(typeof KINDS)[number], number[]>;

export interface Figures {
  readonly attack: string;
  /** The number of answered messages of the attacker. */
  readonly answered: number;
  /** The load average of the machine over a minute, after each round. */
  readonly loads: readonly number[];
  readonly alone: Waits;
  readonly beside: Waits;
}

/** Runs all attacks and reports each one when it has ended. */
export async function runBeside(
  bench: Bench,
  { attacks, rounds, seconds }: Plan,
  tell: (figures: Figures) => void,
): Promise<void> {
  const server = await bench.server();
  const invitation = present(parseInvitation(await bench.invite(server)), 'an invitation');
  const device = await Peer.pair(bench.path('device'), invitation);
  const dir = await device.directory('saves');
  const files = await filesOf(device);
  for (const attack of attacks) {
    const [alone, beside]: [Waits, Waits] = [
      { ask: [], save: [] },
      { ask: [], save: [] },
    ];
    const loads: number[] = [];
    let answered = 0;
    for (let round = 0; round < rounds; round++) {
      await measure(device, dir, seconds, alone);
      const child = await attackerOf(bench, server, attack, files.slice(0, BATCH));
      answered += await attacked(child, attack, () => measure(device, dir, seconds, beside));
      loads.push(loadavg()[0] ?? NaN);
      await pause(SETTLES_MS);
    }
    tell({ attack: attack.name, answered, loads, alone, beside });
  }
  await device.end();
}

async function filesOf(device: Peer): Promise<Fid[]> {
  const old = await device.directory('old');
  const files: Fid[] = [];
  while (files.length < FILES) {
    const names = Array.from({ length: BATCH }, (_, n) => `file ${files.length + n}`);
    files.push(...(await device.create(old, names)));
  }
  return files;
}

async function measure(device: Peer, dir: Fid, seconds: number, into: Waits): Promise<void> {
  const until = performance.now() + 1000 * seconds;
  for (let n = 0; performance.now() < until || n < 2; n++) {
    const kind = n % 2 === 0 ? 'ask' : 'save';
    const begun = performance.now();
    if (kind === 'ask') await device.ask('GetTime', {});
    else await device.create(dir, [`saved ${begun}`]);
    into[kind].push(performance.now() - begun);
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
  const command = ['-n', '19', process.execPath, ATTACKER, name, invitation, folder, ...files];
  const child = bench.runs(spawn('nice', command, { stdio: ['pipe', 'pipe', 'inherit'] }));
  await firstLine(child);
  return child;
}

/** Runs one attack once. Returns how many of its messages were answered. */
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

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
