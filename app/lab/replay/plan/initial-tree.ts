/**
 * The tree before a trace, inferred from the first operation on each path. A file that is opened without having been made was
 * there; its size is what the tracer saw, or else the end of the furthest read.
 *
 * Where a path is used as a file and is above another one, it is a directory; a directory that is never made was there with all
 * above it.
 */
import { compareNames } from '../../../../shared/model/names.ts';
import { hasFlag, isRefused, type TraceOperation, type TraceRecord } from '../../trace/record.ts';

export interface InitialNode {
  readonly path: string;
  readonly kind: 'file' | 'directory';
  /** Bytes; 0 of a directory. */
  readonly size: number;
}

interface Seen {
  isDirectory: boolean;
  /** Whether it was there before the first record; null: nothing tells it yet. */
  wasThere: boolean | null;
  size: number;
  isSizeKnown: boolean;
}

const MAKES: ReadonlySet<TraceOperation> = new Set(['create', 'mkdir', 'symlink']);
const OF_DIRECTORIES: ReadonlySet<TraceOperation> = new Set(['readdir', 'mkdir', 'rmdir']);

/** Works out from a trace which files and directories were there before it began. */
export class InitialTree {
  readonly #seen = new Map<string, Seen>();
  /** Renames in order: what lies beneath the new name was beneath the old one before. */
  readonly #moves: Array<{ readonly from: string; readonly to: string }> = [];

  /** Records in order, each once, with their paths from the root. */
  add(record: TraceRecord, path: string, to: string | null): void {
    if (path === '/' || record.op === 'gap') return;
    const seen = this.#at(this.#originOf(path));
    if (hasFlag(record, 'not-found')) {
      seen.wasThere ??= false;
      return;
    }
    if (isRefused(record)) return;
    seen.wasThere ??= !MAKES.has(record.op);
    seen.isDirectory ||= OF_DIRECTORIES.has(record.op) || hasFlag(record, 'directory');
    measure(seen, record);
    if (to !== null && (record.op === 'rename' || record.op === 'link')) {
      this.#at(to).wasThere ??= false;
      if (record.op === 'rename') this.#moves.push({ from: path, to });
    }
  }

  /** A file of a group, after all records: it was there, whether or not anybody has used it. */
  addMember(path: string, size: number): void {
    if (path === '/') return;
    const seen = this.#at(path);
    seen.wasThere ??= true;
    if (seen.wasThere && !seen.isSizeKnown) [seen.size, seen.isSizeKnown] = [size, true];
  }

  /** What a directory is comes before what is in it. */
  nodes(): InitialNode[] {
    const there = new Map<string, InitialNode>();
    for (const [path, { wasThere, isDirectory, size }] of this.#seen) {
      if (wasThere !== true) continue;
      const kind = isDirectory ? 'directory' : 'file';
      there.set(path, { path, kind, size: isDirectory ? 0 : size });
    }
    for (const [path, { wasThere }] of this.#seen) if (wasThere !== null) this.#above(path, there);
    return [...there.values()].sort((one, other) => compareNames(one.path, other.path));
  }

  #above(path: string, there: Map<string, InitialNode>): void {
    const missing = this.#seen.get(path)?.wasThere === false;
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const dir = path.slice(0, end);
      const isMade = this.#seen.get(dir)?.wasThere === false;
      // What is above a name that was looked for in vain need not be there.
      if (isMade || (missing && !this.#isMadeLater(path))) continue;
      there.set(dir, { path: dir, kind: 'directory', size: 0 });
    }
  }

  /** A name that was not there at the beginning is used later. */
  #isMadeLater(path: string): boolean {
    const seen = this.#seen.get(path);
    return seen !== undefined && (seen.isSizeKnown || seen.isDirectory || seen.size > 0);
  }

  /** The name a path had before the trace. */
  #originOf(path: string): string {
    if (this.#seen.has(path)) return path;
    let at = path;
    for (const { from, to } of this.#moves.toReversed()) {
      if (at.startsWith(`${to}/`)) at = from + at.slice(to.length);
    }
    return at;
  }

  #at(path: string): Seen {
    const known = this.#seen.get(path);
    if (known !== undefined) return known;
    const made = { isDirectory: false, wasThere: null, size: 0, isSizeKnown: false };
    this.#seen.set(path, made);
    return made;
  }
}

/** As `godwit trace info` counts: what was made was not there, and what was written or emptied says no more what was. */
function measure(seen: Seen, { op, size, offset = 0, length = 0 }: TraceRecord): void {
  if (seen.isSizeKnown) return;
  if (seen.wasThere === false) seen.isSizeKnown = true;
  else if (size !== undefined) [seen.size, seen.isSizeKnown] = [size, true];
  else if (op === 'read') seen.size = Math.max(seen.size, offset + length);
  else if (op === 'write' || op === 'truncate') seen.isSizeKnown = true;
}
