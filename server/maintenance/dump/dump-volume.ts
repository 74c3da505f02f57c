/**
 * A volume as it is now, or was at a snapshot, becomes a file: names and contents, the newest versions alone. A server may be running: rows as of a commit
 * do not change, and the lock of maintenance keeps their contents from going.
 *
 * The file gets its name when all of it is on the disk.
 */
import { open, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { EMPTY_DIGEST, type Digest } from '../../../shared/model/vnode.ts';
import type { Located } from '../../../shared/ports/content-store.ts';
import type { Host } from '../../../shared/ports/host.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { diskError } from '../../../shared/system/disk-error.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { DiskContentStore } from '../../adapters/content-disk/content-disk.ts';
import { indexFile } from '../../adapters/content-packs/content-packs.ts';
import { PackIndex } from '../../adapters/content-packs/pack-index.ts';
import { packPath } from '../../adapters/content-packs/pack-name.ts';
import { openServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import { fromSortName } from '../../adapters/meta-sqlite/sort-name.ts';
import { Statements } from '../../adapters/meta-sqlite/statements.ts';
import { statusOf, type VnodeRow } from '../../adapters/meta-sqlite/vnode-row.ts';
import {
  walkVolume,
  type Walked,
  type WalkedName,
} from '../../adapters/meta-sqlite/walk-volume.ts';
import { lockMaintenance, startedFolder } from '../../data-folder.ts';
import { stateNamed } from '../volumes/clone-volume.ts';
import type { DumpedVnode } from './dump-format.ts';
import { DumpWriter, type DumpSink } from './dump-writer.ts';

export interface Dumped {
  /** Files and symlinks. */
  readonly files: number;
  /** Bytes of contents. */
  readonly bytes: number;
}

/** Where a content lies; null: it is not there. */
export type Locate = (digest: Digest) => Promise<Located | null>;

/** `from`: VOLUME or VOLUME@SNAPSHOT. Rejects GodwitError `no-such-volume`, `volume-removed`, `not-found`, `exists` (the file), `upkeep-running`, `damaged-contents`, `disk-full`. */
export async function dumpVolume(
  dataDir: string,
  from: string,
  path: string,
  host: Host,
): Promise<Dumped> {
  const folder = startedFolder(dataDir);
  if (existsSync(path)) throw isThere(path);
  const maintenance = lockMaintenance(folder, host);
  let database = null;
  let index = null;
  try {
    const packs = (index = PackIndex.open(indexFile(folder.path), null));
    const files = new DiskContentStore(folder.path);
    database = openServerDatabase(folder.database);
    const locate: Locate = async (digest) => {
      const place = packs.get(digest);
      if (place === null) return files.locate(digest);
      const { pack: number, mark, offset, length } = place;
      return { path: packPath(folder.path, { number, mark }), offset, length };
    };
    return await toFile(database, from, path, { locate, host });
  } catch (error) {
    throw diskError(path, error);
  } finally {
    index?.close();
    database?.close();
    maintenance.release();
  }
}

interface Contents {
  readonly locate: Locate;
  readonly host: Pick<Host, 'digestPart' | 'renameNoReplace' | 'syncDirectory'>;
}

async function toFile(
  database: Sqlite,
  from: string,
  path: string,
  contents: Contents,
): Promise<Dumped> {
  const beside = `${path}.${process.pid}.new`;
  stateNamed(database, from);
  const file = await open(beside, 'wx', 0o600);
  try {
    try {
      const dumped = await writeDump(database, from, file, contents);
      await file.sync();
      contents.host.renameNoReplace(beside, path);
      contents.host.syncDirectory(dirname(path));
      return dumped;
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(beside, { force: true });
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw isThere(path);
    throw error;
  }
}

function isThere(path: string): GodwitError {
  return new GodwitError('exists', `${path} is there already`, 'name another');
}

/** The dump as bytes, one after the other. */
export async function writeDump(
  database: Sqlite,
  from: string,
  sink: DumpSink,
  { locate, host }: Contents,
): Promise<Dumped> {
  const { volume, at } = stateNamed(database, from);
  const writer = new DumpWriter(sink);
  const name = database.prepare<[number], string>('SELECT name FROM volume WHERE id = ?').pluck();
  await writer.record({ is: 'volume', name: name.get(volume) ?? from, when: Date.now() });
  const numbers = new Map<string, number>();
  let [next, files, bytes] = [0, 0, 0];
  for (const { row, name: place } of walkVolume(new Statements(database), volume, at)) {
    if (row === null) {
      if (place !== null) await writer.record(nameOf(place, numbers));
      continue;
    }
    if (row.kind === 'directory' || row.links > 1) numbers.set(keyOf(row), next);
    next += 1;
    if (row.kind !== 'directory') files += 1;
    await writer.record(recordOf({ row, name: place }, row, numbers));
    if (row.digest === null || row.digest === EMPTY_DIGEST) continue;
    await writer.contents(await wholeContent(row, row.digest, { locate, host }));
    bytes += row.size;
  }
  await writer.end();
  return { files, bytes };
}

/** What can't be read as it was written is told before it is in a dump. */
async function wholeContent(
  row: VnodeRow,
  digest: Digest,
  { locate, host }: Contents,
): Promise<Located> {
  const found = await locate(digest);
  const isWhole =
    found?.length === row.size &&
    (await host.digestPart(found.path, found.offset, found.length)).digest === digest;
  if (found !== null && isWhole) return found;
  const what = `the contents of ${row.volume}.${row.vnode}.${row.uniquifier}`;
  const why = found === null ? 'are not there' : 'are damaged';
  const remedy = '`godwit server check` says what is wrong with this server';
  throw new GodwitError('damaged-contents', `${what} ${why}`, remedy);
}

const keyOf = ({ vnode, uniquifier }: Pick<VnodeRow, 'vnode' | 'uniquifier'>): string =>
  `${vnode}.${uniquifier}`;

function placeOf(
  { dir_vnode: vnode, dir_uniquifier: uniquifier, name }: WalkedName,
  numbers: ReadonlyMap<string, number>,
) {
  return { dir: numbers.get(keyOf({ vnode, uniquifier })) ?? 0, name: fromSortName(name) };
}

function nameOf(name: WalkedName, numbers: ReadonlyMap<string, number>) {
  const of = numbers.get(keyOf(name)) ?? 0;
  return { is: 'name', place: placeOf(name, numbers), of } as const;
}

/** A mount point leads to a volume of this server: in another one it would lead to a strange one, or nowhere. So it is told as an empty folder. */
function recordOf(
  { name }: Walked,
  row: VnodeRow,
  numbers: ReadonlyMap<string, number>,
): DumpedVnode {
  const { kind, mode, mtime, size, version, digest, target, links, xattrs } = statusOf(row);
  return {
    is: 'vnode',
    place: name === null ? null : placeOf(name, numbers),
    ...{ kind, mode, mtime, size, version, digest },
    target: kind === 'directory' ? null : target,
    ...{ links, entries: row.entries, xattrs: [...xattrs] },
  };
}
