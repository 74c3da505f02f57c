/**
 * What a command gets: its streams, how to speak (for people, `--json`, `--quiet`), the data folder and its daemon.
 *
 * For people, results go to stdout and everything said meanwhile to stderr. With `--json`, stdout gets one object.
 */
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { ControlClient } from '../../shared/control/client.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { defaultDaemonData } from '../../shared/control/state-folder.ts';
import type { Interruption } from './interruption.ts';
import { appendTrace } from './trace-file.ts';

export interface Io {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
}

export interface CommonOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly data?: string;
}

/** Gives a command its streams, its way to print results, its data folder and its daemon. */
export class Context {
  readonly io: Io;
  readonly interruption: Interruption;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly #data: string | undefined;
  #client: ControlClient | null = null;

  constructor(io: Io, interruption: Interruption, options: CommonOptions) {
    this.io = io;
    this.interruption = interruption;
    this.json = options.json === true;
    this.quiet = options.quiet === true;
    this.verbose = options.verbose === true;
    this.#data = options.data;
  }

  /** The data folder, found only when it is asked for. Throws GodwitError `no-home` if there is no default. */
  get dataDir(): string {
    return resolve(this.#data ?? defaultDaemonData());
  }

  /** True where a person watches and wants to be shown progress. */
  get shows(): boolean {
    return !this.json && !this.quiet && this.io.stderr.isTTY === true;
  }

  /** The result: an object for programs, lines for people. Once in a command; one that stays may end with another. */
  result(object: object, lines: readonly string[] = []): void {
    if (this.json) this.io.stdout.write(`${JSON.stringify(object)}\n`);
    else if (!this.quiet) for (const line of lines) this.io.stdout.write(`${line}\n`);
  }

  /** Prints a remark to stderr; nothing with `--json` or `--quiet`. */
  note(line: string): void {
    if (!this.json && !this.quiet) this.io.stderr.write(`${line}\n`);
  }

  /** What `--verbose` keeps in the log of the CLI. Never a secret. */
  trace(message: string, fields: Readonly<Record<string, string | number | boolean | null>>): void {
    if (this.verbose) appendTrace({ level: 'info', message, ...fields });
  }

  /** The daemon of the data folder. */
  get daemon(): ControlClient {
    this.#client ??= this.#connect();
    return this.#client;
  }

  close(): void {
    this.#client?.close();
  }

  #connect(): ControlClient {
    try {
      return ControlClient.of(this.dataDir);
    } catch (error) {
      if (!(error instanceof GodwitError)) throw error;
      throw new GodwitError(error.code, `${this.dataDir}: no daemon runs on this data folder`);
    }
  }
}
