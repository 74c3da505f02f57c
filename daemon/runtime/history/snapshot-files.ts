/**
 * The file-system port as programs have it: with `.snapshots/NAME/` in the root of each volume. It is the same mechanism as `godwit ls --at`: folders as of
 * a commit (`PastDir`), and contents by the number of their version.
 *
 * Nothing in a snapshot changes, so what was listed once stays right (rule H3), and no promise is needed. The server looks at the rights of today with
 * each question (rule H4); what was listed before is shown as when the server is away. Vnodes of snapshots have fids of their own: with numbers that no server gives (the range of the root, rule I3).
 */
import { makeFid, parseFid, ROOT_VNODE, rootOf, volumeOf } from '../../../shared/model/fid.ts';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import {
  FOLDER_VNODE,
  isPast,
  isSnapshotsFolder as isFolder,
  NODE_VNODE,
  SNAPSHOTS_NAME,
} from '../../../shared/model/past-fid.ts';
import type { NamedSnapshot } from '../../../shared/model/snapshots.ts';
import {
  commitNumber,
  dataVersion,
  lacksContents,
  mtimeFromMs,
  type VnodeStatus,
} from '../../../shared/model/vnode.ts';
import type {
  Attributes,
  AttributeChange,
  ChangeOptions,
  Changed,
  FileSystem,
  Handle,
  MakeOptions,
  NamedAttributes,
  OpenFile,
  OpenHow,
  Place,
  RemoveOptions,
  RenameOptions,
} from '../../../shared/ports/file-system.ts';
import type { FileStore } from '../../../shared/ports/file-store.ts';
import type { History } from '../../../shared/ports/history.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { MAX_PAST_ITEMS, MOST_PAST_LISTINGS, MOST_PAST_NODES } from '../../limits.ts';
import type { CallBroker } from '../call-broker.ts';
import { CoreFileSystem } from '../core-file-system.ts';
import { refuseMore } from './past.ts';

const MOST_UNIQUIFIER = 0xffff_ffff;

/** One file or folder of a snapshot. */
interface PastNode {
  readonly attributes: Attributes;
  /** As the volume has or had it. */
  readonly status: VnodeStatus;
  readonly of: Shown;
}

/** What a snapshot shows: names and numbers of snapshots are used again (rule H3). */
type Shown = Pick<NamedSnapshot, 'at' | 'epoch'>;
type Listing = ReadonlyMap<string, NamedAttributes>;

/** As programs have it: names lead across mount points, and into snapshots. */
export function programFiles(
  broker: CallBroker,
  fileStore: FileStore,
  flush: FileSystem['flush'],
  history: History,
): SnapshotFiles {
  return new SnapshotFiles(new CoreFileSystem(broker, fileStore, flush, 'recorded', true), history);
}

/** The port over another one, with snapshots in it. */
export class SnapshotFiles implements FileSystem {
  readonly #fs: FileSystem;
  readonly #history: History;
  readonly #nodes = new Map<Fid, PastNode>();
  readonly #fids = new Map<string, Fid>();
  readonly #listings = new Map<Fid, Listing>();
  /** What is open of snapshots. */
  readonly #open = new Map<Handle, Attributes>();
  #lastNode = 0;

  constructor(fs: FileSystem, history: History) {
    this.#fs = fs;
    this.#history = history;
  }

  volumes(): ReturnType<FileSystem['volumes']> {
    return this.#fs.volumes();
  }

