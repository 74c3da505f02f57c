/**
 * A volume for tests of front ends: a small server and a client before it, in memory, with the semantics of the file-system
 * and feed ports. What lies beneath is in fake-queue.ts, the other device in fake-other-device.ts.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VolumeInfo } from '../../shared/model/change.ts';
import { rootOf, type Fid } from '../../shared/model/fid.ts';
import { compareNames } from '../../shared/model/names.ts';
import type { Update } from '../../shared/model/update.ts';
import {
  dataVersion,
  mtimeFromMs,
  type DataVersion,
  type Mtime,
  type VnodeStatus,
  type Xattr,
} from '../../shared/model/vnode.ts';
import type { ReplicaFrontEnd } from '../../shared/ports/feed.ts';
import type {
  Attributes,
  Changed,
  ChangeOptions,
  FileSystem,
  Handle,
  MakeOptions,
  NamedAttributes,
  OpenFile,
  Place,
} from '../../shared/ports/file-system.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { FakeFeed } from './fake-feed.ts';
import { VOLUME, type Queued } from './fake-queue.ts';
import { FakeTree } from './fake-tree.ts';

export class FakeVolume extends FakeFeed implements FileSystem {
  /** Called before a directory is read. */
  onRead: (dir: Fid) => Promise<void> | void = () => undefined;
  readonly #handles = new Map<Handle, { fid: Fid; path: string; base: DataVersion | null }>();
  #frontEnd: Pick<ReplicaFrontEnd, 'reached'> | null = null;

  /** As the daemon does: who flushes waits for the front end, too. */
  attach(frontEnd: Pick<ReplicaFrontEnd, 'reached'> | null): void {
    this.#frontEnd = frontEnd;
  }

  volumes(): Promise<VolumeInfo[]> {
    return Promise.resolve([this.info]);
  }

  lookup(dir: Fid, name: string): Promise<Attributes> {
    const fid = this.view.at(dir, name);
    return fid === null ? refuse('not-found', `no ${name}`) : this.getattr(fid);
  }

  getattr(fid: Fid): Promise<Attributes> {
    const status = this.view.get(fid);
    return status === null
      ? refuse('not-found', `no ${fid}`)
      : Promise.resolve(this.#attributes(status));
  }

  async readdir(dir: Fid): Promise<NamedAttributes[]> {
    await this.onRead(dir);
    const entries = [...(this.view.nodes.get(dir)?.entries ?? [])];
    const found = entries.flatMap(([name, fid]) => {
      const status = this.view.get(fid);
      return status === null ? [] : [{ name, attributes: this.#attributes(status) }];
    });
    return found.sort((a, b) => compareNames(a.name, b.name));
  }

  create(dir: Fid, name: string, options: MakeOptions): Promise<Attributes> {
    return this.#make('create', dir, name, options);
  }

  mkdir(dir: Fid, name: string, options: MakeOptions): Promise<Attributes> {
    return this.#make('mkdir', dir, name, options);
  }

  async symlink(
    dir: Fid,
    name: string,
    target: string,
    options: Omit<MakeOptions, 'mode' | 'xattrs'>,
  ) {
    const { mtime = mtimeFromMs(Date.now()), at = mtime } = options;
    const fid = this.takeFid();
    this.log(
      { op: 'symlink', fid, dir, name, target, mtime, at },
      `symlink ${this.#path({ dir, name })}`,
    );
    return this.#made(fid);
  }

  link(fid: Fid, place: Place, options: ChangeOptions = {}): Promise<Attributes> {
    const { at = mtimeFromMs(Date.now()) } = options;
    this.log({ op: 'link', fid, ...place, at }, `link ${this.#path(place)}`);
    return this.getattr(fid);
  }

  async remove(place: Place, options: ChangeOptions = {}): Promise<void> {
    const { at = mtimeFromMs(Date.now()), observed } = options;
    const fid = observed?.fid ?? this.view.at(place.dir, place.name);
    if (fid === null) return refuse('not-found', place.name);
    const base = observed?.base ?? this.view.get(fid)?.version ?? dataVersion(0);
    this.log({ op: 'remove', fid, ...place, base, at }, `remove ${this.#path(place)}`);
  }

  async rmdir(place: Place, options: ChangeOptions = {}): Promise<void> {
    const { at = mtimeFromMs(Date.now()), observed } = options;
    const fid = observed?.fid ?? this.view.at(place.dir, place.name);
    if (fid === null) return refuse('not-found', place.name);
    this.log({ op: 'rmdir', fid, ...place, at }, `rmdir ${this.#path(place)}`);
  }

  async rename(
    from: Place,
    to: Place,
    options: ChangeOptions & { moved?: Fid } = {},
  ): Promise<void> {
    const { at = mtimeFromMs(Date.now()), observed, moved } = options;
    const fid = moved ?? this.view.at(from.dir, from.name);
    if (fid === null) return refuse('not-found', from.name);
    const told = `rename ${this.#path(from)} -> ${this.#path(to)}`;
    const places = { fromDir: from.dir, fromName: from.name, toDir: to.dir, toName: to.name };
    this.log({ op: 'rename', fid, ...places, over: observed ?? null, at }, told);
  }

  setattr(fid: Fid, change: { mode?: number; mtime?: Mtime; xattrs?: readonly Xattr[] }) {
    const { mode = null, mtime = null, xattrs = null } = change;
    const told = `setattr ${this.#pathOf(fid)} ${Object.keys(change).join(' ')}`;
    this.log({ op: 'setattr', fid, mode, mtime, xattrs }, told);
    return this.getattr(fid);
  }

  async open(fid: Fid, how: Parameters<FileSystem['open']>[1]): Promise<OpenFile> {
    const isObserved = how.mode === 'write' && how.base !== undefined;
    const status = this.view.get(fid) ?? (isObserved ? unknownStatus(fid) : null);
    if (status === null) return refuse('not-found', fid);
    const handle = this.nextFile();
    const path = join(this.dir, `handle-${handle}`);
    const present = status.digest === null ? Buffer.alloc(0) : this.contents.get(status.digest);
    const isEmpty = how.mode === 'write' && how.truncate;
    if (how.mode === 'read' || how.bare !== true) {
      writeFileSync(path, isEmpty ? '' : (present ?? ''));
    }
    const base = how.mode === 'write' ? (how.base ?? status.version) : null;
    this.#handles.set(handle, { fid, path, base });
    return { handle, path, attributes: this.#attributes(status) };
  }

  async close(handle: Handle, changed: Changed | null) {
    const open = this.#handles.get(handle);
    if (open === undefined) return refuse('bad-handle', String(handle));
    this.#handles.delete(handle);
    const bytes = changed?.bytes ?? readFileSync(open.path);
    rmSync(open.path, { force: changed?.bytes !== undefined });
    if (changed === null || open.base === null) return this.getattr(open.fid);
    const digest = await this.keep(Buffer.from(bytes));
    if (changed.digest !== undefined && changed.digest !== digest) throw new Error('wrong digest');
    const mtime = changed.mtime ?? mtimeFromMs(Date.now());
    const { fid, base } = open;
    this.log(
      { op: 'store', fid, base, size: bytes.length, digest, mtime },
      `store ${this.#pathOf(fid)}`,
    );
    const status = this.view.get(fid) ?? unknownStatus(fid);
    return { ...this.#attributes(status), version: dataVersion(base + 1) };
  }

  async abandon(handle: Handle): Promise<void> {
    rmSync(this.#handles.get(handle)?.path ?? '', { force: true });
    this.#handles.delete(handle);
    await Promise.resolve();
  }

  async flush(): Promise<void> {
    await this.idle();
    await this.#frontEnd?.reached(this.head);
  }

  async #make(op: 'create' | 'mkdir', dir: Fid, name: string, options: MakeOptions) {
    const { mode, mtime = mtimeFromMs(Date.now()), at = mtime, xattrs = [] } = options;
    const fid = this.takeFid();
    this.log({ op, fid, dir, name, mode, mtime, xattrs, at }, `${op} ${this.#path({ dir, name })}`);
    return this.#made(fid);
  }

  /** As logged; the view may know of somebody else's file there, and the server will decide. */
  async #made(fid: Fid): Promise<Attributes> {
    const status = this.view.get(fid);
    if (status !== null) return Promise.resolve(this.#attributes(status));
    const { update } = this.queue.find((queued) => queued.update.fid === fid) as Queued;
    const shadow = new FakeTree(rootOf(VOLUME));
    shadow.apply({ ...update, dir: shadow.root } as Update, this.head);
    const made = shadow.get(fid) as VnodeStatus;
    this.view.nodes.set(fid, { status: made, entries: new Map(), names: [] });
    return this.#attributes(made);
  }

  #attributes(status: VnodeStatus): Attributes {
    const isQueued = this.pendingVnode(status.fid);
    const cached = this.hasContents(status);
    return { ...status, cached, sync: isQueued ? 'queued' : 'committed' };
  }

  #path({ dir, name }: Place): string {
    const above = this.#pathOf(dir);
    return above === '' ? name : `${above}/${name}`;
  }

  #pathOf(fid: Fid): string {
    if (fid === this.view.root) return '';
    const [place] = this.view.names(fid);
    return place === undefined ? '?' : this.#path(place);
  }
}

/** Observed calls are never refused: of a vnode that is gone from the view at least this can be said. */
function unknownStatus(fid: Fid): VnodeStatus {
  const shadow = new FakeTree(fid);
  return { ...shadow.nodes.get(fid)?.status, kind: 'file' } as VnodeStatus;
}

function refuse(code: 'not-found' | 'bad-handle', what: string): Promise<never> {
  return Promise.reject(new GodwitError(code, what));
}
