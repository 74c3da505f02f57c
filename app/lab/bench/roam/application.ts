/** A program at work while the line breaks: now and then it saves a small file and reads it again. It records the results and how long they take. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Fid } from '../../../../shared/model/fid.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { PortFiles } from '../real/port-files.ts';

const EVERY_MS = 500;

/**
 * Saves and reads a small file at intervals, and records the errors and the longest time, in
 * milliseconds.
 */
export class Application {
  /** The codes of all errors, in order. */
  readonly errors: string[] = [];
  /** Of the small saves and reads. */
  longestMs = 0;
  rounds = 0;
  readonly #files: PortFiles;
  readonly #fid: Fid;

  constructor(files: PortFiles, fid: Fid) {
    this.#files = files;
    this.#fid = fid;
  }

  async work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const began = performance.now();
      const done = await this.attempt(() => this.#saveAndRead(), signal);
      if (done !== null) this.longestMs = Math.max(this.longestMs, performance.now() - began);
      this.rounds += 1;
      await wait(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Records a result; null if it is an error. */
  async attempt<T>(what: () => Promise<T>, signal: AbortSignal): Promise<T | null> {
    try {
      return await what();
    } catch (error) {
      if (signal.aborted) return null;
      if (!(error instanceof GodwitError)) throw error;
      this.errors.push(error.code);
      return null;
    }
  }

  async #saveAndRead(): Promise<true> {
    const contents = Buffer.from(`round ${this.rounds}`);
    await this.#files.replace(this.#fid, contents);
    const read = (await this.#files.read(this.#fid)).contents;
    if (!read.equals(contents)) throw new GodwitError('damaged-contents', 'not what was saved');
    return true;
  }
}
