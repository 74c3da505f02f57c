/** Mode, extended attributes and modification time of something of ours on the disk, without following a link. */
import { chmodSync, closeSync, constants, existsSync, lstatSync, openSync } from 'node:fs';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Host } from '../../../shared/ports/host.ts';
import { BEGUN_MODE, isBegun, plainMode, specialMode } from './disk-facts.ts';
import { sameXattrs, writeXattrs } from './xattrs.ts';

/** Linux's O_PATH, which Node has no name for: an open that needs no right to the contents. */
const O_PATH = 0o10000000;
const FD_PATHS = process.platform === 'linux' && existsSync('/proc/self/fd');

type Attributes = Pick<VnodeStatus, 'kind' | 'mode' | 'mtime' | 'xattrs'>;

/**
 * `before`: what it has, as far as known; what is equal is not set. null: it is new. The mode comes last: it ends what was begun
 * (BEGUN_MODE). setuid, setgid and sticky are never set (rule F3), and
 * taken from whatever has them but a directory.
 */
export function setAttributes(
  host: Host,
  path: string,
  wanted: Attributes,
  before: { mode: number; xattrs?: Attributes['xattrs'] } | null,
  hasXattrs: boolean,
): void {
  if (wanted.kind === 'symlink') return host.setMtime(path, BigInt(wanted.mtime));
  const current = before?.mode ?? modeOfNew(path, wanted.kind);
  const mode = plainMode(wanted.mode) | specialMode({ kind: wanted.kind, mode: current });
  const isOther = before?.xattrs === undefined || !sameXattrs(before.xattrs, wanted.xattrs);
  const hasSome = wanted.xattrs.length > 0 || before !== null;
  if (hasXattrs && isOther && hasSome)
    unlinked(path, (safe) => writeXattrs(host, safe, wanted.xattrs));
  host.setMtime(path, BigInt(wanted.mtime));
  if (before === null || before.mode !== mode) unlinked(path, (safe) => chmodSync(safe, mode));
}

/** Without the mark that it is only begun. */
function modeOfNew(path: string, kind: Attributes['kind']): number {
  const mode = lstatSync(path).mode & 0o7777;
  return isBegun({ kind, mode }) ? mode & ~BEGUN_MODE : mode;
}

/** chmod and xattrs follow links: so they get a path of the inode itself. */
function unlinked(path: string, act: (safe: string) => void): void {
  if (!FD_PATHS) return act(path);
  const fd = openSync(path, O_PATH | constants.O_NOFOLLOW);
  try {
    act(`/proc/self/fd/${fd}`);
  } finally {
    closeSync(fd);
  }
}
