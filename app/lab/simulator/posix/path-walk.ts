/**
 * From a path to what it names, as Linux walks it: each directory on the way must let the process pass, links are followed, mounts are entered, and
 * `/proc/self/fd/N` leads to what is open. The order in which errors are found is the kernel's.
 */
import { EXECUTE, requireAccess } from './access-rights.ts';
import { touchAccess } from './access-time.ts';
import type { Kernel } from './kernel.ts';
import { fail } from './kernel-error.ts';
import { above, uncovered, type Place } from './mount.ts';
import { requireLength } from './name-rules.ts';
import { byteLength } from './path-bytes.ts';
import type { OpenFile, Process } from './process.ts';

/** Bytes of a path, without the zero at its end. */
const MOST_PATH_BYTES = 4095;
const MOST_LINKS = 40;

/** The last component of a path, and the directory that it is in. */
export interface Spot {
  readonly directory: Place;
  readonly name: string;
  /** `.`, `..` or the root is no name that can be made or taken away. `open`: `/proc/self/fd/N`. */
  readonly kind: 'name' | 'dot' | 'dots' | 'root' | 'open';
  /** A slash at the end asks for a directory. */
  readonly hasSlash: boolean;
  readonly open: OpenFile | null;
}

/** `beneath`: links, `..` beyond the beginning and absolute paths are refused (openat2). */
export interface WalkOptions {
  readonly beneath?: boolean;
}

/** One walk. It counts the links that were followed. */
export class PathWalk {
  readonly #kernel: Kernel;
  readonly #process: Process;
  readonly #isBeneath: boolean;
  #links = 0;
  #depth = 0;

  constructor(kernel: Kernel, caller: Process, { beneath = false }: WalkOptions = {}) {
    this.#kernel = kernel;
    this.#process = caller;
    this.#isBeneath = beneath;
  }

  /** Where the last component of a path is to be found. Nothing need be there. */
  spot(path: string): Spot {
    if (path === '') return fail('ENOENT');
    const whole = path.startsWith('/') ? path : `${this.#process.cwd}/${path}`;
    if (whole.length * 3 > MOST_PATH_BYTES && byteLength(whole) > MOST_PATH_BYTES) {
      return fail('ENAMETOOLONG');
    }
    return this.spotFrom(this.#kernel.top, whole);
  }

  /** What a path names. Throws ENOENT. */
  place(path: string, follow: boolean): Place {
    return this.end(this.spot(path), follow);
  }

  /** What is at the end. Throws ENOENT, and ENOTDIR where a slash asks for a directory. */
  end(spot: Spot, follow: boolean): Place {
    if (spot.open !== null && !follow && !spot.hasSlash)
      return this.#kernel.linkTo(spot.open.place);
    const place = this.find(spot);
    if (place === null) return fail('ENOENT');
    if (place.inode.kind === 'symlink' && spot.kind === 'name' && (follow || spot.hasSlash)) {
      const at = this.end(this.behind(spot, place), true);
      if (spot.hasSlash && at.inode.kind !== 'directory') fail('ENOTDIR');
      return at;
    }
    if (spot.hasSlash && place.inode.kind !== 'directory') fail('ENOTDIR');
    return place;
  }

  /** What stands at the spot, the link itself where it is one; null: nothing. */
  find(spot: Spot): Place | null {
    const { directory, name, kind, open } = spot;
    if (open !== null) return open.place;
    if (kind === 'dots') return this.#up(directory);
    if (kind !== 'name') return directory;
    return this.child(directory, name);
  }

  /** Where a link leads. Throws ELOOP. */
  behind(spot: Spot, link: Place): Spot {
    this.#links += 1;
    if (this.#isBeneath || this.#links > MOST_LINKS) fail('ELOOP');
    this.#kernel.meet('readlink', link);
    touchAccess(this.#kernel, link);
    const { target } = link.inode;
    return this.spotFrom(target.startsWith('/') ? this.#kernel.top : spot.directory, target);
  }

  /** As `spot`, from a directory on. */
  spotFrom(start: Place, path: string): Spot {
    const names = path.split('/');
    let at = start;
    let index = 0;
    let open: OpenFile | null = null;
    if (path.startsWith(FD_PATH) && start === this.#kernel.top) {
      open = this.#process.files.get(Number(names[4])) ?? fail('ENOENT');
      index = 5;
    }
    while (names.length > index && names.at(-1) === '') names.pop();
    const hasSlash = path.endsWith('/');
    if (open !== null) {
      if (names.length === index) {
        return { directory: at, name: '', kind: 'open', hasSlash, open };
      }
      at = open.place;
    }
    for (; index < names.length - 1; index++) at = this.#step(at, names[index] ?? '');
    return this.#last(at, names[index], hasSlash);
  }

  #last(directory: Place, name: string | undefined, hasSlash: boolean): Spot {
    if (name === undefined) return { directory, name: '', kind: 'root', hasSlash, open: null };
    this.#requirePass(directory);
    const kind = name === '.' ? 'dot' : name === '..' ? 'dots' : 'name';
    return { directory, name, kind, hasSlash, open: null };
  }

  /** The directory that a component names. */
  #step(at: Place, name: string): Place {
    if (name === '') return at;
    this.#requirePass(at);
    if (name === '.') return at;
    if (name === '..') return this.#up(at);
    this.#depth += 1;
    const next = this.child(at, name) ?? fail('ENOENT');
    if (next.inode.kind === 'symlink') {
      const spot: Spot = { directory: at, name, kind: 'name', hasSlash: false, open: null };
      const led = this.end(this.behind(spot, next), true);
      return led.inode.kind === 'directory' ? led : fail('ENOTDIR');
    }
    return next.inode.kind === 'directory' ? next : fail('ENOTDIR');
  }

  #up(place: Place): Place {
    if (this.#isBeneath) {
      if (this.#depth === 0) fail('EXDEV');
      this.#depth -= 1;
    }
    return above(place);
  }

  #requirePass(at: Place): void {
    if (at.inode.kind !== 'directory') fail('ENOTDIR');
    this.#kernel.meet('walk', at);
    requireAccess(this.#process, at.inode, EXECUTE);
  }

  /** What a directory has under a name, with what is mounted over it; null: nothing. Throws ENAMETOOLONG. */
  child(directory: Place, name: string): Place | null {
    requireLength(directory.inode.fs.switches.names, name);
    const entry = directory.inode.entries?.get(name);
    if (entry === undefined) return null;
    const by = { directory: directory.inode, name: entry.name };
    return uncovered({ mount: directory.mount, inode: entry.inode, by });
  }
}

const FD_PATH = '/proc/self/fd/';
