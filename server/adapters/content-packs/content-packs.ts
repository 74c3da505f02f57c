/**
 * The ContentStore of the server: small contents lie in packs, large ones are files of their own (rule D1).
 *
 * A small content that is a file of its own (every one was, once) goes on being found; put again, it goes to the packs. Where both
 * are, the pack counts.
 */
import { join } from 'node:path';
import type { Digest } from '../../../shared/model/vnode.ts';
import type { ContentStore, Located } from '../../../shared/ports/content-store.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { databaseError } from '../../../shared/sqlite/database.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { MAX_SMALL_PUTS, SMALL_CONTENT } from '../../limits.ts';
import { DiskContentStore } from '../content-disk/content-disk.ts';
import { nodeContentFiles, type ContentFiles } from '../content-disk/content-files.ts';
import { compactPack } from './compact-pack.ts';
import { DigestLocks } from './digest-locks.ts';
import { nodePackFiles, type PackFiles } from './pack-files.ts';
import { PackIndex, type IndexedPack, type Place } from './pack-index.ts';
import { markBytes, packPath } from './pack-name.ts';
import { PackWriter } from './pack-writer.ts';
import { contentIn, HEADER_BYTES, NO_BYTES } from './record.ts';
import { recoverPacks } from './recover-packs.ts';
import { Semaphore } from '../../../shared/concurrency/semaphore.ts';
import { YoungContents } from './young-contents.ts';

export interface PackOptions {
  readonly log: Log;
  /** Wall time in milliseconds: kept with each content, for who collects them. */
  readonly wall: () => number;
  /** For tests that watch the disk, or want small packs. */
  readonly files?: PackFiles;
  readonly looseFiles?: ContentFiles;
  readonly packBytes?: number;
  readonly smallBytes?: number;
  /** Rebuilds the index from the packs, even if it seems intact. */
  readonly rebuild?: boolean;
  /** What keeps room for metadata and for collection: while there is no other room, nothing is put. */
  readonly room?: ReservedSpace;
}

export interface ReservedSpace {
  /** False: what is left is not for contents. */
  readonly isForContents: () => boolean;
  /** A put has met the end of the disk. */
  readonly isUsedUp: () => void;
}

export interface StoredContent {
  readonly digest: Digest;
  readonly length: number;
  /** When it was put, in milliseconds since 1970. */
  readonly when: number;
  readonly isPacked: boolean;
}

export interface Compaction {
  /** Packs that are gone from among the others. */
  readonly packs: number;
  /** Bytes of the disk that came free. */
  readonly bytes: number;
  /** Packs that were put aside, since something in them is damaged. */
  readonly aside: number;
  /** The disk had no room to go on. */
  readonly isCutShort: boolean;
}

/** An hour: a row of the index for each put of something old, not for each put. */
const RENEW_AFTER_MS = 3_600_000;

export const indexFile = (folder: string): string => join(folder, 'contents.db');

/** Stores small contents in packs and large ones in files, behind the content-store port. */
export class PackedContentStore implements ContentStore {
  readonly #folder: string;
  readonly #files: PackFiles;
  readonly #loose: DiskContentStore;
  readonly #index: PackIndex;
  readonly #writer: PackWriter;
  readonly #wall: () => number;
  readonly #smallBytes: number;
  readonly #room: ReservedSpace | null;
  readonly #smallPuts = new Semaphore(MAX_SMALL_PUTS);
  /** A file of its own is replaced, or removed, not both at a time. */
  readonly #locks = new DigestLocks();
  readonly #young = new YoungContents();

  /**
   * Recovers from an interruption (recover-packs.ts). `folder` exists, on the same file system as the spool, and no other process writes to its packs. Rejects GodwitError
   * `newer-database`, or as the disk does.
   */
  static async open(folder: string, options: PackOptions): Promise<PackedContentStore> {
    const file = indexFile(folder);
    const damaged = (): void =>
      options.log.warn('the index of the packs is damaged: it is made again', {});
    try {
      return await PackedContentStore.#openWith(folder, options, PackIndex.open(file, damaged));
    } catch (error) {
      const cause = databaseError(error, file);
      if (!(cause instanceof GodwitError) || cause.code !== 'damaged-database') throw error;
      // SQLite finds a damaged page when it first needs it.
      damaged();
      PackIndex.drop(file);
      return PackedContentStore.#openWith(folder, options, PackIndex.open(file, null));
    }
  }

