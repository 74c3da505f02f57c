/** A log in memory, for tests that read what was logged. */
import type { Log } from '../../shared/ports/log.ts';

/** Keeps what was logged, as `level message`. */
export function listLog(lines: string[]): Log {
  const write = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  const log: Log = {
    error: write('error'),
    warn: write('warn'),
    info: write('info'),
    debug: write('debug'),
    with: () => log,
  };
  return log;
}
