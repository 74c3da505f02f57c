/** Structured log: static messages with keys. Never a secret, never a file's contents. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug';
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Log {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  /** A log whose every line carries these fields as well. */
  with(fields: LogFields): Log;
}
