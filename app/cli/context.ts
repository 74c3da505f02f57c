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
import { chooseDaemon, configOf, folderOf } from './paths/choose-daemon.ts';
import { isChosenDaemon } from './paths/chosen-daemon.ts';
import { startRemedy } from './paths/start-remedy.ts';
import { namesBelow } from './paths/disk-path.ts';
import { brief, MOST_OF_PATH, printable } from './printable.ts';
import { shellWord } from '../../shared/util/shell-word.ts';
import { appendTrace } from './trace-file.ts';
import { DEFAULT_VOLUME } from './volume-tree.ts';

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

/**
 * Which daemon a command speaks to without --data: `running` one that runs (paths/choose-daemon.ts); `usual` that of the default data
 * folder, whatever runs; `either` the one that runs, and the usual one where nothing tells which.
 */
export type FindsDaemon = 'running' | 'usual' | 'either';

/** Gives a command its streams, its way to print results, its data folder and its daemon. */
export class Context {
  readonly io: Io;
  readonly interruption: Interruption;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly #data: string | undefined;
  readonly #near: readonly string[];
  readonly #finds: FindsDaemon;
  #chosen: string | null = null;
  #folder: string | null | undefined;
  #usualVolume: string | null = null;
  #client: ControlClient | null = null;

  /** `near`: where a person is, as whole paths: what the command names comes first. */
  constructor(
    io: Io,
    interruption: Interruption,
    options: CommonOptions,
    near: readonly string[] = [],
    finds: FindsDaemon = 'running',
  ) {
    this.#near = near;
    this.#finds = finds;
    this.io = io;
    this.interruption = interruption;
    this.json = options.json === true;
    this.quiet = options.quiet === true;
    this.verbose = options.verbose === true;
    this.#data = options.data;
  }

  /**
   * The data folder, found only when it is asked for. Throws GodwitError `no-home` if there is no default, `usage` if several daemons
   * run and nothing tells which one is meant.
   */
  get dataDir(): string {
    this.#chosen ??= resolve(this.#data ?? this.#choose());
    return this.#chosen;
  }

  #choose(): string {
    const usual = defaultDaemonData();
    if (this.#finds === 'usual') return usual;
    try {
      return chooseDaemon(this.#near, usual);
    } catch (error) {
      if (this.#finds === 'either' && error instanceof GodwitError) return usual;
      throw error;
    }
  }

  /** The daemon is the one that `godwit use` has chosen. */
  get isChosen(): boolean {
    return this.#data === undefined && isChosenDaemon(this.dataDir);
  }

  /**
   * A path as a person can give it to any command, wherever that is: from the root of the volume, as one word for a shell. With
   * its volume where that is another than usual, and where it would be taken for a place in the folder. One that fills the screen is
   * shortened.
   */
  shown(path: string | readonly string[], volume: string = this.usualVolume): string {
    return brief(this.#worded(path, volume), MOST_OF_PATH);
  }

  /** The same as a word of a command that is printed to be pasted: whole, however long it is. */
  word(path: string | readonly string[], volume: string = this.usualVolume): string {
    return printable(this.#worded(path, volume));
  }

  #worded(path: string | readonly string[], volume: string): string {
    const whole = `/${(typeof path === 'string' ? path : path.join('/')).replace(/^\//, '')}`;
    if (this.#folder === undefined) this.#folder = folderOf(this.dataDir);
    const isPlace = this.#folder !== null && namesBelow(this.#folder, whole) !== null;
    return shellWord(volume === this.usualVolume && !isPlace ? whole : `${volume}:${whole}`);
  }

  /** The name of the volume that a command is about if nobody says which: the one of the daemon's folder. */
  get usualVolume(): string {
    this.#usualVolume ??= configOf(this.dataDir)?.volume ?? DEFAULT_VOLUME;
    return this.#usualVolume;
  }

  /** True where a person watches and wants to be shown progress. */
  get shows(): boolean {
    return !this.json && !this.quiet && this.io.stderr.isTTY === true;
  }

  /** Colours are for people at a terminal who have not said otherwise (NO_COLOR). */
  get colours(): boolean {
    const { NO_COLOR, TERM } = process.env;
    return this.io.stdout.isTTY === true && !NO_COLOR && TERM !== 'dumb' && !this.json;
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

  /** The next call begins anew: it may be another daemon by then. */
  close(): void {
    this.#client?.close();
    this.#client = null;
  }

  #connect(): ControlClient {
    try {
      return ControlClient.of(this.dataDir);
    } catch (error) {
      if (!(error instanceof GodwitError) || error.code !== 'not-running') throw error;
      const which = this.isChosen
        ? 'this data folder, which `godwit use` chose'
        : 'this data folder';
      const remedy = startRemedy(this.dataDir, this.isChosen);
      throw new GodwitError(error.code, `${this.dataDir}: no daemon runs on ${which}`, remedy);
    }
  }
}
