/** A tree of names as POSIX has it, small enough to be read: tests hold the table of the addon against it. */
import { constants } from 'node:os';
import type { NativeStatus } from '../../daemon/adapters/mount/native-mount.ts';
import type { Operation } from '../../daemon/adapters/mount/operations.ts';

const { ENOENT, EEXIST, ENOTDIR, EISDIR, ENOTEMPTY, EPERM, EINVAL } = constants.errno;

interface Vnode {
  readonly key: string;
  readonly kind: 'File' | 'Directory' | 'Symlink';
  readonly target: string;
  readonly names: Map<string, Vnode>;
  mode: number;
  links: number;
}

const vnode = (key: string, kind: Vnode['kind'], mode: number, target = ''): Vnode => ({
  ...{ key, kind, mode, target, links: 1, names: new Map() },
});

/** A tree that operations are done to by path, as programs do, or by key, as the log has them. */
export class TreeModel {
  readonly #root = vnode('1.1.1', 'Directory', 0o755);
  readonly #keys = new Map([['1.1.1', this.#root]]);
  #seq = 0;

  /** Gives a number of the system; 0: it is done. */
  do(op: string, args: readonly string[]): number {
    const [path = '', name = '', toPath = '', toName = ''] = args;
    const dir = this.#walk(path);
    if (typeof dir === 'number') return dir;
    const found = dir.names.get(name);
    switch (op) {
      case 'create':
        return this.#make(dir, name, (key) => vnode(key, 'File', 0o644));
      case 'mkdir':
        return this.#make(dir, name, (key) => vnode(key, 'Directory', 0o755));
      case 'symlink':
        return this.#make(dir, name, (key) => vnode(key, 'Symlink', 0o777, toPath));
      case 'remove':
        if (found === undefined) return ENOENT;
        return found.kind === 'Directory' ? EISDIR : this.#ended(dir, name);
      case 'rmdir':
        return found === undefined ? ENOENT : (refusedRmdir(found) ?? this.#ended(dir, name));
      case 'chmod':
        if (found === undefined) return ENOENT;
        found.mode = parseInt(toPath, 8);
        this.#seq += 1;
        return 0;
      case 'link':
        return found === undefined ? ENOENT : this.#linked(found, toPath, toName);
      default:
        return this.#renamed(dir, name, toPath, toName);
    }
  }

  /** What the log says was done. */
  apply(op: Operation): void {
    const of = (key: string): Vnode => this.#keys.get(key) ?? vnode(key, 'File', 0);
    switch (op.op) {
      case 'create':
        return this.#enter(op.dir, op.name, vnode(op.key, 'File', op.mode));
      case 'mkdir':
        return this.#enter(op.dir, op.name, vnode(op.key, 'Directory', op.mode));
      case 'symlink':
        return this.#enter(op.dir, op.name, vnode(op.key, 'Symlink', 0o777, op.target));
      case 'link':
        of(op.dir).names.set(op.name, of(op.key));
        of(op.key).links += 1;
        return;
      case 'remove':
      case 'rmdir':
        return void drop(of(op.dir), op.name);
      case 'rename':
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
        const { kind, mode, key, target } = each;
        const path = `${above}/${name}`;
        all.push(`${path} ${kind} ${mode.toString(8)} ${linksOf(each)} ${key} ${target}`);
        look(each, path);
      }
    };
    look(this.#root, '');
    return all.sort();
  }

  /** What the core would tell of a name in the root; null: nothing has it. */
  statusOf(name: string): NativeStatus | null {
    const found = this.#root.names.get(name);
    if (found === undefined) return null;
    const { key, kind, mode, links, target } = found;
    const about = { key, kind: kind.toLowerCase(), mode, mtime: '1', size: target.length };
    return { ...about, version: 0, links, target, xattrs: [] };
  }

  #walk(path: string): Vnode | number {
    let at = this.#root;
    for (const name of path.split('/').filter((each) => each !== '')) {
      if (at.kind !== 'Directory') return ENOTDIR;
      const next = at.names.get(name);
      if (next === undefined) return ENOENT;
      at = next;
    }
    return at.kind === 'Directory' ? at : ENOTDIR;
  }

  #make(dir: Vnode, name: string, made: (key: string) => Vnode): number {
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
    if (to.names.has(toName)) return EEXIST;
    if (found.kind === 'Directory') return EPERM;
    this.#seq += 1;
    to.names.set(toName, found);
    found.links += 1;
    return 0;
  }

  #renamed(dir: Vnode, name: string, toPath: string, toName: string): number {
    const to = this.#walk(toPath);
    if (typeof to === 'number') return to;
    const moved = dir.names.get(name);
    if (moved === undefined) return ENOENT;
    if (moved.kind === 'Directory' && isWithin(moved, to)) return EINVAL;
    const over = to.names.get(toName);
    if (over === moved) return 0;
    if (over !== undefined) {
      if (moved.kind === 'Directory' && over.kind !== 'Directory') return ENOTDIR;
      if (moved.kind !== 'Directory' && over.kind === 'Directory') return EISDIR;
      if (over.names.size > 0) return ENOTEMPTY;
      drop(to, toName);
    }
    this.#seq += 1;
    dir.names.delete(name);
    to.names.set(toName, moved);
    return 0;
  }
}

function drop(dir: Vnode, name: string): void {
  const found = dir.names.get(name);
  if (found !== undefined) found.links -= 1;
  dir.names.delete(name);
}

/** Null: it may go. */
function refusedRmdir(found: Vnode): number | null {
  if (found.kind !== 'Directory') return ENOTDIR;
  return found.names.size > 0 ? ENOTEMPTY : null;
}

function isWithin(above: Vnode, dir: Vnode): boolean {
  return above === dir || [...above.names.values()].some((each) => isWithin(each, dir));
}

function linksOf({ kind, links, names }: Vnode): number {
  if (kind !== 'Directory') return links;
  return 2 + [...names.values()].filter((each) => each.kind === 'Directory').length;
}
