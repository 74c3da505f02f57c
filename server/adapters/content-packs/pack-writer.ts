/**
 * Appends to the packs. Concurrent puts share a write and a sync (rule D1).
 *
 * Invariants
 * 1. One group is written at a time, behind all that was written before; an answer comes after the sync of its group and after
 *    the index has it.
 * 2. Groups reach the index in the order of the packs.
 * 3. The bytes of a failed group are discarded: the pack is cut off to where it was. A pack that can't be, or whose
 *    sync failed (what the disk has of it is not known then), is written no more.
 */
import { randomBytes } from 'node:crypto';
import type { Digest } from '../../../shared/model/vnode.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { MAX_GROUP_BYTES, PACK_BYTES } from '../../limits.ts';
import type { PackFile, PackFiles } from './pack-files.ts';
import type { PackIndex } from './pack-index.ts';
import { markBytes, packFolder, packPath, type PackId } from './pack-name.ts';
import { encodeHeader, HEADER_BYTES, MARK_BYTES, type Entry, type Found } from './record.ts';

interface Waiting {
  readonly entry: Entry;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** The pack that is written to. Up to `length` all is synced and in the index. */
export interface ActivePack extends PackId {
  readonly file: PackFile;
  length: number;
}

/** The last pack by the index. */
const FULL = new Set<unknown>(['ENOSPC', 'EDQUOT', 'disk-full']);

/** Appends contents to the active pack, in groups that share one write and one sync. */
export class PackWriter {
  readonly #folder: string;
  readonly #files: PackFiles;
  readonly #index: PackIndex;
  readonly #packBytes: number;
  #active: ActivePack | null;
  #last: number;
  #made: Promise<void> | null = null;
  #running: Promise<void> | null = null;
  #waiting: Waiting[] = [];
  /** The one that is being written; it has no failure. */
  #group: Promise<void> = Promise.resolve();
  /** Packs that get no more. */
  #left: ReadonlySet<number> = new Set();
  /** How many records of a digest are on their way. */
  readonly #pending = new Map<Digest, number>();

  constructor(
    at: { folder: string; files: PackFiles; index: PackIndex; packBytes?: number },
    from: { active: ActivePack | null; last: number },
  ) {
    this.#folder = at.folder;
    this.#files = at.files;
    this.#index = at.index;
    this.#packBytes = at.packBytes ?? PACK_BYTES;
    this.#active = from.active;
    this.#last = from.last;
  }

  /** Resolves when it is durable. Rejects GodwitError `server-full`, or as the disk does. */
  append(entry: Entry): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { digest } = entry;
    const settle = (): void => {
      const left = (this.#pending.get(digest) ?? 1) - 1;
      if (left === 0) this.#pending.delete(digest);
      else this.#pending.set(digest, left);
    };
    this.#pending.set(digest, (this.#pending.get(digest) ?? 0) + 1);
    this.#waiting.push({
      entry,
      done: () => {
        settle();
        resolve();
      },
      failed: (error) => {
        settle();
        reject(isFull(error) ? new GodwitError('server-full') : error);
      },
    });
    this.#running ??= this.#run();
    return promise;
  }

  isPending(digest: Digest): boolean {
    return this.#pending.has(digest);
  }

  /** When the group that is being written, if one is, has come to its end. */
  async groupEnd(): Promise<void> {
    await this.#group;
  }

  /** What is appended from now on goes to none of these packs; when it resolves, what was on its way has arrived. */
  async leave(packs: ReadonlySet<number>): Promise<void> {
    this.#left = packs;
    await this.#group;
    if (this.#running === null && this.#isLeft()) await this.#abandon();
  }

  #isLeft(): boolean {
    return this.#active !== null && this.#left.has(this.#active.number);
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    await this.#running;
    await this.#abandon();
  }

  async #run(): Promise<void> {
    // Those who ask in the same turn go together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#nextGroup();
      try {
        const written = this.#write(group.map(({ entry }) => entry));
        this.#group = written.catch(() => undefined);
        await written;
        for (const { done } of group) done();
      } catch (error) {
        for (const { failed } of group) failed(error);
      }
    }
    this.#running = null;
  }

  #nextGroup(): Waiting[] {
    let bytes = 0;
    const tooMany = this.#waiting.findIndex(({ entry }, index) => {
      bytes += HEADER_BYTES + entry.bytes.length;
      return index > 0 && bytes > MAX_GROUP_BYTES;
    });
    return this.#waiting.splice(0, tooMany < 0 ? this.#waiting.length : tooMany);
  }

  async #write(entries: readonly Entry[]): Promise<void> {
    const pack = await this.#packWithRoom();
    const mark = markBytes(pack);
    const parts: Uint8Array[] = [];
    const records: Found[] = [];
    let end = pack.length;
    for (const entry of entries) {
      const { kind, digest, when, bytes } = entry;
      parts.push(encodeHeader(mark, entry), bytes);
      records.push({ kind, digest, when, offset: end + HEADER_BYTES, length: bytes.length });
      end += HEADER_BYTES + bytes.length;
    }
    let isSyncing = false;
    try {
      await pack.file.write(Buffer.concat(parts), pack.length);
      isSyncing = true;
      await pack.file.sync();
      isSyncing = false;
      this.#index.apply(pack, end, records);
      pack.length = end;
    } catch (error) {
      await this.#cutOff(pack, isSyncing);
      throw error;
    }
  }

  async #packWithRoom(): Promise<ActivePack> {
    const isFull = this.#active !== null && this.#active.length >= this.#packBytes;
    if (isFull || this.#isLeft()) await this.#abandon();
    this.#active ??= await this.#newPack();
    return this.#active;
  }

  async #newPack(): Promise<ActivePack> {
    await (this.#made ??= this.#makeFolder());
    const id = { number: this.#last + 1, mark: randomBytes(MARK_BYTES).toString('hex') };
    const path = packPath(this.#folder, id);
    const file = await this.#files.create(path);
    this.#last = id.number;
    try {
      await this.#files.syncFolder(packFolder(this.#folder));
    } catch (error) {
      await this.#removeEmpty({ ...id, file, length: 0 });
      throw error;
    }
    return { ...id, file, length: 0 };
  }

  async #makeFolder(): Promise<void> {
    try {
      await this.#files.makeFolder(packFolder(this.#folder));
      // Also where it was there: the process that made it may have ended before its sync.
      await this.#files.syncFolder(this.#folder);
    } catch (error) {
      this.#made = null;
      throw error;
    }
  }

  async #cutOff(pack: ActivePack, isUnknown: boolean): Promise<void> {
    const isCut = await pack.file.truncate(pack.length).then(
      () => true,
      () => false,
    );
    if (isCut && !isUnknown) return;
    this.#active = null;
    if (pack.length === 0) await this.#removeEmpty(pack);
    else await pack.file.close().catch(() => undefined);
  }

  async #removeEmpty(pack: ActivePack): Promise<void> {
    await pack.file.close().catch(() => undefined);
    // One that stays is read as a pack without records.
    await this.#files.remove(packPath(this.#folder, pack)).catch(() => undefined);
  }

  async #abandon(): Promise<void> {
    const pack = this.#active;
    this.#active = null;
    await pack?.file.close();
  }
}

function isFull(error: unknown): boolean {
  return FULL.has((error as { code?: unknown }).code);
}
