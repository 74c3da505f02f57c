/** The Log port of a simulated process: lines are part of the world's trace, and the recent ones are kept for tests. */
import { loggable } from '../../../../shared/logging/log-fields.ts';
import type { Log, LogFields, LogLevel } from '../../../../shared/ports/log.ts';
import type { World } from '../world.ts';

const KEPT_LINES = 1000;

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** Writes log lines into the trace of the world, and keeps the last ones for tests. */
export class MemoryLog implements Log {
  readonly #world: World;
  readonly #name: string;
  readonly #fields: LogFields;
  readonly lines: LogLine[];

  constructor(world: World, name: string, fields: LogFields = {}, lines: LogLine[] = []) {
    this.#world = world;
    this.#name = name;
    this.#fields = fields;
    this.lines = lines;
  }

  error(message: string, fields: LogFields = {}): void {
    this.#write('error', message, fields);
  }

  warn(message: string, fields: LogFields = {}): void {
    this.#write('warn', message, fields);
  }

  info(message: string, fields: LogFields = {}): void {
    this.#write('info', message, fields);
  }

  debug(message: string, fields: LogFields = {}): void {
    this.#write('debug', message, fields);
  }

  with(fields: LogFields): Log {
    return new MemoryLog(this.#world, this.#name, { ...this.#fields, ...fields }, this.lines);
  }

  #write(level: LogLevel, message: string, fields: LogFields): void {
    const all = loggable({ ...this.#fields, ...fields });
    this.lines.push({ level, message, fields: all });
    if (this.lines.length > KEPT_LINES) this.lines.shift();
    this.#world.note(`${this.#name} ${level}: ${message} ${JSON.stringify(all, withoutStack)}`);
  }
}

/** A stack says who runs the world, and that is no part of it. */
function withoutStack(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/\n {4}at [^]*$/, '') : value;
}
