/** `godwit ls --at`: a folder as it was at a point of the past. It goes down by the names of then, whatever they stand for now. */
import { Semaphore } from '../../../shared/concurrency/semaphore.ts';
import type { PastEntry, PastListing } from '../../../shared/control/history.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { PastName } from '../../../shared/model/history.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import { compareNames } from '../../../shared/model/names.ts';
import type { History } from '../../../shared/ports/history.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { MAX_PAST_ITEMS, MOST_TAKEN_BACK_AT_ONCE } from '../../limits.ts';
import {
  allNames,
  isBy,
  newestVersion,
  refuseMore,
  shownPath,
  stoodAt,
  type PastPoint,
} from './past.ts';

/**
 * Lists what a folder held at that point, in the order of names; of a file, the file alone. Rejects
 * `not-found` if the path was not there.
 */
export async function listPast(
  history: History,
  root: Fid,
  path: readonly string[],
  point: PastPoint,
): Promise<PastListing> {
  let dir = root;
  let last: PastName | null = null;
  for (const [index, name] of path.entries()) {
    last = (await allNames(history, dir, name)).find((each) => stoodAt(each, point)) ?? null;
    const isFolder = last?.status.kind === 'directory';
    if (last === null || (!isFolder && index < path.length - 1)) {
      const shown = shownPath(path.slice(0, index + 1));
      const remedy = '`godwit versions PATH` lists what there was';
      throw new GodwitError('not-found', `${shown}: was not there then`, remedy);
    }
    dir = last.fid;
  }
  const isFolder = last === null || last.status.kind === 'directory';
  if (isFolder && 'commit' in point) {
    return { path: shownPath(path), entries: await entriesOf(history, dir, point.commit) };
  }
  const names =
    last === null || last.status.kind === 'directory'
      ? (await allNames(history, dir, null)).filter((each) => stoodAt(each, point))
      : [last];
  const slots = new Semaphore(MOST_TAKEN_BACK_AT_ONCE);
  const entries = await Promise.all(
    names.map((each) => slots.run(() => entryAt(history, each, point))),
  );
  return { path: shownPath(path), entries: entries.sort((a, b) => compareNames(a.name, b.name)) };
}

/** As a commit has it: all at once, and exactly so. Its contents are kept as long as the snapshot. */
async function entriesOf(history: History, dir: Fid, at: CommitNumber): Promise<PastEntry[]> {
  const found: PastEntry[] = [];
  for (let more = true; more && found.length < MAX_PAST_ITEMS;) {
    const page = await history.directory(dir, at, found.at(-1)?.name ?? null);
    for (const { name, status } of page.entries) {
      const { kind, size, mode, mtime } = status;
      found.push({ name, kind, size, mode, when: Number(BigInt(mtime) / 1_000_000n), kept: true });
    }
    more = page.more && page.entries.length > 0;
    refuseMore(found, more, 'this folder');
  }
  return found;
}

async function entryAt(history: History, entry: PastName, point: PastPoint): Promise<PastEntry> {
  const { name, fid, status, since } = entry;
  const { kind } = status;
  if (kind !== 'file') {
    return { name, kind, size: status.size, mode: status.mode, when: since.when, kept: true };
  }
  // null: it had no contents yet.
  const then = await newestVersion(history, fid, (each) => isBy(each.since, point));
  if (then === null)
    return { name, kind, size: 0, mode: status.mode, when: since.when, kept: true };
  const { size, mode } = then.status;
  return { name, kind, size, mode, when: then.since.when, kept: then.kept };
}
