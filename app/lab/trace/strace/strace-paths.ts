/** Paths as a call names them, from the root; and what of them is a file that a replay could have. */
import { isTracePath } from '../trace-line.ts';

/** Not files of a disk: devices, the kernel's own file systems, and what has no name (`pipe:[7]`). */
const NO_FILES = /^\/(?:dev|proc|sys)(?:\/|$)/;

/** null: not a path, or none of a file. */
export function filePath(given: string, base: string): string | null {
  if (given === '') return null;
  const path = joined(given.startsWith('/') ? '' : base, given);
  return NO_FILES.test(path) || !isTracePath(path) ? null : path;
}

/** Without `.`, `..` and empty names. Symbolic links are not followed: what is behind them is not told. */
function joined(base: string, given: string): string {
  const names: string[] = [];
  for (const name of `${base}/${given}`.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}
