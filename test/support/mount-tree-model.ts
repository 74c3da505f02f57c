/** A tree of names as POSIX has it, with a volume that is mounted in it, small enough to be read: tests hold the table of the addon against it. */
import { constants } from 'node:os';
import type { NativeEntry, NativeStatus } from '../../daemon/adapters/mount/native-mount.ts';
import type { Operation } from '../../daemon/adapters/mount/operations.ts';

const { ENOENT, EEXIST, ENOTDIR, EISDIR, ENOTEMPTY, EPERM, EINVAL } = constants.errno;
const { EXDEV, EBUSY, EROFS, EACCES } = constants.errno;

export type Rights = 'write' | 'read' | 'none';

/** The volume that is mounted, the root of it, and the vnode of its mount point. */
export const MOUNTED = { volume: 2, root: '2.1.1', at: '1.9.9' };
const REFUSED: Readonly<Record<Rights, number | null>> = { write: null, read: EROFS, none: EACCES };

interface Vnode {
  readonly key: string;
  readonly kind: 'File' | 'Directory' | 'Symlink';
  readonly target: string;
  readonly volume: number;
  readonly names: Map<string, Vnode>;
  mode: number;
  links: number;
}

const vnode = (
  key: string,
  kind: Vnode['kind'],
  mode: number,
  volume: number,
  target = '',
): Vnode => ({ ...{ key, kind, mode, target, volume, links: 1, names: new Map() } });

const directory = (key: string, volume: number): Vnode => vnode(key, 'Directory', 0o755, volume);

