/**
 * A process at one end of a line that is measured: in a network namespace of its own if one is named, so that neither end delays the other. It
 * answers each line of JSON with one. No Ctrl-C of a terminal reaches it: it ends when its parent ends it, or ends itself.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { parseStartupFailure } from '../../../shared/control/startup-failure.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { END_WITH_PARENT, type Place } from '../../cli/children.ts';

/** Starts a process in a network namespace, and exchanges lines of JSON with it. */
export class EndProcess {
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #input: Writable;
  readonly #lines: AsyncIterator<string>;

  constructor(place: Place, entry: string, args: readonly string[]) {
    const node = [process.execPath, '--import', END_WITH_PARENT, entry];
    const [program = '', ...rest] = [...place, ...node, ...args];
    const stdio = ['pipe', 'pipe', 'ignore', 'ipc'] as const;
    const child = spawn(program, rest, { detached: true, stdio: [...stdio] });
    this.#input = child.stdin as Writable;
    this.#input.on('error', () => undefined);
    this.ended = new Promise<void>((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', () => resolve());
    });
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout as Readable })[Symbol.asyncIterator]();
  }

  /** What it says next. Rejects where that is why it ends, or where it ends without a word. */
  async next<T>(): Promise<T> {
    const line = await this.#lines.next();
    if (line.done === true)
      throw new GodwitError('internal', 'an end of the measured line has died');
    const failure = parseStartupFailure(line.value);
    if (failure !== null) throw failure;
    return JSON.parse(line.value) as T;
  }

  /** One question after the other. */
  ask<T>(question: object): Promise<T> {
    this.#input.write(`${JSON.stringify(question)}\n`);
    return this.next<T>();
  }

  /** There is nothing more to ask. */
  endInput(): void {
    this.#input.end();
  }

  kill(): void {
    this.#child.kill();
  }
}
