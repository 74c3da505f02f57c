/** A log that nobody reads: for tests of parts whose lines are told elsewhere. */
import type { Log } from '../../shared/ports/log.ts';

const nothing = (): void => {};

/** The log. */
export const SILENT: Log = {
  error: nothing,
  warn: nothing,
  info: nothing,
  debug: nothing,
  with: () => SILENT,
};