/** A tree that operations are done to by path, as programs do, or by key, as the log has them. */
export class TreeModel {
  readonly #root = directory('1.1.1', 1);
  readonly #mounted = directory(MOUNTED.root, MOUNTED.volume);
  /** What is at the mount point while the volume may not be seen. */
  readonly #shut = directory(MOUNTED.at, 1);
  readonly #keys = new Map([
    ['1.1.1', this.#root],
    [MOUNTED.root, this.#mounted],
    [MOUNTED.at, this.#mounted],
  ]);
  #rights: Rights = 'write';
  #seq = 0;

  /** Mounts the volume at a name in the root. */
  constructor(name: string) {
    this.#root.names.set(name, this.#mounted);
  }

  get seq(): number {
    return this.#seq;
  }

  /** What this device may do in the volume that is mounted. */
  rights(rights: Rights): void {
    this.#rights = rights;
  }

  /** Gives a number of the system; 0: it is done. */
  do(op: string, args: readonly string[]): number {
    const [path = '', name = '', toPath = '', toName = ''] = args;
    const dir = this.#walk(path);
    if (typeof dir === 'number') return dir;
    const found = dir.names.get(name);
    switch (op) {
      case 'create':
        return this.#make(dir, name, (key) => vnode(key, 'File', 0o644, dir.volume));
      case 'mkdir':
        return this.#make(dir, name, (key) => directory(key, dir.volume));
      case 'symlink':
        return this.#make(dir, name, (key) => vnode(key, 'Symlink', 0o777, dir.volume, toPath));
      case 'remove':
        return this.#refused(dir) ?? refusedRemove(found) ?? this.#ended(dir, name);
      case 'rmdir':
        return this.#refused(dir) ?? this.#refusedRmdir(found) ?? this.#ended(dir, name);
      case 'chmod':
        return found === undefined ? ENOENT : this.#chmod(found, parseInt(toPath, 8));
      case 'link':
        return found === undefined ? ENOENT : this.#linked(found, toPath, toName);
      default:
        return this.#renamed(dir, name, toPath, toName);
    }
  }

  /** What the log says was done. */
  apply(op: Operation): void {
    const of = (key: string): Vnode => this.#keys.get(key) ?? vnode(key, 'File', 0, 0);
    switch (op.op) {
      case 'create':
        return this.#enter(op.dir, op.name, vnode(op.key, 'File', op.mode, 0));
      case 'mkdir':
        return this.#enter(op.dir, op.name, vnode(op.key, 'Directory', op.mode, 0));
      case 'symlink':
        return this.#enter(op.dir, op.name, vnode(op.key, 'Symlink', 0o777, 0, op.target));
      case 'link':
        of(op.dir).names.set(op.name, of(op.key));
        of(op.key).links += 1;
        return;
      case 'remove':
      case 'rmdir':
        return void drop(of(op.dir), op.name);
      case 'rename':
        if (op.key === MOUNTED.root) throw new Error('a mount point goes by its own vnode');
        drop(of(op.toDir), op.toName);
        of(op.dir).names.delete(op.name);
        of(op.toDir).names.set(op.toName, of(op.key));
        return;
      case 'setattr':
        of(op.key).mode = op.mode ?? of(op.key).mode;
        return;
      default:
        return;
    }
  }

  /** A line for each path, in their order. */
  dump(): string[] {
    const all: string[] = [];
    const look = (dir: Vnode, above: string): void => {
      for (const [name, each] of dir.names) {
        const shown = this.#at(each);
        const { kind, mode, key, target } = shown;
        const path = `${above}/${name}`;
        all.push(`${path} ${kind} ${mode.toString(8)} ${linksOf(shown)} ${key} ${target}`);
        look(shown, path);
      }
    };
    look(this.#root, '');
    return all.sort();
  }

  /** What the core would tell of a name in the root; null: nothing has it. */
  statusOf(name: string): NativeStatus | null {
    const found = this.#root.names.get(name);
    return found === undefined ? null : this.#status(found);
  }

  /** What the core would tell of the place where the volume is mounted: its directory, the name there, and what stands for it. */
  mountPoint(): { dir: string; name: string; status: NativeStatus } {
    for (const dir of directories(this.#root)) {
      for (const [name, each] of dir.names) {
        if (each === this.#mounted) return { dir: dir.key, name, status: this.#status(each) };
      }
    }
    throw new Error('the volume is mounted nowhere');
  }

  /** All directories of the volume that is mounted, from its root on, each with what is in it. */
  listings(): Array<readonly [dir: string, entries: NativeEntry[]]> {
    return [...directories(this.#mounted)].map(
      ({ key, names }) =>
        [key, [...names].map(([name, each]) => ({ name, status: this.#status(each) }))] as const,
    );
  }

  #status(found: Vnode): NativeStatus {
    const { key, kind, mode, links, target } = this.#at(found);
    const about = { key, kind: kind.toLowerCase(), mode, mtime: '1', size: target.length };
    const mount = found === this.#mounted ? { mount: MOUNTED.at } : {};
    return { ...about, version: 0, links, target, ...mount, xattrs: [] };
  }

  /** What is seen of it. */
  #at(found: Vnode): Vnode {
    return found === this.#mounted && this.#rights === 'none' ? this.#shut : found;
  }

  #walk(path: string): Vnode | number {
    let at = this.#root;
    for (const name of path.split('/').filter((each) => each !== '')) {
      if (at.kind !== 'Directory') return ENOTDIR;
      const next = at.names.get(name);
      if (next === undefined) return ENOENT;
      at = this.#at(next);
    }
    return at.kind === 'Directory' ? at : ENOTDIR;
  }

  /** Why nothing can be changed in it; null: it can. */
  #refused(dir: Vnode): number | null {
    if (dir === this.#shut) return EACCES;
    return dir.volume === MOUNTED.volume ? REFUSED[this.#rights] : null;
  }

  #chmod(given: Vnode, mode: number): number {
    const found = this.#at(given);
    const refused = this.#refused(found);
    if (refused !== null) return refused;
    found.mode = mode;
    this.#seq += 1;
    return 0;
  }

  #make(dir: Vnode, name: string, made: (key: string) => Vnode): number {
    const refused = this.#refused(dir);
    if (refused !== null) return refused;
    if (dir.names.has(name)) return EEXIST;
    this.#seq += 1;
    const fresh = made(`L${this.#seq}`);
    this.#keys.set(fresh.key, fresh);
    dir.names.set(name, fresh);
    return 0;
  }

  #enter(dir: string, name: string, made: Vnode): void {
    this.#keys.set(made.key, made);
    this.#keys.get(dir)?.names.set(name, made);
  }

  #ended(dir: Vnode, name: string): number {
    this.#seq += 1;
    drop(dir, name);
    return 0;
  }

  #linked(found: Vnode, toPath: string, toName: string): number {
    const to = this.#walk(toPath);
    if (typeof to === 'number') return to;
    const refused = this.#refused(to);
    if (refused !== null) return refused;
    if (to.names.has(toName)) return EEXIST;
    if (found.kind === 'Directory') return EPERM;
    if (found.volume !== to.volume) return EXDEV;
    this.#seq += 1;
    to.names.set(toName, found);
    found.links += 1;
    return 0;
  }

  #renamed(dir: Vnode, name: string, toPath: string, toName: string): number {
    const to = this.#walk(toPath);
    if (typeof to === 'number') return to;
    if (dir.volume !== to.volume) return EXDEV;
    const refused = this.#refused(dir);
    if (refused !== null) return refused;
    const moved = dir.names.get(name);
    if (moved === undefined) return ENOENT;
    const refusedThere = this.#refused(to);
    if (refusedThere !== null) return refusedThere;
    if (moved.kind === 'Directory' && isWithin(moved, to)) return EINVAL;
    const over = to.names.get(toName);
    if (over === moved) return 0;
    if (over !== undefined) {
      const refusedOver = this.#refusedOver(moved, over);
      if (refusedOver !== null) return refusedOver;
      drop(to, toName);
    }
    this.#seq += 1;
    dir.names.delete(name);
    to.names.set(toName, moved);
    return 0;
  }

  #refusedOver(moved: Vnode, over: Vnode): number | null {
    if (over === this.#mounted) return EBUSY;
    if (moved.kind === 'Directory' && over.kind !== 'Directory') return ENOTDIR;
    if (moved.kind !== 'Directory' && over.kind === 'Directory') return EISDIR;
    return over.names.size > 0 ? ENOTEMPTY : null;
  }

  #refusedRmdir(found: Vnode | undefined): number | null {
    if (found === undefined) return ENOENT;
    if (found === this.#mounted) return EBUSY;
    if (found.kind !== 'Directory') return ENOTDIR;
    return found.names.size > 0 ? ENOTEMPTY : null;
  }
}

function drop(dir: Vnode, name: string): void {
  const found = dir.names.get(name);
  if (found !== undefined) found.links -= 1;
  dir.names.delete(name);
}

/** Null: it may go. */
function refusedRemove(found: Vnode | undefined): number | null {
  if (found === undefined) return ENOENT;
  return found.kind === 'Directory' ? EISDIR : null;
}

function isWithin(above: Vnode, dir: Vnode): boolean {
  return above === dir || [...above.names.values()].some((each) => isWithin(each, dir));
}

function* directories(at: Vnode): Generator<Vnode> {
  if (at.kind !== 'Directory') return;
  yield at;
  for (const each of at.names.values()) yield* directories(each);
}

function linksOf({ kind, links, names }: Vnode): number {
  if (kind !== 'Directory') return links;
  return 2 + [...names.values()].filter((each) => each.kind === 'Directory').length;
}
