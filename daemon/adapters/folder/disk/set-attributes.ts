/** Mode, extended attributes and modification time of something of ours on the disk, without following a link. */
import { mtimeInRange, type VnodeStatus } from '../../../../shared/model/vnode.ts';
import { there, type DiskLooks, type HostFileCalls } from './disk.ts';
import { BEGUN_MODE, isBegun, plainMode, SPECIAL_MODE, unlockedMode } from './disk-facts.ts';
import { sameXattrs, writeXattrs, type LeftXattrs } from './xattrs.ts';

type Attributes = Pick<VnodeStatus, 'kind' | 'mode' | 'mtime' | 'xattrs'>;

/** What it has, as far as known: what is equal is not set. */
export interface AttributesBefore {
  readonly mode: number;
  readonly xattrs?: Attributes['xattrs'];
}

export interface AttributesSet {
  /** Extended attributes that do not become equal; null: they were left as they are. */
  readonly xattrs: LeftXattrs | null;
  /** setuid or setgid was taken away. */
  readonly isTamed: boolean;
}

const NOTHING: AttributesSet = { xattrs: null, isTamed: false };

/**
 * `before` null: its contents are new here. `known`: extended attributes that were synced of it; others that can't be are left as they are. The
 * mode comes last: it ends what was begun (BEGUN_MODE). setuid, setgid and sticky are never set (rule F3). They stay with a directory, and with
 * a file whose contents stay and whose mode gives nobody more than before.
 */
export function setAttributes(
  files: HostFileCalls & Pick<DiskLooks, 'status'>,
  path: string,
  wanted: Attributes,
  before: AttributesBefore | null,
  { hasXattrs, known = [] }: { hasXattrs: boolean; known?: Attributes['xattrs'] },
): AttributesSet {
  const mtime = BigInt(mtimeInRange(wanted.mtime));
  if (wanted.kind === 'symlink') {
    files.setMtime(path, mtime);
    return NOTHING;
  }
  const current = before?.mode ?? modeOfNew(files, path, wanted.kind);
  const kept = keptSpecial(wanted, current, before !== null);
  const mode = plainMode(wanted.mode) | kept;
  const isTamed = wanted.kind === 'file' && before !== null && (current & SPECIAL_MODE & ~kept) > 0;
  let isUnlocked = false;
  let xattrs: LeftXattrs | null = null;
  try {
    if (hasXattrs && (before?.xattrs === undefined || !sameXattrs(before.xattrs, wanted.xattrs))) {
      const write = (): LeftXattrs =>
        writeXattrs(files, path, wanted.xattrs, before?.xattrs ?? known);
      try {
        xattrs = write();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
        // Its owner has no right to write it, and needs one for this.
        files.setMode(path, unlockedMode({ kind: wanted.kind, mode: current }));
        isUnlocked = true;
        xattrs = write();
      }
    }
    files.setMtime(path, mtime);
  } catch (error) {
    if (isUnlocked) files.setMode(path, current);
    throw error;
  }
  if (before === null || before.mode !== mode || isUnlocked) files.setMode(path, mode);
  return { xattrs, isTamed };
}

function keptSpecial(
  { kind, mode }: Attributes,
  current: number,
  areContentsHere: boolean,
): number {
  const isNoMore = (plainMode(mode) & ~plainMode(current)) === 0;
  if (kind === 'file' && !(areContentsHere && isNoMore)) return 0;
  return current & SPECIAL_MODE;
}

/** Without the mark that it is only begun. */
function modeOfNew(
  files: Pick<DiskLooks, 'status'>,
  path: string,
  kind: Attributes['kind'],
): number {
  const mode = Number(there(files.status(path), path).mode) & 0o7777;
  return isBegun({ kind, mode }) ? mode & ~BEGUN_MODE : mode;
}
