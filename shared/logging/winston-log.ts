/** The Log port as a file of JSON lines, for people and for `godwit log`. */
import { Writable } from 'node:stream';
import winston from 'winston';
import type { Log, LogFields, LogLevel } from '../ports/log.ts';
import { loggable } from './log-fields.ts';
import { RotatingFile } from './rotating-file.ts';

/** Five files of 5 MB: days of work, and little enough to send along with a report. */
const MOST_BYTES = 5 * 1024 * 1024;
const MOST_FILES = 5;

export interface FileLogOptions {
  /** The newest lines are here; older files lie beside it: `daemon.log`, `daemon1.log`, ... `daemon4.log`. */
  readonly file: string;
  /** Lines of less weight are not written. `info` where it is left out. */
  readonly level?: LogLevel;
  /** Writes to standard error as well. */
  readonly console?: boolean;
}

export interface FileLog extends Log {
  /** Resolves when everything logged is in the file. Nothing is written after it. */
  close(): Promise<void>;
}

interface LogLine extends LogFields {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
}

/** Throws where the file can't be opened. Later, lines that can't be written are lost, and counted in the log. */
export function createFileLog({ file, level = 'info', console = false }: FileLogOptions): FileLog {
  const stream = toRotating(
    new RotatingFile({ file, mostBytes: MOST_BYTES, mostFiles: MOST_FILES }),
  );
  const format = winston.format.printf((info) => JSON.stringify(info['line']));
  const toFile = new winston.transports.Stream({ stream, eol: '', format });
  const logger = winston.createLogger({
    level,
    transports: console ? [toFile, toStandardError()] : [toFile],
  });
  const finished = new Promise<void>((resolve) => stream.once('finish', resolve));
  logger.once('finish', () => stream.end());
  return Object.assign(new WinstonLog(logger, {}), {
    close: () => {
      logger.end();
      return finished;
    },
  });
}

/** In place of winston's own file transport, which never ends once a write has failed and keeps all later lines in memory. */
function toRotating(file: RotatingFile): Writable {
  let lost = 0;
  return new Writable({
    decodeStrings: false,
    write: (line: string, _encoding, next) => {
      if (lost > 0 && file.append(linesLost(lost))) lost = 0;
      if (!file.append(line)) lost += 1;
      next();
    },
    final: (done) => {
      file.close();
      done();
    },
  });
}

function linesLost(lines: number): string {
  const time = new Date().toISOString();
  return JSON.stringify({ time, level: 'warn', message: 'lines of the log were lost', lines });
}

/** One line each, for eyes. */
function toStandardError(): winston.transport {
  return new winston.transports.Stream({
    stream: process.stderr,
    eol: '\n',
    format: winston.format.printf((info) => {
      const { time, level, message, ...fields } = info['line'] as LogLine;
      const said = Object.entries(fields).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
      return `${time} ${level} ${message}${said.join('')}`;
    }),
  });
}

class WinstonLog implements Log {
  readonly #logger: winston.Logger;
  readonly #fields: LogFields;

  constructor(logger: winston.Logger, fields: LogFields) {
    this.#logger = logger;
    this.#fields = fields;
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields);
  }

  with(fields: LogFields): Log {
    return new WinstonLog(this.#logger, { ...this.#fields, ...fields });
  }

  #write(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (!this.#logger.writable || !this.#logger.isLevelEnabled(level)) return;
    const time = new Date().toISOString();
    const line: LogLine = { time, level, message, ...loggable({ ...this.#fields, ...fields }) };
    // In one piece: winston gives some fields a meaning of its own.
    this.#logger.log({ level, message, line });
  }
}
