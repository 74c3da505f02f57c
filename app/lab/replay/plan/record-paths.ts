/**
 * Paths from the root for the records of one trace. A tracer beside the core names a vnode by its fid, or by a name in a directory: here
 * these become paths again, with a made-up one for a vnode whose name the trace never tells.
 */
import { parseFid, ROOT_VNODE, type Fid } from '../../../../shared/model/fid.ts';
import { isRefused, type TraceRecord } from '../../trace/record.ts';

/** Where vnodes are put that no record names. */
export const NAMELESS = '/nameless';

export interface RecordPaths {
  readonly path: string;
  /** Of a rename or link. */
  readonly to: string | null;
}

/** Turns the fids and names of records into paths from the root. */
export class PathFinder {
  readonly #known = new Map<Fid, string>();

  /** Records in order, each once. */
  of(record: TraceRecord): RecordPaths {
    const { path, dir, fid, op, to, toDir } = record;
    const own = this.#path(path, dir, fid);
    if (fid !== undefined && path !== undefined) this.#known.set(fid, own);
    if (to === undefined || op === 'symlink') return { path: own, to: null };
    const target = this.#path(to, toDir, undefined);
    if (op === 'rename' && !isRefused(record)) this.#renamed(own, target);
    return { path: own, to: target };
  }

  #path(name: string | undefined, dir: Fid | undefined, fid: Fid | undefined): string {
    if (name !== undefined && dir === undefined) return name;
    if (name !== undefined && dir !== undefined) return under(this.#ofFid(dir), name);
    return fid === undefined ? NAMELESS : this.#ofFid(fid);
  }

  #ofFid(fid: Fid): string {
    const known = this.#known.get(fid);
    if (known !== undefined) return known;
    return parseFid(fid)?.vnode === ROOT_VNODE ? '/' : `${NAMELESS}/${fid}`;
  }

  /** What lies beneath a directory goes with it. */
  #renamed(from: string, to: string): void {
    for (const [fid, path] of this.#known) {
      if (path === from) this.#known.set(fid, to);
      else if (path.startsWith(`${from}/`)) this.#known.set(fid, to + path.slice(from.length));
    }
  }
}

const under = (dir: string, name: string): string => (dir === '/' ? `/${name}` : `${dir}/${name}`);
