/**
 * Carries a plan out through the file-system port: folders first, files side by side, then further names of files,
 * symlinks, and the folders' own times last, since every entry made in one changes them.
 */
import { createReadStream } from 'node:fs';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Attributes, FileSystem, Place } from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { about } from '../errors.ts';
import { formatVolumePath } from '../volume-path.ts';
import type { PutItem, PutPlan } from './put-plan.ts';
import { openToWrite, writeContents } from './write-contents.ts';

/** Files under way at once: enough to hide the socket's round trips, and few enough for any disk. */
const SIDE_BY_SIDE = 8;

type FileItem = Extract<PutItem, { kind: 'file' }>;

/**
 * Copies the items of a plan into a volume through the file-system port. `run` throws a GodwitError
 * that names the path of the first item that failed; what was copied before it stays.
 */
export class PutTree {
  readonly #fs: FileSystem;
  readonly #target: Place;
  readonly #onPut: (item: PutItem) => void;
  /** Fids of the folders, by the names below the target. */
  readonly #folders = new Map<string, Fid>();

  constructor(fs: FileSystem, target: Place, onPut: (item: PutItem) => void) {
    this.#fs = fs;
    this.#target = target;
    this.#onPut = onPut;
  }

  async run({ items }: PutPlan): Promise<void> {
    const folders = items.filter((item) => item.kind === 'directory');
    for (const item of folders) await this.#one(item, () => this.#putFolder(item));
    const { firsts, others } = splitNames(items);
    const fids = new Map<string, Fid>();
    await sideBySide(firsts, (item) =>
      this.#one(item, async () => {
        const fid = await this.#putFile(item);
        if (item.identity !== null) fids.set(item.identity, fid);
      }),
    );
    for (const item of others) {
      await this.#one(item, () => this.#putLink(item, fids.get(item.identity ?? '') as Fid));
    }
    for (const item of items) {
      if (item.kind !== 'symlink') continue;
      await this.#one(item, () => this.#putSymlink(item, item.target));
    }
    for (const item of folders.reverse()) {
      await this.#fs.setattr(this.#folderOf(item.names), { mode: item.mode, mtime: item.mtime });
    }
  }

  async #one(item: PutItem, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw about(formatVolumePath([this.#target.name, ...item.names]), error);
    }
    this.#onPut(item);
  }

  async #putFolder(item: PutItem): Promise<void> {
    const place = this.#placeOf(item);
    const there = await this.#lookup(place);
    if (there !== null && there.kind !== 'directory') throw new GodwitError('exists');
    // Until its own turn comes, it must let us in.
    const mode = item.mode | 0o700;
    const { fid } = there ?? (await this.#fs.mkdir(place.dir, place.name, { mode }));
    this.#folders.set(keyOf(item.names), fid);
  }

  async #putFile(item: FileItem): Promise<Fid> {
    const place = this.#placeOf(item);
    const there = await this.#lookup(place);
    if (there !== null && there.kind !== 'file') throw new GodwitError('exists');
    const { mode, mtime } = item;
    const opened = await openToWrite(this.#fs, place, there, { mode, mtime });
    await writeContents(this.#fs, opened, createReadStream(item.source), mtime);
    const { fid } = opened.attributes;
    if (there !== null && there.mode !== item.mode)
      await this.#fs.setattr(fid, { mode: item.mode });
    return fid;
  }

  async #putLink(item: FileItem, fid: Fid): Promise<void> {
    const place = this.#placeOf(item);
    const there = await this.#lookup(place);
    if (there?.fid === fid) return;
    await this.#makeRoom(place, there);
    await this.#fs.link(fid, place);
  }

  async #putSymlink(item: PutItem, target: string): Promise<void> {
    const place = this.#placeOf(item);
    const there = await this.#lookup(place);
    if (there?.kind === 'symlink' && there.target === target) {
      await this.#fs.setattr(there.fid, { mtime: item.mtime });
      return;
    }
    await this.#makeRoom(place, there);
    await this.#fs.symlink(place.dir, place.name, target, { mtime: item.mtime });
  }

  async #makeRoom(place: Place, there: Attributes | null): Promise<void> {
    if (there === null) return;
    if (there.kind === 'directory') throw new GodwitError('exists');
    await this.#fs.remove(place);
  }

  async #lookup({ dir, name }: Place): Promise<Attributes | null> {
    try {
      return await this.#fs.lookup(dir, name);
    } catch (error) {
      if (error instanceof GodwitError && error.code === 'not-found') return null;
      throw error;
    }
  }

  #placeOf({ names }: PutItem): Place {
    const name = names.at(-1);
    return name === undefined ? this.#target : { dir: this.#folderOf(names.slice(0, -1)), name };
  }

  #folderOf(names: readonly string[]): Fid {
    return this.#folders.get(keyOf(names)) as Fid;
  }
}

const keyOf = (names: readonly string[]): string => names.join('/');

/** The first name of each file carries its contents; further ones are links to it. */
function splitNames(items: readonly PutItem[]): { firsts: FileItem[]; others: FileItem[] } {
  const seen = new Set<string>();
  const firsts: FileItem[] = [];
  const others: FileItem[] = [];
  for (const item of items) {
    if (item.kind !== 'file') continue;
    const known = item.identity !== null && seen.has(item.identity);
    (known ? others : firsts).push(item);
    if (item.identity !== null) seen.add(item.identity);
  }
  return { firsts, others };
}

/** Works on several items at a time. The first failure stops the rest, and is thrown when the work that has begun is done. */
async function sideBySide<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (let next = queue.next(); next.done !== true && !failed; next = queue.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: SIDE_BY_SIDE }, worker));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}
