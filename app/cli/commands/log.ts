/**
 * `godwit log`: the newest lines of the daemon's log, for people or (with --json) as they are. It reads the files, so that it works
 * when the daemon does not.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parseCount } from '../arguments.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatLocal } from '../format.ts';
import { aborted } from '../interruption.ts';
import { painted, type Colour } from '../style.ts';
import { printable } from '../printable.ts';

const LOG_FILE = 'daemon.log';
/** The longest word for how grave a line is. */
const LEVEL_WIDTH = 5;
const DEFAULT_LINES = 50;
/** How far back the last lines are looked for. */
const MAX_TAIL_BYTES = 8 * 1024 * 1024;

interface LogFlags {
  readonly lines?: number;
  readonly follow?: boolean;
}

/**
 * Builds `godwit log`, which prints the newest lines of the daemon's log and may follow it. Throws
 * GodwitError `not-found` if the data folder has no log.
 */
export function logCommand(cli: Cli): Command {
  const command = cli.withData('log', "print the newest lines of the daemon's log");
  flag(
    command,
    '-n, --lines <count>',
    `how many (default: ${DEFAULT_LINES})`,
    undefined,
    parseCount,
  );
  flag(command, '-f, --follow', 'go on with new ones until Ctrl-C; with --json one object a line');
  return cli.does<LogFlags>(command, async (context, options) => {
    const folder = join(context.dataDir, 'log');
    const file = join(folder, LOG_FILE);
    if (!existsSync(file)) throw new GodwitError('not-found', `${file}: there is no log here`);
    const tail = new LogTail(file);
    const lines = tail.read().slice(-(options.lines ?? DEFAULT_LINES));
    if (options.follow === true) return follow(context, folder, tail, lines);
    const shown = lines.map((line) => formatLine(line, context.colours));
    context.result({ file, lines: lines.map(asObject) }, shown);
  });
}

async function follow(
  context: Context,
  folder: string,
  tail: LogTail,
  lines: readonly string[],
): Promise<void> {
  const interrupted = context.interruption.claim();
  const show = (some: readonly string[]): void => {
    for (const line of some) context.result(asObject(line), [formatLine(line, context.colours)]);
  };
  show(lines);
  const watcher = watch(folder, (_event, name) => {
    if (name === LOG_FILE && existsSync(join(folder, LOG_FILE))) show(tail.read());
  });
  await aborted(interrupted);
  watcher.close();
}

/** Reads what was added to a file since the last time: whole lines. A full log is renamed and begun anew. */
class LogTail {
  readonly #file: string;
  #inode = 0;
  #offset = 0;

  constructor(file: string) {
    this.#file = file;
  }

  read(): string[] {
    const file = openSync(this.#file, 'r');
    try {
      const { size, ino } = fstatSync(file);
      if (ino !== this.#inode) this.#offset = 0;
      this.#inode = ino;
      const from = Math.max(this.#offset, size - MAX_TAIL_BYTES);
      const bytes = Buffer.alloc(size - from);
      const length = readSync(file, bytes, 0, bytes.length, from);
      // A line that is still being written is read next time, whole.
      const whole = bytes.subarray(0, length).lastIndexOf('\n') + 1;
      this.#offset = from + whole;
      const text = bytes.toString('utf8', 0, whole);
      return text.split('\n').filter((line) => line !== '');
    } finally {
      closeSync(file);
    }
  }
}

function asObject(line: string): object {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Cut by a crash; shown as it is.
  }
  return { message: line };
}

const COLOURS: Readonly<Record<string, Colour>> = { error: 'red', warn: 'amber' };

function formatLine(line: string, colours: boolean): string {
  const { time, level, message, ...fields } = asObject(line) as Record<string, unknown>;
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${textOf(value)}`);
  const isTime = typeof time === 'string' && !Number.isNaN(Date.parse(time));
  const when = isTime ? formatLocal(Date.parse(time)) : time;
  const word = level === undefined ? undefined : textOf(level).padEnd(LEVEL_WIDTH);
  const shown = (each: unknown): string => printable(textOf(each));
  const colour = COLOURS[String(level)];
  const words = [when, word, message, ...rest].filter((each) => each !== undefined).map(shown);
  if (colour !== undefined) words[1] = painted(words[1] ?? '', colour, colours);
  return words.join('  ');
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
