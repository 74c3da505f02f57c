/**
 * Paths of Windows as paths of a trace: `C:\Users\ann` is `/C:/Users/ann`, `\\host\share\x` is `/UNC/host/share/x`. Case does not count
 * there, so each is spelled as it was first. Registry keys, pipes and devices are no files.
 */
import type { BadLines } from '../bad-lines.ts';
import { isTracePath } from '../trace-line.ts';
import { MAX_TRACE_NAMES } from '../trace-limits.ts';

/** Turns paths of Windows into paths of a trace, with one spelling for each. */
export class ProcmonPaths {
  readonly #spellings = new Map<string, string>();
  readonly #bad: BadLines;

  constructor(bad: BadLines) {
    this.#bad = bad;
  }

  /** null: it is no file. Throws `bad-trace` where there are too many. */
  read(given: string): string | null {
    const path = tracePath(given);
    if (path === null) return null;
    const folded = path.toLowerCase();
    const known = this.#spellings.get(folded);
    if (known !== undefined) return known;
    if (this.#spellings.size === MAX_TRACE_NAMES) {
      throw this.#bad.error(`expected ${MAX_TRACE_NAMES} different paths at most`);
    }
    this.#spellings.set(folded, path);
    return path;
  }
}

function tracePath(given: string): string | null {
  const local = given.replace(/^\\\\\?\\(?=[A-Za-z]:)|^\\\?\?\\(?=[A-Za-z]:)/, '');
  const unc = /^\\\\(?:\?\\UNC\\)?(?![.?]\\)([^\\]+\\[^\\]+.*)$/.exec(local);
  const path = unc === null ? local : `UNC\\${unc[1]}`;
  if (unc === null && !/^[A-Za-z]:(?:\\|$)/.test(path)) return null;
  const names = path.split('\\').filter((name) => name !== '' && name !== '.');
  const joined = `/${names.join('/')}`;
  return isTracePath(joined) ? joined : null;
}
