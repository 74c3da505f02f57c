/**
 * What this machine takes for what a replay needs no line for, measured all the time that a replay runs, so that a simulated run can be given the same
 * (`--against`): twice a second some calls to the daemon that need nothing for their answers, and a page of a file written and synced; and now and
 * then a MiB of it; and some pages of another file, each written as a program writes it, and not synced. In the first seconds, in which programs
 * begin and a daemon does for the first time what it does, calls are made ten times a second. Of calls the first is left out: processes that
 * have slept are slow to answer, and those that a program makes one after the other find them awake. Other work on the machine is in all of them,
 * as it is in what the programs of the replay wait for. The synced file is written as a database does it, with nothing else in between: there is
 * no wait for a thread in it.
 */
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { paceOfCalls } from '../engine/mean-costs.ts';
import type { CostsMeter, MachineCosts } from '../engine/replay-world.ts';

const EVERY_MS = 500;
const SOONER_MS = 100;
const FIRST_MS = 3000;
const CALLS = 10;
const EDITS = 5;
/** The first is one, and then one in so many. */
const LARGE_EVERY = 4;
const MIB = 1024 * 1024;
/** Of a database. */
const PAGE_BYTES = 4096;
const PAGE = Buffer.alloc(PAGE_BYTES, 1);
/** It is written from its beginning again when it is as long as this. */
const MOST_BYTES = 16 * MIB;

export interface MeasuredDaemon {
  readonly call: () => Promise<unknown>;
  /** Nothing is asked any more. */
  readonly close: () => void;
}

/**
 * Measures what calls to the daemon and writes to the disk cost while a replay runs, in
 * milliseconds.
 */
export class MachineMeter implements CostsMeter {
  readonly #folder: string;
  readonly #daemon: MeasuredDaemon;
  readonly #over = new AbortController();
  readonly #measured: Promise<void>;
  readonly #began = performance.now();
  /** Means of some calls in a row, by the second in which they ended. */
  readonly #calls: number[][] = [];
  readonly #edits: number[] = [];
  readonly #syncs: number[] = [];
  readonly #larges: number[] = [];
  #at = 0;

  /** `folder`: on the disk of the run; nothing is left in it. */
  constructor(folder: string, daemon: MeasuredDaemon) {
    this.#folder = folder;
    this.#daemon = daemon;
    this.#measured = this.#measure();
    // The code that ends it gets the failure.
    this.#measured.catch(() => undefined);
  }

  async end(): Promise<MachineCosts> {
    this.#over.abort();
    await this.#measured;
    const syncMs = mean(this.#syncs);
    const writeMsPerMiB = Math.max(mean(this.#larges) - syncMs, 0);
    const callMs = mean(this.#calls.flat());
    let last = callMs;
    const calls = Array.from(
      this.#calls,
      (found) => (last = found === undefined ? last : paceOfCalls(found)),
    );
    return { callMs, calls, editMs: mean(this.#edits), syncMs, writeMsPerMiB };
  }

  async #measure(): Promise<void> {
    const path = join(this.#folder, `measured-${process.hrtime.bigint()}`);
    try {
      const file = openSync(path, 'w');
      const edited = await open(`${path}-edited`, 'w');
      await this.#measureWith(file, edited).finally(() => {
        closeSync(file);
        return edited.close();
      });
    } finally {
      this.#daemon.close();
      for (const name of [path, `${path}-edited`]) rmSync(name, { force: true });
    }
  }

  async #measureWith(file: number, edited: FileHandle): Promise<void> {
    const { signal } = this.#over;
    let written = 0;
    for (let isFirst = true; isFirst || !signal.aborted; isFirst = false) {
      await this.#measureCalls(edited);
      const since = performance.now() - this.#began;
      if (since >= written * EVERY_MS) {
        this.#syncs.push(this.#write(file, PAGE_BYTES));
        if (written % LARGE_EVERY === 0) this.#larges.push(this.#write(file, MIB));
        written += 1;
      }
      const ms = since < FIRST_MS ? SOONER_MS : EVERY_MS;
      await wait(ms, undefined, { signal }).catch(() => undefined);
    }
  }

  async #measureCalls(edited: FileHandle): Promise<void> {
    await this.#daemon.call();
    const calls: number[] = [];
    for (let call = 0; call < CALLS; call++) calls.push(await msOf(this.#daemon.call));
    const second = Math.floor((performance.now() - this.#began) / 1000);
    (this.#calls[second] ??= []).push(mean(calls));
    for (let edit = 0; edit < EDITS; edit++) {
      this.#edits.push(await msOf(() => edited.write(PAGE, 0, PAGE_BYTES, edit * PAGE_BYTES)));
    }
  }

  /** Milliseconds that it took. */
  #write(file: number, bytes: number): number {
    const began = performance.now();
    writeSync(file, Buffer.alloc(bytes, 1), 0, bytes, this.#at);
    fdatasyncSync(file);
    this.#at = (this.#at + bytes) % MOST_BYTES;
    return performance.now() - began;
  }
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const mean = (all: readonly number[]): number =>
  all.reduce((sum, each) => sum + each, 0) / Math.max(all.length, 1);
