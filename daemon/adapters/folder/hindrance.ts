/**
 * What keeps a folder from becoming another volume with all that is in it. A rename takes along what is on the disk, and nothing else; and what is kept
 * out of sync there would be another's to see.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import { isRoomName } from '../../../shared/control/marker.ts';
import type { Disk } from './disk/disk.ts';
import { isLocked } from './disk/disk-facts.ts';
import type { SafeRoot } from './disk/safe-root.ts';
import type { ErrorBoard } from './error-board.ts';
import type { FolderRecords } from './records/folder-records.ts';
import type { LetOthersRun } from './yielder.ts';
import type { IgnoreRules } from './local/ignore-rules.ts';

/** The first that was found, with the reason in words. */
export interface Hindrance {
  readonly path: readonly string[];
  readonly reason: string;
  /** It may be over when everything was looked at again. */
  readonly passes?: true;
}

export interface HindranceParts {
  readonly root: SafeRoot;
  readonly files: Pick<Disk, 'names'>;
  readonly records: FolderRecords;
  readonly ignored: IgnoreRules;
  readonly board: Pick<ErrorBoard, 'messageOf'>;
  readonly letOthersRun: LetOthersRun;
}

const UNSYNCED = 'it is not synced (yet)';
const AWAY = 'its contents are not on this laptop';
const MISSING = 'it is missing on this disk';
const MOUNTED = 'another volume is shown there';
const OTHER_DISK = 'another disk is mounted there';
const LOCKED = 'it may not be changed (chmod u+w)';

/** The first hindrance in a directory or beneath it; null: there is none. Takes steps linear in what is in it. Rejects with what the disk says. */
export async function hindranceIn(
  parts: HindranceParts,
  path: readonly string[],
): Promise<Hindrance | null> {
  const { records, letOthersRun } = parts;
  const dir = records.directoryAt(path);
  const reason = dir === null ? UNSYNCED : ofDirectory(parts, dir, path);
  if (dir === null || reason !== null) return { path, reason: reason ?? UNSYNCED };
  const left: Array<{ readonly dir: Fid; readonly path: readonly string[] }> = [{ dir, path }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    await letOthersRun();
    const known = new Map<string, Fid>();
    for (const [name, fid] of records.entries(next.dir)) {
      known.set(records.shownName({ dir: next.dir, name }, fid), fid);
    }
    for (const name of namesIn(parts, next.path)) {
      const at = [...next.path, name];
      const fid = known.get(name) ?? null;
      known.delete(name);
      const found = ofName(parts, at, fid, path.length);
      if (found !== null) {
        return { path: at, reason: found, ...(found === UNSYNCED ? { passes: true } : {}) };
      }
      if (fid !== null && records.get(fid)?.kind === 'directory') left.push({ dir: fid, path: at });
    }
    const [missing] = known.keys();
    if (missing !== undefined) {
      return { path: [...next.path, missing], reason: MISSING, passes: true };
    }
  }
  return null;
}

const namesIn = ({ root, files }: HindranceParts, path: readonly string[]): string[] =>
  root.within(path, (base) => files.names(base)).sort();

/** `fid`: what is recorded there; `depth`: of the folder that is to become a volume. */
function ofName(
  parts: HindranceParts,
  path: readonly string[],
  fid: Fid | null,
  depth: number,
): string | null {
  const { root, records, ignored, board } = parts;
  if (isRoomName(path.at(-1) ?? '')) return OTHER_DISK;
  const record = fid === null ? null : records.get(fid);
  const kind = record === null ? root.factsOrNull(path)?.kind : record.kind;
  const rule = ignored.ruleAt(path, kind === 'directory');
  // Its own rules, and the default ones, hold in the volume, too. What was synced before a rule came is in the volume around, and stays there.
  if (rule !== null && rule.depth < depth) return rule.reason;
  if (fid === null) return rule === null ? (board.messageOf(path.join('/')) ?? UNSYNCED) : null;
  if (record?.placeholder === true) return AWAY;
  return record?.kind === 'directory' ? ofDirectory(parts, fid, path) : null;
}

/** A directory gets another place only with the right to write it. */
function ofDirectory(
  { records, root }: HindranceParts,
  dir: Fid,
  path: readonly string[],
): string | null {
  if (records.mountPoints.has(dir)) return MOUNTED;
  const facts = root.factsOrNull(path);
  return facts !== null && isLocked(facts) ? LOCKED : null;
}
