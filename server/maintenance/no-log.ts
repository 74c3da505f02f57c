/** For what an administrator has done: what is found is in its report. */
import type { Log } from '../../shared/ports/log.ts';

const silent = (): void => undefined;

export const NO_LOG: Log = {
  error: silent,
  warn: silent,
  info: silent,
  debug: silent,
  with: () => NO_LOG,
};
