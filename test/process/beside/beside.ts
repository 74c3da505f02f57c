/**
 * How long a device waits beside another one that does the server harm.
 *
 * One server; a device that asks the time and saves a small file in turn; and an attacker in a process of its own. An attacker has a machine of its own,
 * and here it shares one: so it has what the others leave (classes.ts). Slices without and slices with the attack
 * take turns in one run, so whatever else the machine does is in both.
 *
 * On a machine that has other work, the device and the server go before it, the device first, as if it had a machine of its own; and
 * the attacker is a process as any other.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Fid } from '../../../shared/model/fid.ts';
import { parseInvitation } from '../../../shared/model/invitation.ts';
import { present } from '../../../shared/util/assert.ts';
import type { Bench, RunningServer } from '../../support/bench.ts';
import type { Attack } from './attacks.ts';
import { classOf, goesFirst, type Mode } from './classes.ts';
import { Peer } from './peer.ts';

const ATTACKER = fileURLToPath(new URL('./attacker.ts', import.meta.url));
/** The number of initial files: enough for full pages, and no attack changes them. */
const FILES = 2048;
const BATCH = 256;
/** Between two questions: random, so that nothing keeps step with them. */
const LEAST_PAUSE_MS = 3;
const MORE_PAUSE_MS = 6;
/** An attack is under way before the first question, and over before the next one. */
const SETTLES_MS = 250;
/** Of the kernel, a second: USER_HZ, which is the same on all machines of ours. */
const TICKS = 100;

export interface Plan {
  readonly attacks: readonly Attack[];
  /** Slices of each kind, and how long each is. */
  readonly rounds: number;
  readonly seconds: number;
  /** Some need the right to run in real time. */
  readonly mode: Mode;
}

export const KINDS = ['ask', 'save'] as const;
/** The waits of each kind in milliseconds. */
export type Waits = Record<(typeof KINDS)[number], number[]>;

/** Processor time of the server, by the time that went by. */
export type Busy = { cpu: number; wall: number };

export interface Figures {
  readonly attack: string;
  /** The number of answered messages of the attacker. */
  readonly answered: number;
  /** The load average of the machine over a minute, after each round. */
  readonly loads: readonly number[];
  readonly alone: Waits;
  readonly beside: Waits;
  readonly serverAlone: Busy;
  readonly serverBeside: Busy;
}

/** Runs all attacks and reports each one when it has ended. */
export async function runBeside(
  bench: Bench,
  plan: Plan,
  tell: (figures: Figures) => void,
): Promise<void> {
  if (goesFirst(plan.mode)) {
    bench.within(bench.path('server'), classOf('server', plan.mode));
    spawnSync('chrt', ['--all-tasks', '--rr', '--pid', '2', String(process.pid)]);
  }
  const server = await bench.server();
  const invitation = present(parseInvitation(await bench.invite(server)), 'an invitation');
  const device = await Peer.pair(bench.path('device'), invitation);
  const dir = await device.directory('saves');
  const files = await filesOf(device);
  for (const attack of plan.attacks) {
    const role = attack.isAsServer === true ? 'server' : 'attacker';
    const its = { attack, files: files.slice(0, BATCH), class: classOf(role, plan.mode) };
    const attacker = await Attacker.of(bench, server, its);
    tell(await figuresOf({ server, device, dir, attacker }, plan));
    await attacker.end();
  }
  await device.end();
}

interface Scene {
  readonly server: RunningServer;
  readonly device: Peer;
  readonly dir: Fid;
  readonly attacker: Attacker;
}

async function figuresOf(scene: Scene, { rounds, seconds }: Plan): Promise<Figures> {
  const { server, device, dir, attacker } = scene;
  const [alone, beside]: [Waits, Waits] = [
    { ask: [], save: [] },
    { ask: [], save: [] },
  ];
  const [serverAlone, serverBeside]: [Busy, Busy] = [
    { cpu: 0, wall: 0 },
    { cpu: 0, wall: 0 },
  ];
  const loads: number[] = [];
  const pid = present(server.child.pid, 'the server runs');
  let answered = 0;
  for (let round = 0; round < rounds; round++) {
    await whileBusy(pid, serverAlone, () => measure(device, dir, seconds, alone));
    await attacker.begin();
    await whileBusy(pid, serverBeside, () => measure(device, dir, seconds, beside));
    answered = await attacker.rest();
    loads.push(loadavg()[0] ?? NaN);
  }
  return { attack: attacker.name, answered, loads, alone, beside, serverAlone, serverBeside };
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
    await pause(LEAST_PAUSE_MS + MORE_PAUSE_MS * Math.random());
  }
}

async function whileBusy(pid: number, busy: Busy, work: () => Promise<void>): Promise<void> {
  const [cpu, begun] = [cpuSeconds(pid), performance.now()];
  await work();
  busy.cpu += cpuSeconds(pid) - cpu;
  busy.wall += (performance.now() - begun) / 1000;
}

/** Of all threads. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

class Attacker {
  readonly #attack: Attack;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(attack: Attack, child: ChildProcess) {
    this.#attack = attack;
    this.#child = child;
    const input = present(child.stdout, 'its output is a pipe');
    this.#lines = createInterface({ input })[Symbol.asyncIterator]();
  }

  static async of(
    bench: Bench,
    server: RunningServer,
    its: {
      readonly attack: Attack;
      readonly files: readonly Fid[];
      readonly class: readonly string[];
    },
  ): Promise<Attacker> {
    const { attack, files } = its;
    const { name } = attack;
    const folder = mkdtempSync(join(bench.root, `${name}-`));
    const invitation = await bench.invite(server);
    const [program = '', ...before] = [...its.class, process.execPath, ATTACKER];
    const command = [...before, name, invitation, folder, ...files];
    const child = bench.runs(spawn(program, command, { stdio: ['pipe', 'pipe', 'inherit'] }));
    const attacker = new Attacker(attack, child);
    await attacker.#line();
    return attacker;
  }

  get name(): string {
    return this.#attack.name;
  }

  async begin(): Promise<void> {
    this.#child.stdin?.write('begin\n');
    await pause(SETTLES_MS);
    if (this.#attack.isStopped === true) this.#child.kill('SIGSTOP');
  }

  /** Returns how many of its messages were answered, in all. */
  async rest(): Promise<number> {
    this.#child.kill('SIGCONT');
    this.#child.stdin?.write('rest\n');
    const answered = Number(await this.#line());
    await pause(SETTLES_MS);
    return answered;
  }

  async end(): Promise<void> {
    this.#child.stdin?.end('end\n');
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
  }

  async #line(): Promise<string> {
    const line = await this.#lines.next();
    if (line.done === true) throw new Error(`${this.name}: the attacker has ended`);
    return line.value;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
