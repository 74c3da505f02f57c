/**
 * A server or a daemon of a story: real, with its disk calls counted, and started again whenever it ends without having been
 * asked to. How it ended is kept, for the judge.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { endProcess, type Bench } from '../bench.ts';
import type { DiskCalls } from './disk-calls.ts';

export type ProgramName = 'server' | 'ann' | 'bob';

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether the story asked it to end. */
  readonly asked: boolean;
  /** Its output, with that in a file beside its log. */
  readonly said: string;
}

export interface Launch {
  readonly args: readonly string[];
  /** Reads its output outside of its streams. */
  readonly alsoSaid: () => string;
}

const AGAIN_MS = 100;
/** For each fault, and more than it takes: a program that does not start after so many attempts never will. */
const MOST_STARTS = 12;

export class Program {
  readonly name: ProgramName;
  readonly calls: DiskCalls;
  readonly #bench: Bench;
  readonly #launch: () => Promise<Launch>;
  readonly #ready: (line: Record<string, unknown>) => void;
  readonly endings: Ending[] = [];
  #child: ChildProcess | null = null;
  #asked = false;
  #up: Promise<void> = Promise.resolve();
  #closed: Promise<void> = Promise.resolve();
  /** The process of the program itself, which for a daemon differs from that of its command. */
  #pid = 0;

  constructor(
    bench: Bench,
    name: ProgramName,
    calls: DiskCalls,
    launch: () => Promise<Launch>,
    ready: (line: Record<string, unknown>) => void = () => undefined,
  ) {
    this.name = name;
    this.calls = calls;
    this.#bench = bench;
    this.#launch = launch;
    this.#ready = ready;
  }

  /** Starts it. Resolves when it runs; failed attempts are kept as endings. */
  start(): Promise<void> {
    this.#asked = false;
    this.#up = this.#startUntilUp();
    this.#up.catch(() => undefined);
    return this.#up;
  }

  /** Resolves when it runs, for the first time or again. */
  running(): Promise<void> {
    return this.#up;
  }

  /** Ends it for good. Resolves when it has ended. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#asked = true;
    await this.#up.catch(() => undefined);
    const child = this.#child;
    if (child?.pid === undefined) return;
    // The command that started a daemon ends with it, and the other way round, but not at once.
    for (const pid of new Set([child.pid, this.#pid])) await endProcess(pid, signal);
    await this.#closed;
  }

  /** Stops restarting it. */
  leave(): void {
    this.#asked = true;
  }

  async #startUntilUp(): Promise<void> {
    const most = MOST_STARTS * Math.max(1, this.calls.faults.length);
    for (let attempt = 1; !(await this.#startOnce()); attempt++) {
      if (this.#asked) return;
      if (attempt === most) throw new Error(`${this.name} does not start`);
      await wait(AGAIN_MS);
    }
  }

  /** False: it ended before it was ready. */
  async #startOnce(): Promise<boolean> {
    const { args, alsoSaid } = await this.#launch();
    const child = this.#bench.start([...args, '--json'], this.calls.env);
    this.#child = child;
    this.#closed = new Promise((resolve) => child.once('close', () => resolve()));
    let [said, stdout] = ['', ''];
    let isReady = false;
    return new Promise((resolve) => {
      child.stderr?.setEncoding('utf8').on('data', (part: string) => (said += part));
      child.stdout?.setEncoding('utf8').on('data', (part: string) => {
        stdout += part;
        if (isReady || !stdout.includes('\n')) return;
        const line = JSON.parse(stdout.slice(0, stdout.indexOf('\n'))) as Record<string, unknown>;
        if ('error' in line) return;
        isReady = true;
        this.#pid = Number(line['pid'] ?? child.pid);
        this.#ready(line);
        resolve(true);
      });
      child.once('close', (code, signal) => {
        if (this.#child === child) this.#child = null;
        this.endings.push({ code, signal, asked: this.#asked, said: said + stdout + alsoSaid() });
        if (!isReady) resolve(false);
        else if (!this.#asked) void this.start();
      });
    });
  }
}