  async lookup(dir: Fid, name: string, onwards?: readonly string[]): Promise<Attributes> {
    if (isPast(dir)) {
      const found = (await this.#listing(dir)).get(name);
      if (found === undefined) throw new GodwitError('not-found', `${name} was not there then`);
      if (isFolder(dir) || this.#nodes.has(found.attributes.fid)) return found.attributes;
      // It was forgotten: all of the folder is named anew.
      this.#listings.delete(dir);
      const again = (await this.#listing(dir)).get(name);
      return again?.attributes ?? found.attributes;
    }
    if (name !== SNAPSHOTS_NAME || !isRoot(dir)) return this.#fs.lookup(dir, name, onwards);
    try {
      return await this.#fs.lookup(dir, name);
    } catch (error) {
      if (!(error instanceof GodwitError) || error.code !== 'not-found') throw error;
      // There is such a volume.
      await this.#fs.getattr(dir);
      return snapshotsFolder(volumeOf(dir));
    }
  }

  async getattr(fid: Fid): Promise<Attributes> {
    if (!isPast(fid)) return this.#fs.getattr(fid);
    return isFolder(fid) ? snapshotsFolder(volumeOf(fid)) : this.#node(fid).attributes;
  }

  async readdir(dir: Fid): Promise<NamedAttributes[]> {
    if (!isPast(dir)) return this.#fs.readdir(dir);
    return [...(await this.#listing(dir)).values()];
  }

  async #listing(dir: Fid): Promise<Listing> {
    if (isFolder(dir)) return byName(await this.#snapshots(volumeOf(dir)));
    const { status, of } = this.#node(dir);
    if (status.kind !== 'directory') {
      throw new GodwitError('not-a-directory', `${dir} is no folder`);
    }
    const known = this.#listings.get(dir);
    if (known !== undefined) return known;
    const entries = byName(await this.#entries(status.fid, of));
    this.#listings.set(dir, entries);
    forgetOldest(this.#listings, MOST_PAST_LISTINGS);
    return entries;
  }

  create(dir: Fid, name: string, options: MakeOptions): Promise<Attributes> {
    return this.#change([dir], () => this.#fs.create(dir, name, options));
  }

  createOpen(dir: Fid, name: string, options: MakeOptions): Promise<OpenFile> {
    return this.#change([dir], () => this.#fs.createOpen(dir, name, options));
  }

  mkdir(dir: Fid, name: string, options: MakeOptions): Promise<Attributes> {
    return this.#change([dir], () => this.#fs.mkdir(dir, name, options));
  }

  symlink(
    dir: Fid,
    name: string,
    target: string,
    options: Omit<MakeOptions, 'mode' | 'xattrs'>,
  ): Promise<Attributes> {
    return this.#change([dir], () => this.#fs.symlink(dir, name, target, options));
  }

  link(fid: Fid, place: Place, options?: ChangeOptions): Promise<Attributes> {
    return this.#change([fid, place.dir], () => this.#fs.link(fid, place, options));
  }

  remove(place: Place, options?: RemoveOptions): Promise<void> {
    return this.#change([place.dir], () => this.#fs.remove(place, options));
  }

  rmdir(place: Place, options?: RemoveOptions): Promise<void> {
    return this.#change([place.dir], () => this.#fs.rmdir(place, options));
  }

  rename(from: Place, to: Place, options?: RenameOptions): Promise<void> {
    return this.#change([from.dir, to.dir], () => this.#fs.rename(from, to, options));
  }

  setattr(fid: Fid, change: AttributeChange): Promise<Attributes> {
    return this.#change([fid], () => this.#fs.setattr(fid, change));
  }

  async open(fid: Fid, how: OpenHow): Promise<OpenFile> {
    if (!isPast(fid)) return this.#fs.open(fid, how);
    if (how.mode === 'write') throw unchangeable();
    const { attributes, status } = this.#node(fid);
    if (status.kind === 'directory') throw new GodwitError('is-a-directory', `${fid} is a folder`);
    const { digest, version } = status;
    if (lacksContents(status) || digest === null) {
      throw new GodwitError('no-contents', 'it had no contents then');
    }
    const from = { fid: status.fid, version, digest };
    const { handle, path } = await this.#fs.open(status.fid, { mode: 'read', from });
    this.#open.set(handle, attributes);
    return { handle, path, attributes };
  }

  async close(handle: Handle, changed: Changed | null): Promise<Attributes> {
    const closed = await this.#fs.close(handle, changed);
    const attributes = this.#open.get(handle);
    this.#open.delete(handle);
    return attributes ?? closed;
  }

  async abandon(handle: Handle): Promise<void> {
    await this.#fs.abandon(handle);
    this.#open.delete(handle);
  }

  flush(volume: VolumeId, timeoutMs: number | null): Promise<void> {
    return this.#fs.flush(volume, timeoutMs);
  }

  async #change<T>(fids: readonly Fid[], work: () => Promise<T>): Promise<T> {
    if (fids.some(isPast)) throw unchangeable();
    return work();
  }

  async #snapshots(volume: VolumeId): Promise<NamedAttributes[]> {
    const snapshots = await this.#history.snapshots(volume);
    const named = snapshots.map((each) => ({
      name: each.name,
      attributes: this.#put(rootAt(volume, each), each),
    }));
    return named.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** A folder as of a commit, whole. Rejects GodwitError `usage` where it is larger than is read at once. */
  async #entries(dir: Fid, of: Shown): Promise<NamedAttributes[]> {
    const found: NamedAttributes[] = [];
    for (let more = true; more && found.length < MAX_PAST_ITEMS;) {
      const page = await this.#history.directory(dir, of.at, found.at(-1)?.name ?? null);
      for (const { name, status } of page.entries) {
        found.push({ name, attributes: this.#put(status, of) });
      }
      more = page.more && page.entries.length > 0;
      refuseMore(found, more, 'this folder');
    }
    return found;
  }

  #node(fid: Fid): PastNode {
    const node = this.#nodes.get(fid);
    if (node !== undefined) return node;
    throw new GodwitError('not-found', `${fid} is unknown`);
  }

  /** The same vnode of the same snapshot has the same fid, as long as it is remembered. */
  #put(status: VnodeStatus, of: Shown): Attributes {
    const key = `${of.epoch}/${of.at}/${status.fid}`;
    const known = this.#nodes.get(this.#fids.get(key) ?? status.fid);
    if (known !== undefined) return known.attributes;
    this.#lastNode = (this.#lastNode % MOST_UNIQUIFIER) + 1;
    const fid = makeFid(volumeOf(status.fid), NODE_VNODE, this.#lastNode);
    const attributes: Attributes = { ...status, fid, cached: false, sync: 'committed' };
    this.#nodes.set(fid, { attributes, status, of });
    this.#fids.set(key, fid);
    forgetOldest(this.#nodes, MOST_PAST_NODES);
    forgetOldest(this.#fids, MOST_PAST_NODES);
    return attributes;
  }
}

const byName = (entries: readonly NamedAttributes[]): Listing =>
  new Map(entries.map((entry) => [entry.name, entry]));

const isRoot = (fid: Fid): boolean => parseFid(fid)?.vnode === ROOT_VNODE;

const unchangeable = (): GodwitError =>
  new GodwitError('no-right', 'a snapshot can not be changed', 'copy it to another place first');

/** A folder of which only the fid, and perhaps the time, is known. */
function folderStatus(fid: Fid, when: number): VnodeStatus {
  return {
    fid,
    kind: 'directory',
    mode: 0o555,
    mtime: mtimeFromMs(when),
    size: 0,
    version: dataVersion(0),
    commit: commitNumber(0),
    digest: null,
    target: null,
    links: 1,
    xattrs: [],
  };
}

/** As of the time at which the snapshot was made. */
const rootAt = (volume: VolumeId, { made }: NamedSnapshot): VnodeStatus =>
  folderStatus(rootOf(volume), made);

function snapshotsFolder(volume: VolumeId): Attributes {
  const fid = makeFid(volume, FOLDER_VNODE, 1);
  return { ...folderStatus(fid, 0), cached: false, sync: 'committed' };
}

function forgetOldest<K>(map: Map<K, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