  static async #openWith(
    folder: string,
    options: PackOptions,
    index: PackIndex,
  ): Promise<PackedContentStore> {
    const { log, files = nodePackFiles, packBytes } = options;
    try {
      if (options.rebuild === true) index.clear();
      const at = { folder, files, index, log, ...(packBytes === undefined ? {} : { packBytes }) };
      const writer = new PackWriter(at, await recoverPacks(at));
      return new PackedContentStore(folder, options, index, writer);
    } catch (error) {
      index.close();
      throw error;
    }
  }

  private constructor(folder: string, options: PackOptions, index: PackIndex, writer: PackWriter) {
    const { files = nodePackFiles, looseFiles = nodeContentFiles, wall } = options;
    this.#folder = folder;
    this.#files = files;
    this.#loose = new DiskContentStore(folder, looseFiles);
    this.#index = index;
    this.#writer = writer;
    this.#wall = wall;
    this.#smallBytes = options.smallBytes ?? SMALL_CONTENT;
    this.#room = options.room ?? null;
  }

  put(path: string, digest: Digest): Promise<void> {
    return this.#inRoom(digest, () => this.#put(path, digest));
  }

  putBytes(bytes: Uint8Array, digest: Digest): Promise<void> {
    if (bytes.length <= this.#smallBytes) {
      return this.#inRoom(digest, () => this.#smallPuts.run(() => this.#pack(bytes, digest)));
    }
    return this.#inRoom(digest, () =>
      this.#putLoose(digest, () => this.#loose.putBytes(bytes, digest)),
    );
  }

  async #inRoom(digest: Digest, put: () => Promise<void>): Promise<void> {
    if (this.#room?.isForContents() === false) throw new GodwitError('server-full');
    try {
      await this.#young.during(digest, put);
    } catch (error) {
      if (error instanceof GodwitError && error.code === 'server-full') this.#room?.isUsedUp();
      throw error;
    }
  }

  async #put(path: string, digest: Digest): Promise<void> {
    const isPacked = await this.#smallPuts.run(() => this.#putSmall(path, digest));
    if (isPacked) {
      await this.#files.remove(path);
      return;
    }
    await this.#putLoose(digest, () => this.#loose.put(path, digest));
  }

  #putLoose(digest: Digest, put: () => Promise<void>): Promise<void> {
    return this.#locks.hold(digest, async () => {
      await put();
      // It was small once, by another measure: what was put last counts.
      if (this.#index.get(digest) !== null) await this.#appendRemoval(digest);
    });
  }

  async locate(digest: Digest): Promise<Located | null> {
    const place = this.#index.get(digest);
    if (place === null) return this.#loose.locate(digest);
    const { offset, length } = place;
    return { path: this.#pathOf(place), offset, length };
  }

  async quarantine(digest: Digest): Promise<void> {
    const place = this.#index.get(digest);
    if (place !== null) {
      const bytes = await this.#read(place);
      if (bytes !== null) await this.#loose.putAside(digest, bytes);
      await this.#appendRemoval(digest);
    }
    await this.#locks.hold(digest, () => this.#loose.quarantine(digest));
  }

  async remove(digest: Digest): Promise<void> {
    if (this.#index.get(digest) !== null || this.#writer.isPending(digest)) {
      await this.#appendRemoval(digest);
    }
    await this.#locks.hold(digest, () => this.#loose.remove(digest));
  }

  /** From now on until `endCollection`, `removeOld` leaves alone what is put. */
  beginCollection(): void {
    this.#young.begin();
  }

  endCollection(): void {
    this.#young.end();
  }

  /** Put since the collection began, or when it did. */
  isYoung(digest: Digest): boolean {
    return this.#young.has(digest);
  }

  /** Removes a content, unless it is young, or was put after that time. */
  async removeOld(digest: Digest, before: number): Promise<void> {
    const place = this.#index.get(digest);
    if (place !== null) {
      if (this.isYoung(digest) || place.when >= before) return;
      await this.#appendRemoval(digest);
      return;
    }
    await this.#locks.hold(digest, async () => {
      const isOld = (await this.#loose.putAt(digest)) < before;
      if (isOld && !this.isYoung(digest)) await this.#loose.remove(digest);
    });
  }

  async discard(path: string): Promise<void> {
    await this.#loose.discard(path);
  }

  /** Every content, once or (in a pack and as a file as well) twice, in no order. */
  async *stored(): AsyncGenerator<StoredContent> {
    for (const { digest, length, when } of this.#index.places()) {
      yield { digest, length, when, isPacked: true };
    }
    for await (const loose of this.#loose.list()) yield { ...loose, isPacked: false };
  }

  /** Removes the file of a content that is in a pack as well. */
  async removeFile(digest: Digest): Promise<void> {
    await this.#locks.hold(digest, async () => {
      if (this.#index.get(digest) !== null) await this.#loose.remove(digest);
    });
  }

  /**
   * Packs with less alive in them than `part` of their length are written anew, without what is dead, those with least in them
   * first. Others put and remove meanwhile; one at a time compacts. `readersAreIn`: see compact-pack.ts.
   */
  async compact(
    part: number,
    readersAreIn = (): Promise<void> => Promise.resolve(),
  ): Promise<Compaction> {
    const [folder, files] = [this.#folder, this.#files];
    const [index, writer] = [this.#index, this.#writer];
    const sparse = this.#sparsePacks(part);
    await writer.leave(new Set(sparse.map(({ number }) => number)));
    let [packs, aside, bytes] = [0, 0, 0];
    let isCutShort = false;
    for (const { number } of sparse) {
      // Until it was left it may have grown.
      const pack = index.pack(number);
      if (pack === null) continue;
      const before = lengthOf(index.packs());
      try {
        const done = await compactPack({ folder, files, index, writer, readersAreIn }, pack);
        if (done !== 'kept') packs++;
        if (done === 'aside') aside++;
        bytes += before - lengthOf(index.packs());
      } catch (error) {
        if (!(error instanceof GodwitError && error.code === 'server-full')) throw error;
        isCutShort = true;
        break;
      }
    }
    return { packs, bytes, aside, isCutShort };
  }

  #sparsePacks(part: number): IndexedPack[] {
    const live = this.#index.liveIn();
    const all = this.#index.packs();
    const aliveIn = ({ number }: IndexedPack): number => {
      const { bytes, count } = live.get(number) ?? { bytes: 0, count: 0 };
      return bytes + count * HEADER_BYTES;
    };
    return all
      .filter((pack) => {
        if (pack.length === 0) return pack.number !== all.at(-1)?.number;
        return aliveIn(pack) < pack.length * part;
      })
      .sort((a, b) => aliveIn(a) - aliveIn(b));
  }

  /** When all that is under way is done. */
  async close(): Promise<void> {
    await this.#writer.close();
    this.#index.close();
  }

  /** False: it is not small. */
  async #putSmall(path: string, digest: Digest): Promise<boolean> {
    const bytes = await this.#files.readSmall(path, this.#smallBytes);
    if (bytes === null) return false;
    await this.#pack(bytes, digest);
    return true;
  }

  async #pack(bytes: Uint8Array, digest: Digest): Promise<void> {
    const when = this.#wall();
    if (!(await this.#isThere(digest, bytes))) {
      await this.#writer.append({ kind: 'content', digest, when, bytes });
    } else if ((this.#index.get(digest)?.when ?? when) + RENEW_AFTER_MS < when) {
      // Its age counts from the last put: collection gives who put it time to name it.
      this.#index.touch(digest, when);
    }
  }

  /** These very bytes, durably: what has a place has been synced. */
  async #isThere(digest: Digest, bytes: Uint8Array): Promise<boolean> {
    const place = this.#index.get(digest);
    if (place === null || place.length !== bytes.length || this.#writer.isPending(digest)) {
      return false;
    }
    const there = await this.#readRecord(place, digest);
    // While it was read it may have been removed.
    return (
      there?.equals(bytes) === true && !this.#writer.isPending(digest) && this.#isAt(digest, place)
    );
  }

  #isAt(digest: Digest, { pack, offset }: Place): boolean {
    const now = this.#index.get(digest);
    return now?.pack === pack && now.offset === offset;
  }

  #pathOf({ pack, mark }: Place): string {
    return packPath(this.#folder, { number: pack, mark });
  }

  /** Null: it can't be read. */
  #read(place: Place): Promise<Buffer | null> {
    return this.#files.readPart(this.#pathOf(place), place.offset, place.length).catch(() => null);
  }

  /** Null: it is not a whole record of that digest. An index that is made again would not find its body. */
  async #readRecord({ offset, length, ...place }: Place, digest: Digest): Promise<Buffer | null> {
    const path = this.#pathOf({ offset, length, ...place });
    const bytes = await this.#files
      .readPart(path, offset - HEADER_BYTES, HEADER_BYTES + length)
      .catch(() => null);
    if (bytes === null) return null;
    return contentIn(bytes, markBytes({ number: place.pack, mark: place.mark }), digest);
  }

  async #appendRemoval(digest: Digest): Promise<void> {
    await this.#writer.append({ kind: 'removal', digest, when: this.#wall(), bytes: NO_BYTES });
  }
}

function lengthOf(packs: readonly IndexedPack[]): number {
  return packs.reduce((sum, { length }) => sum + length, 0);
}
