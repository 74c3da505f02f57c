/**
 * A dump becomes a new volume of this server, which may be running. Contents come out of the dump: none is looked up by its digest, so a dump gives
 * nobody what they do not have. Nothing of the volume is seen before all of it is there (fill-volume.ts). Contents that were put by a load that was cut
 * short have no name, and go with a later collection.
 */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT_UNIQUIFIER, ROOT_VNODE } from '../../../shared/model/fid.ts';
import { commitNumber, EMPTY_DIGEST, type Digest } from '../../../shared/model/vnode.ts';
import type { Host } from '../../../shared/ports/host.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { diskError } from '../../../shared/system/disk-error.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { VNODE_BLOCK } from '../../../shared/wire/limits.ts';
import { DiskContentStore } from '../../adapters/content-disk/content-disk.ts';
import { openServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import { toSortName } from '../../adapters/meta-sqlite/sort-name.ts';
import { formatXattrs } from '../../adapters/meta-sqlite/vnode-row.ts';
import type { Walked, WalkedName } from '../../adapters/meta-sqlite/walk-volume.ts';
import { lockData, lockMaintenance, startedFolder, type DataFolder } from '../../data-folder.ts';
import { MAX_DEPTH, MAX_LINKS } from '../../limits.ts';
import { volumeNameFrom } from '../accounts/new-name.ts';
import { withStore } from '../check/check.ts';
import { beside } from '../volumes/clone-volume.ts';
import {
  fillVolume,
  type Filled,
  type FilledVolume,
  type FillWith,
} from '../volumes/fill-volume.ts';
import type { DumpedVnode, DumpRecord } from './dump-format.ts';
import { DumpReader } from './dump-reader.ts';

export interface AskedLoad extends Omit<FilledVolume, 'name'> {
  /** Null: as it was called when it was dumped. */
  readonly name: string | null;
}

export interface Loaded extends Filled {
  readonly name: string;
}

/** What a content is put with, and where its file is made before. */
export interface LoadInto {
  readonly put: (path: string, digest: Digest) => Promise<void>;
  readonly spool: string;
  readonly host: Pick<Host, 'digestFile'>;
}

/** Contents that are put at a time: their syncs go on side by side. */
const PUTS_AT_ONCE = 16;

/** Rejects GodwitError `not-a-dump`, `newer-dump`, `damaged-dump`, `exists`, `not-found` (the owner), `usage`, `upkeep-running`, `server-full`, `disk-full`. */
export async function loadVolume(
  dataDir: string,
  path: string,
  asked: AskedLoad,
  host: Host,
): Promise<Loaded> {
  const folder = startedFolder(dataDir);
  const reader = await DumpReader.open(path).catch((error: unknown) => {
    const isMissing = (error as { code?: unknown }).code === 'ENOENT';
    throw isMissing ? new GodwitError('not-found', `${path} is not there`) : diskError(path, error);
  });
  try {
    const maintenance = lockMaintenance(folder, host);
    try {
      return await intoFolder(folder, reader, asked, host);
    } finally {
      maintenance.release();
    }
  } catch (error) {
    throw diskError(folder.path, error);
  } finally {
    await reader.close();
  }
}

async function intoFolder(
  folder: DataFolder,
  reader: DumpReader,
  asked: AskedLoad,
  host: Host,
): Promise<Loaded> {
  const lock = lockData(folder, host);
  let database: Sqlite | null = null;
  try {
    const given = beside((database = openServerDatabase(folder.database)));
    const load = (put: LoadInto['put']): Promise<Loaded> =>
      loadFrom(reader, asked, given, { put, spool: folder.spool, host });
    // A server that runs has the packs to itself. Files are found by it as well.
    const files = new DiskContentStore(folder.path);
    if (lock === null) return await load((path, digest) => files.put(path, digest));
    return await withStore(folder, false, (store) =>
      load((path, digest) => store.put(path, digest)),
    );
  } finally {
    database?.close();
    lock?.release();
  }
}

/** The same with what is open. */
export async function loadFrom(
  reader: DumpReader,
  { name: asked, owner, quota }: AskedLoad,
  given: FillWith,
  into: LoadInto,
): Promise<Loaded> {
  const head = await reader.record();
  if (head.is !== 'volume') throw reader.damaged();
  const name = volumeNameFrom(asked ?? head.name);
  try {
    const rows = inFlight(new DumpedRows(reader, into));
    const filled = await fillVolume({ name, owner, quota, isNew: true }, rows, given);
    return { name, ...filled };
  } catch (error) {
    // Two names in a directory that are the same, or a vnode that comes twice.
    const code = String((error as { code?: unknown }).code);
    throw code.startsWith('SQLITE_CONSTRAINT') ? reader.damaged() : error;
  }
}

/** In their order, some of them ahead: a row goes on when its contents are put. */
async function* inFlight(rows: DumpedRows): AsyncGenerator<Walked, void, undefined> {
  const ahead: Array<Promise<Walked>> = [];
  try {
    for (let next = await rows.next(); next !== null; next = await rows.next()) {
      const { walked, put } = next;
      ahead.push(put.then(() => walked));
      if (ahead.length < PUTS_AT_ONCE) continue;
      const first = ahead.shift();
      if (first !== undefined) yield await first;
    }
    while (ahead.length > 0) {
      const first = ahead.shift();
      if (first !== undefined) yield await first;
    }
  } finally {
    // Nothing is put any more when the caller goes on.
    await Promise.allSettled(ahead);
  }
}

interface Next {
  readonly walked: Walked;
  readonly put: Promise<void>;
}

interface Directory {
  readonly depth: number;
  /** Entries that are still to come. */
  left: number;
}

/** The rows of a dump. Each is looked at before it is one: where it leads, how deep it is, and how often it is named. */
class DumpedRows {
  readonly #reader: DumpReader;
  readonly #into: LoadInto;
  readonly #directories = new Map<number, Directory>();
  /** Names that files are still to get. */
  readonly #names = new Map<number, number>();
  #count = 0;

  constructor(reader: DumpReader, into: LoadInto) {
    this.#reader = reader;
    this.#into = into;
  }

  /** Null: that was all, and the dump is whole. Rejects GodwitError `damaged-dump`; or as the disk does. */
  async next(): Promise<Next | null> {
    const record = await this.#reader.record();
    switch (record.is) {
      case 'vnode':
        return this.#vnode(record);
      case 'name':
        return { walked: this.#oneMoreName(record), put: Promise.resolve() };
      case 'volume':
        throw this.#reader.damaged();
      case 'end':
        this.#end();
        return null;
    }
  }

  async #vnode(record: DumpedVnode): Promise<Next> {
    const index = this.#count++;
    if ((record.place === null) !== (index === 0) || !isOne(record)) throw this.#reader.damaged();
    const depth = record.place === null ? 0 : this.#depthBelow(record.place.dir);
    if (record.kind === 'directory') {
      this.#directories.set(index, { depth, left: record.entries });
    } else if (record.links > 1) this.#names.set(index, record.links - 1);
    const { mode, mtime, size, version, digest, target, links, entries } = record;
    const row = {
      ...fidOf(index),
      ...{ volume: 0, from_commit: commitNumber(0), to_commit: null, kind: record.kind },
      ...{ mode, mtime, size, version, digest, target, links, entries },
      xattrs: formatXattrs(record.xattrs),
    };
    const name = record.place === null ? null : nameOf(record.place, index);
    return { walked: { row, name }, ...(await this.#contents(record, index)) };
  }

  /** They are read when this resolves, and put when what it gives does. */
  async #contents({ digest, size }: DumpedVnode, index: number): Promise<Pick<Next, 'put'>> {
    if (digest === null || digest === EMPTY_DIGEST) return { put: Promise.resolve() };
    const { spool, host } = this.#into;
    const path = join(spool, `load-${process.pid}-${index}`);
    const file = await open(path, 'wx', 0o600);
    try {
      await this.#reader.copyTo(file, size);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    const work = async (): Promise<void> => {
      try {
        if ((await host.digestFile(path)).digest !== digest) throw this.#reader.damaged();
        await this.#into.put(path, digest);
      } finally {
        await rm(path, { force: true });
      }
    };
    const put = work();
    // Who waits for it may be behind.
    put.catch(() => undefined);
    return { put };
  }

  #oneMoreName({ place, of }: Extract<DumpRecord, { is: 'name' }>): Walked {
    this.#depthBelow(place.dir);
    const left = this.#names.get(of) ?? 0;
    if (left === 0) throw this.#reader.damaged();
    this.#names.set(of, left - 1);
    return { row: null, name: nameOf(place, of) };
  }

  #depthBelow(index: number): number {
    const directory = this.#directories.get(index);
    if (directory === undefined || directory.left === 0) throw this.#reader.damaged();
    directory.left -= 1;
    if (directory.depth >= MAX_DEPTH) throw this.#reader.damaged();
    return directory.depth + 1;
  }

  #end(): void {
    const isWhole =
      this.#count > 0 &&
      [...this.#directories.values()].every(({ left }) => left === 0) &&
      [...this.#names.values()].every((left) => left === 0);
    if (!isWhole) throw this.#reader.damaged();
  }
}

/** Whether its fields fit each other. */
function isOne({ place, kind, size, digest, target, links, entries }: DumpedVnode): boolean {
  if (place === null && (kind !== 'directory' || links !== 1)) return false;
  if (links < 1 || links > MAX_LINKS || (kind === 'directory' && links > 1)) return false;
  if ((kind === 'symlink') !== (target !== null)) return false;
  if (kind !== 'directory' && entries !== 0) return false;
  if (kind !== 'file') return digest === null;
  return digest === null || digest === EMPTY_DIGEST ? size === 0 : size > 0;
}

/** The numbers that a server gives to what comes as the nth: as in blocks of devices (rule I3). */
function fidOf(index: number): { readonly vnode: number; readonly uniquifier: number } {
  if (index === 0) return { vnode: ROOT_VNODE, uniquifier: ROOT_UNIQUIFIER };
  const block = Math.floor((index - 1) / VNODE_BLOCK);
  const vnode = (1 + block) * VNODE_BLOCK + ((index - 1) % VNODE_BLOCK);
  return { vnode, uniquifier: ROOT_UNIQUIFIER + 1 + block };
}

function nameOf(place: { dir: number; name: string }, of: number): WalkedName {
  const dir = fidOf(place.dir);
  const name = toSortName(place.name);
  return { dir_vnode: dir.vnode, dir_uniquifier: dir.uniquifier, name, ...fidOf(of) };
}
