/**
 * What changed in a folder and in all below it, the newest first: files by their newest version, and what was removed. The server is
 * asked once for each folder, and once for each file that is shown.
 */
import type { ControlClient } from '../../shared/control/client.ts';
import type { RemovedRow } from '../../shared/control/history.ts';
import type { Attributes, FileSystem } from '../../shared/ports/file-system.ts';
import { eachOf } from '../../shared/concurrency/semaphore.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { nullIfAbsent } from '../../shared/wire/null-if-absent.ts';
import { findPath, findVolume } from './volume-tree.ts';
import { formatVolumePath } from './volume-path.ts';

/** Folders that are looked into: on a slow line a question takes a tenth of a second, and a person waits. */
export const MOST_FOLDERS = 500;
/** Questions under way: enough to fill a long line, few beside other programs. */
const AT_ONCE = 8;

export interface ChangedRow extends RemovedRow {
  /** Written: its newest version; unsent: this laptop's, which the server does not have yet. */
  readonly what: 'written' | 'unsent' | 'removed';
}

export interface ChangedReport {
  readonly path: string;
  readonly changed: readonly ChangedRow[];
  /** More folders than `MOST_FOLDERS` are there: the nearest were looked into. */
  readonly isCut: boolean;
}

export interface ChangedOrder {
  readonly volume: string;
  readonly path: readonly string[];
  /** Rows that are wanted. */
  readonly most: number;
  /** What is there is not asked for. */
  readonly removedAlone: boolean;
}

type Daemon = Pick<ControlClient, 'command' | 'fileSystem'>;

/** Looks and asks. Rejects the errors of `removed` for the folder itself; below it, what goes meanwhile is passed over. */
export async function changedIn(daemon: Daemon, order: ChangedOrder): Promise<ChangedReport> {
  const { volume, path, most, removedAlone } = order;
  const { folders, files, isCut } = await treeBelow(daemon.fileSystem, order);
  const removed = await eachAtOnce(folders, async (folder) => {
    const asked = daemon.command('removed', { volume, path: [...folder] });
    return (await (folder === path ? asked : asked.catch(nullIfAbsent)))?.removed ?? [];
  });
  const newest = files.toSorted(newestFirst).slice(0, removedAlone ? 0 : most);
  const written = await eachAtOnce(newest, (file) => rowOf(daemon, volume, file));
  const rows = [
    ...written.flatMap((row) => (row === null ? [] : [row])),
    ...removed.flat().map((row): ChangedRow => ({ ...row, what: 'removed' })),
  ];
  const changed = rows.toSorted((a, b) => b.when - a.when || (a.path < b.path ? -1 : 1));
  return { path: formatVolumePath(path), changed: changed.slice(0, most), isCut };
}

interface FoundFile {
  readonly path: readonly string[];
  readonly attributes: Attributes;
}

interface FoundTree {
  readonly folders: ReadonlyArray<readonly string[]>;
  readonly files: readonly FoundFile[];
  readonly isCut: boolean;
}

/** Near folders first. One that is gone has nothing below it that is there. */
async function treeBelow(fs: FileSystem, { volume, path }: ChangedOrder): Promise<FoundTree> {
  const { root } = await findVolume(fs, volume);
  const top = await findPath(fs, root, path, false).catch(nullIfAbsent);
  if (top !== null && top.kind !== 'directory') {
    const shown = formatVolumePath(path);
    const remedy = '`godwit versions FILE` lists the versions of a file';
    throw new GodwitError('not-a-directory', `${shown}: that is no folder`, remedy);
  }
  const folders: Array<readonly string[]> = [path];
  const files: FoundFile[] = [];
  let isCut = false;
  let level = top === null ? [] : [{ path, fid: top.fid }];
  while (level.length > 0) {
    const listings = await eachAtOnce(level, ({ fid }) => fs.readdir(fid).catch(nullIfAbsent));
    const below: typeof level = [];
    for (const [at, folder] of level.entries()) {
      for (const { name, attributes } of listings[at] ?? []) {
        const place = [...folder.path, name];
        if (attributes.kind !== 'directory') files.push({ path: place, attributes });
        // What another volume shows there is its own affair, and rings have no end.
        else if (attributes.mounted !== undefined) continue;
        else if (folders.length < MOST_FOLDERS) {
          folders.push(place);
          below.push({ path: place, fid: attributes.fid });
        } else isCut = true;
      }
    }
    level = below;
  }
  return { folders, files, isCut };
}

/** By the commits that made them so; what is not sent yet is newer than all of them. */
function newestFirst(a: FoundFile, b: FoundFile): number {
  const [one, other] = [a.attributes, b.attributes].map(({ sync, commit }) =>
    sync === 'committed' ? commit : Number.MAX_SAFE_INTEGER,
  ) as [number, number];
  return other - one || mtimeOf(b.attributes) - mtimeOf(a.attributes);
}

/** Its newest version; null: it is gone meanwhile, or a link, which has none. */
async function rowOf(
  daemon: Daemon,
  volume: string,
  { path, attributes }: FoundFile,
): Promise<ChangedRow | null> {
  const { kind, size, sync } = attributes;
  if (kind !== 'file') return null;
  const about = { path: formatVolumePath(path), kind, size };
  const unsent: ChangedRow = { ...about, when: mtimeOf(attributes), by: null, what: 'unsent' };
  if (sync !== 'committed') return unsent;
  const report = await daemon.command('versions', { volume, path: [...path] }).catch(nullIfAbsent);
  const newest = report?.versions[0];
  if (newest === undefined) return null;
  return { ...about, when: newest.when, by: newest.by, what: 'written' };
}

const mtimeOf = ({ mtime }: Attributes): number => Number(BigInt(mtime) / 1_000_000n);

/** The results in the order of the items. */
async function eachAtOnce<I, R>(items: readonly I[], work: (item: I) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length);
  await eachOf([...items.entries()], AT_ONCE, async ([at, item]) => {
    results[at] = await work(item);
  });
  return results;
}
