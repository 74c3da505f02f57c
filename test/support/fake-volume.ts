/**
 * A volume for tests of front ends: a small server and a client before it, in memory, with the semantics of the file-system
 * and feed ports. What lies beneath is in fake-queue.ts, the other device in fake-other-device.ts.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VolumeInfo } from '../../shared/model/change.ts';
import { rootOf, type Fid } from '../../shared/model/fid.ts';
import { compareNames } from '../../shared/model/names.ts';
import type { Update } from '../../shared/model/update.ts';
import {
  dataVersion,
  mtimeFromMs,
  type DataVersion,
  type VnodeStatus,
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
  RemoveOptions,
  RenameOptions,
} from '../../shared/ports/file-system.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import {
  directoryIn,
  entryIn,
  mustBeFree,
  mustBeName,
  mustBeNoDirectory,
  removable,
  renamable,
  statusIn,
} from './fake-checks.ts';
import { FakeFeed } from './fake-feed.ts';
import { VOLUME, type Queued } from './fake-queue.ts';
import { FakeTree } from './fake-tree.ts';

interface Opened {
  readonly fid: Fid;
  readonly path: string;
  /** The version that a write is based on, or null for a read. */
  base: DataVersion | null;
  readonly observed: boolean;
  readonly bare: boolean;
}

type OpenHow = Parameters<FileSystem['open']>[1];

/** The volume behind a front end under test. */
export class FakeVolume extends FakeFeed implements FileSystem {
  /** Called before a directory is read. */
  onRead: (dir: Fid) => Promise<void> | void = () => undefined;
  /** Called before a file is opened. */
  onOpen: () => Promise<void> | void = () => undefined;
  readonly handles = new Map<Handle, Opened>();
  /** Digests of contents that are cached here. */
  readonly #had = new Set<string>();
  #frontEnd: Pick<ReplicaFrontEnd, 'reached'> | null = null;

  /** Makes flushes wait for this front end, as the daemon does. */
  attach(frontEnd: Pick<ReplicaFrontEnd, 'reached'> | null): void {
    this.#frontEnd = frontEnd;
  }

  volumes(): Promise<VolumeInfo[]> {
    return Promise.resolve([this.info]);
  }

  async lookup(dir: Fid, name: string): Promise<Attributes> {
    await Promise.resolve();
    return this.#attributes(entryIn(this.view, { dir, name }));
  }

  async getattr(fid: Fid): Promise<Attributes> {
    await Promise.resolve();
    return this.#attributes(statusIn(this.view, fid));
  }

