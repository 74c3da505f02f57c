/**
 * A file-system port that is all in memory, with contents in a folder: for tests of what stands in front of the port.
 * It counts handles, and `hold` keeps an `open` waiting.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VolumeInfo } from '../../shared/model/change.ts';
import { makeFid, rootOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import { compareNames, nameFault } from '../../shared/model/names.ts';
import {
  commitNumber,
  dataVersion,
  mtimeOf,
  type DataVersion,
  type Digest,
  type Mtime,
  type VnodeKind,
} from '../../shared/model/vnode.ts';
import type {
  Attributes,
  Changed,
  FileSystem,
  Handle,
  MakeOptions,
  NamedAttributes,
  OpenFile,
  Place,
} from '../../shared/ports/file-system.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';

const VOLUME = 1 as VolumeId;

interface Node {
  attributes: Attributes;
  readonly entries: Map<string, Fid>;
}

export class FakeFileSystem implements FileSystem {
  readonly handles = new Map<Handle, { fid: Fid; path: string; writes: boolean }>();
  /** While set, `open` waits for it. */
  hold: Promise<void> | null = null;
  readonly #folder: string;
  readonly #nodes = new Map<Fid, Node>();
  #next = 2;
  #handle = 1;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    this.#add(rootOf(VOLUME), 'directory', 0o755, mtimeOf(0n), null);
  }

  volumes(): Promise<VolumeInfo[]> {
    const root = rootOf(VOLUME);
    return Promise.resolve([
      { id: VOLUME, name: 'home', root, rights: 'write', head: commitNumber(1) },
    ]);
  }

  async lookup(dir: Fid, name: string): Promise<Attributes> {
    const fid = this.#directory(dir).entries.get(name);
    if (fid === undefined) throw new GodwitError('not-found');
    return this.getattr(fid);
  }

  async getattr(fid: Fid): Promise<Attributes> {
    await Promise.resolve();
    return this.#node(fid).attributes;
  }

  async readdir(dir: Fid): Promise<NamedAttributes[]> {
    await Promise.resolve();
    return [...this.#directory(dir).entries]
      .sort(([a], [b]) => compareNames(a, b))
      .map(([name, fid]) => ({ name, attributes: this.#node(fid).attributes }));
  }

  create(dir: Fid, name: string, options: MakeOptions): Promise<Attributes> {
    return this.#make(dir, name, 'file', options.mode, options.mtime, null);
  }
  mkdir(dir: Fid, name: string, options: MakeOptions): Promise<Attributes> {
    return this.#make(dir, name, 'directory', options.mode, options.mtime, null);
  }
  symlink(
    dir: Fid,
    name: string,
    target: string,
    options: { readonly mtime?: Mtime },
  ): Promise<Attributes> {
    return this.#make(dir, name, 'symlink', 0o777, options.mtime, target);
  }

  async link(fid: Fid, place: Place): Promise<Attributes> {
    await Promise.resolve();
    const entries = this.#free(place.dir, place.name);
    const node = this.#node(fid);
    node.attributes = { ...node.attributes, links: node.attributes.links + 1 };
    entries.set(place.name, fid);
    return node.attributes;
  }

  async remove(place: Place): Promise<void> {
    await this.lookup(place.dir, place.name);
    this.#directory(place.dir).entries.delete(place.name);
  }

  async rmdir(place: Place): Promise<void> {
    const { fid } = await this.lookup(place.dir, place.name);
    if (this.#directory(fid).entries.size > 0) throw new GodwitError('not-empty');
    this.#directory(place.dir).entries.delete(place.name);
  }

  async rename(from: Place, to: Place): Promise<void> {
    const { fid } = await this.lookup(from.dir, from.name);
    this.#directory(from.dir).entries.delete(from.name);
    this.#directory(to.dir).entries.set(to.name, fid);
  }

  async setattr(fid: Fid, change: Parameters<FileSystem['setattr']>[1]): Promise<Attributes> {
    await Promise.resolve();
    const node = this.#node(fid);
    node.attributes = { ...node.attributes, ...change };
    return node.attributes;
  }

  async open(fid: Fid, how: Parameters<FileSystem['open']>[1]): Promise<OpenFile> {
    if (this.hold !== null) await this.hold;
    const { attributes } = this.#node(fid);
    if (attributes.kind !== 'file') throw new GodwitError('is-a-directory');
    const writes = how.mode === 'write';
    if (!writes && attributes.digest === null) throw new GodwitError('no-contents');
    const handle = this.#handle++;
    const path = writes ? join(this.#folder, `private-${handle}`) : this.#contentOf(fid);
    if (writes && how.bare !== true) {
      writeFileSync(path, '');
      if (!how.truncate && existsSync(this.#contentOf(fid))) {
        copyFileSync(this.#contentOf(fid), path);
      }
    }
    this.handles.set(handle, { fid, path, writes });
    return { handle, path, attributes };
  }

  async close(handle: Handle, changed: Changed | null): Promise<Attributes> {
    await Promise.resolve();
    const { fid, path, writes } = this.#take(handle);
    const node = this.#node(fid);
    if (writes && changed !== null) {
      const contents = changed.bytes ?? readFileSync(path);
      writeFileSync(this.#contentOf(fid), contents);
      const { version, mtime } = node.attributes;
      node.attributes = {
        ...node.attributes,
        size: contents.length,
        digest: 'a'.repeat(64) as Digest,
        version: (version + 1) as DataVersion,
        mtime: changed.mtime ?? mtime,
      };
    }
    if (writes) rmSync(path, { force: changed?.bytes !== undefined });
    return node.attributes;
  }

  async abandon(handle: Handle): Promise<void> {
    await Promise.resolve();
    const { path, writes } = this.#take(handle);
    if (writes) rmSync(path, { force: true });
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  async #make(
    dir: Fid,
    name: string,
    kind: VnodeKind,
    mode: number,
    mtime: Mtime | undefined,
    target: string | null,
  ): Promise<Attributes> {
    await Promise.resolve();
    const entries = this.#free(dir, name);
    const fid = makeFid(VOLUME, this.#next++, 1);
    const made = this.#add(fid, kind, mode, mtime ?? mtimeOf(1n), target);
    entries.set(name, fid);
    return made;
  }

  #add(fid: Fid, kind: VnodeKind, mode: number, mtime: Mtime, target: string | null): Attributes {
    const attributes: Attributes = {
      fid,
      kind,
      mode,
      mtime,
      size: target === null ? 0 : Buffer.byteLength(target),
      version: dataVersion(0),
      commit: commitNumber(0),
      digest: null,
      target,
      links: 1,
      xattrs: [],
      cached: true,
      sync: 'queued',
    };
    this.#nodes.set(fid, { attributes, entries: new Map() });
    return attributes;
  }

  #contentOf(fid: Fid): string {
    return join(this.#folder, fid);
  }

  #node(fid: Fid): Node {
    const node = this.#nodes.get(fid);
    if (node === undefined) throw new GodwitError('not-found');
    return node;
  }

  #directory(fid: Fid): Node {
    const node = this.#node(fid);
    if (node.attributes.kind !== 'directory') throw new GodwitError('not-a-directory');
    return node;
  }

  #free(dir: Fid, name: string): Map<string, Fid> {
    const fault = nameFault(name);
    if (fault !== null) throw new GodwitError('bad-name', fault);
    const { entries } = this.#directory(dir);
    if (entries.has(name)) throw new GodwitError('exists');
    return entries;
  }

  #take(handle: Handle): { fid: Fid; path: string; writes: boolean } {
    const found = this.handles.get(handle);
    if (found === undefined) throw new GodwitError('bad-handle');
    this.handles.delete(handle);
    return found;
  }
}