  async readdir(dir: Fid): Promise<NamedAttributes[]> {
    await this.onRead(dir);
    const found = [...directoryIn(this.view, dir).entries].flatMap(([name, fid]) => {
      const status = this.view.get(fid);
      return status === null ? [] : [{ name, attributes: this.#attributes(status) }];
    });
    return found.sort((a, b) => compareNames(a.name, b.name));
  }

  create(dir: Fid, name: string, options: MakeOptions): Promise<Attributes> {
    return this.#make('create', dir, name, options);
  }

  async createOpen(dir: Fid, name: string, options: MakeOptions): Promise<OpenFile> {
    const { fid } = await this.#make('create', dir, name, options);
    return this.open(fid, { mode: 'write', truncate: true });
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
    const { mtime = mtimeFromMs(Date.now()), at = mtime, observed = false } = options;
    this.#mayEnter({ dir, name }, observed);
    const fid = this.takeFid();
    this.log(
      { op: 'symlink', fid, dir, name, target, mtime, at },
      `symlink ${this.#path({ dir, name })}`,
      options.note,
    );
    return this.#made(fid);
  }

  async link(fid: Fid, place: Place, options: ChangeOptions = {}): Promise<Attributes> {
    const { at = mtimeFromMs(Date.now()), observed } = options;
    this.#mayEnter(place, observed !== undefined);
    if (observed === undefined) mustBeNoDirectory(statusIn(this.view, fid));
    this.log({ op: 'link', fid, ...place, at }, `link ${this.#path(place)}`, options.note);
    return this.getattr(fid);
  }

  async remove(place: Place, options: RemoveOptions = {}): Promise<void> {
    const { at = mtimeFromMs(Date.now()) } = options;
    const { fid, base } = this.#removed('remove', place, options);
    const told = `remove ${this.#path(place)}`;
    this.log({ op: 'remove', fid, ...place, base, at }, told, options.note);
    await Promise.resolve();
  }

  async rmdir(place: Place, options: ChangeOptions = {}): Promise<void> {
    const { at = mtimeFromMs(Date.now()) } = options;
    const { fid } = this.#removed('rmdir', place, options);
    this.log({ op: 'rmdir', fid, ...place, at }, `rmdir ${this.#path(place)}`, options.note);
    await Promise.resolve();
  }

  async rename(from: Place, to: Place, options: RenameOptions = {}): Promise<void> {
    const { at = mtimeFromMs(Date.now()), observed, moved } = options;
    await Promise.resolve();
    const isObserved = moved !== undefined || observed !== undefined;
    const seen = moved ?? this.view.at(from.dir, from.name);
    if (isObserved && seen === null) throw new GodwitError('not-found', from.name);
    const renamed =
      isObserved && seen !== null
        ? { fid: seen, over: observed ?? null }
        : renamable(this.view, from, to, options);
    if (renamed === null) return;
    const told = `rename ${this.#path(from)} -> ${this.#path(to)}`;
    const places = { fromDir: from.dir, fromName: from.name, toDir: to.dir, toName: to.name };
    this.log({ op: 'rename', ...renamed, ...places, at }, told, options.note);
  }

  async setattr(fid: Fid, change: Parameters<FileSystem['setattr']>[1]): Promise<Attributes> {
    const { mode = null, mtime = null, xattrs = null } = change;
    statusIn(this.view, fid);
    const { note, ...attributes } = change;
    const told = `setattr ${this.pathOf(fid)} ${Object.keys(attributes).join(' ')}`;
    this.log({ op: 'setattr', fid, mode, mtime, xattrs }, told, note);
    return this.getattr(fid);
  }

  async open(fid: Fid, how: OpenHow): Promise<OpenFile> {
    await this.onOpen();
    const observed = how.mode === 'write' && how.base !== undefined;
    const status = (observed ? this.view.get(fid) : statusIn(this.view, fid)) ?? unknownStatus(fid);
    mustBeNoDirectory(status);
    if (status.kind !== 'file') throw new GodwitError('no-contents', fid);
    const handle = this.nextFile();
    const path = join(this.dir, `handle-${handle}`);
    const bare = how.mode === 'write' && how.bare === true;
    if (!bare) writeFileSync(path, this.#begunWith(status, how));
    const base = how.mode === 'write' ? (how.base ?? status.version) : null;
    this.handles.set(handle, { fid, path, base, observed, bare });
    return { handle, path, attributes: this.#attributes(status) };
  }

  async close(handle: Handle, changed: Changed | null): Promise<Attributes> {
    const open = this.#opened(handle);
    const { fid, path, base } = open;
    if (changed === null || base === null) {
      if (changed !== null) throw new GodwitError('bad-handle', 'it was opened to read');
      this.#drop(handle);
      return this.getattr(fid);
    }
    if (changed.bytes !== undefined && !open.bare) throw new GodwitError('bad-handle', 'not bare');
    if (changed.bytes === undefined && !existsSync(path)) throw new GodwitError('not-found', path);
    const bytes = Buffer.from(changed.bytes ?? readFileSync(path));
    this.#drop(handle);
    const digest = await this.keep(bytes);
    this.#had.add(digest);
    if (changed.digest !== undefined && changed.digest !== digest) throw new Error('wrong digest');
    const mtime = changed.mtime ?? mtimeFromMs(Date.now());
    this.log(
      { op: 'store', fid, base, size: bytes.length, digest, mtime },
      `store ${this.pathOf(fid)}`,
      changed.note,
    );
    const version = dataVersion(base + 1);
    for (const other of this.handles.values()) {
      if (!other.observed && other.fid === fid && other.base === base) other.base = version;
    }
    return { ...this.#attributes(this.view.get(fid) ?? unknownStatus(fid)), version };
  }

  async abandon(handle: Handle): Promise<void> {
    this.#opened(handle);
    this.#drop(handle);
    await Promise.resolve();
  }

  async flush(_volume = VOLUME, timeoutMs: number | null = null): Promise<void> {
    const signal = timeoutMs === null ? null : AbortSignal.timeout(timeoutMs);
    const isDone = (): boolean => this.connected && this.queue.every(({ aside }) => aside);
    await this.until(isDone, signal).catch(() => {
      throw new GodwitError('timed-out');
    });
    if (this.queue.length > 0) throw new GodwitError('sync-blocked');
    await this.#frontEnd?.reached(this.head, 'says');
  }

  /** Whether the contents are cached. */
  has({ digest }: VnodeStatus): boolean {
    return this.#had.has(digest ?? '');
  }

  isOpen(fid: Fid): boolean {
    return [...this.handles.values()].some((open) => open.fid === fid);
  }

  evict({ digest }: VnodeStatus): void {
    this.#had.delete(digest ?? '');
  }

  /** Caches the contents. Throws `not-connected` and `no-contents`. */
  bring({ fid, digest }: VnodeStatus): void {
    if (digest === null) throw new GodwitError('no-contents', fid);
    if (!this.connected) throw new GodwitError('not-connected', fid);
    this.#had.add(digest);
  }

  #opened(handle: Handle): Opened {
    const open = this.handles.get(handle);
    if (open === undefined) throw new GodwitError('bad-handle', String(handle));
    return open;
  }

  #drop(handle: Handle): void {
    rmSync(this.#opened(handle).path, { force: true });
    this.handles.delete(handle);
  }

  /** The initial contents of a file that is opened. */
  #begunWith(status: VnodeStatus, how: OpenHow): Buffer {
    const { fid, digest } = status;
    if (how.mode === 'write' && how.truncate) return Buffer.alloc(0);
    const from = how.mode === 'write' ? how.from : undefined;
    if (from !== undefined) {
      const older = this.contents.get(from.digest);
      if (older === undefined) throw new GodwitError('version-gone');
      return older;
    }
    if (digest === null) {
      if (how.mode === 'read' && !this.pendingVnode(fid)) throw new GodwitError('no-contents', fid);
      return Buffer.alloc(0);
    }
    if (!this.has(status)) this.bring(status);
    return this.contents.get(digest) ?? Buffer.alloc(0);
  }

  #removed(
    op: 'remove' | 'rmdir',
    place: Place,
    options: RemoveOptions,
  ): { readonly fid: Fid; readonly base: DataVersion } {
    const { observed = null } = options;
    if (observed !== null) return observed;
    const { fid, version: base } = removable(this.view, op, place, options);
    return { fid, base };
  }

  #mayEnter(place: Place, observed: boolean): void {
    if (observed) mustBeName(place.name);
    else mustBeFree(this.view, place);
  }

  async #make(op: 'create' | 'mkdir', dir: Fid, name: string, options: MakeOptions) {
    const { mode, mtime = mtimeFromMs(Date.now()), at = mtime, xattrs = [] } = options;
    this.#mayEnter({ dir, name }, options.observed === true);
    const fid = this.takeFid();
    const told = `${op} ${this.#path({ dir, name })}`;
    this.log({ op, fid, dir, name, mode, mtime, xattrs, at }, told, options.note);
    return this.#made(fid);
  }

  /** The attributes as logged, although the view may have another file there, about which the server decides. */
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
    const cached = (this.#frontEnd === null && this.has(status)) || this.hasContents(status);
    const pinned = this.isPinned(status.fid) ? ({ pinned: true } as const) : {};
    const excluded = this.isExcluded(status.fid) ? ({ excluded: true } as const) : {};
    return { ...status, cached, sync: isQueued ? 'queued' : 'committed', ...pinned, ...excluded };
  }

  #path({ dir, name }: Place): string {
    const above = this.pathOf(dir);
    return above === '' ? name : `${above}/${name}`;
  }

  /** The path of a vnode from the root. */
  pathOf(fid: Fid): string {
    if (fid === this.view.root) return '';
    const [place] = this.view.names(fid);
    return place === undefined ? '?' : this.#path(place);
  }
}

/** A status for a vnode that the view no longer has, since observed calls are never refused. */
function unknownStatus(fid: Fid): VnodeStatus {
  const shadow = new FakeTree(fid);
  return { ...shadow.nodes.get(fid)?.status, kind: 'file' } as VnodeStatus;
}
