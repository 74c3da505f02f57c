/** Updates as devices of a test send them to the core of a server: of one volume, with what no test is about filled in. */
import { rootOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import type { Update } from '../../shared/model/update.ts';
import type { DataVersion, Mtime } from '../../shared/model/vnode.ts';

/** The volume of the updates. */
export const VOLUME = 1 as VolumeId;
export const ROOT = rootOf(VOLUME);
/** The time of the updates. */
export const AT = '1' as Mtime;

export const create = (fid: Fid, name: string, dir = ROOT) =>
  ({ op: 'create', fid, dir, name, mode: 0o644, mtime: AT, xattrs: [], at: AT }) as const;
export const mkdir = (fid: Fid, name: string, dir = ROOT) =>
  ({ op: 'mkdir', fid, dir, name, mode: 0o755, mtime: AT, xattrs: [], at: AT }) as const;
export const symlink = (fid: Fid, name: string, dir = ROOT) =>
  ({ op: 'symlink', fid, dir, name, target: 'there', mtime: AT, at: AT }) as const;
export const link = (fid: Fid, name: string, dir = ROOT) =>
  ({ op: 'link', fid, dir, name, at: AT }) as const;
export const remove = (fid: Fid, name: string, base = 0, dir = ROOT) =>
  ({ op: 'remove', fid, dir, name, base: base as DataVersion, at: AT }) as const;
export const rmdir = (fid: Fid, name: string, dir = ROOT) =>
  ({ op: 'rmdir', fid, dir, name, at: AT }) as const;
export const chmod = (fid: Fid, mode: number) =>
  ({ op: 'setattr', fid, mode, mtime: null, xattrs: null }) as const;
export const rename = (
  fid: Fid,
  from: string,
  to: string,
  options: { fromDir?: Fid; toDir?: Fid; over?: Fid; base?: number } = {},
): Extract<Update, { op: 'rename' }> => ({
  op: 'rename',
  fid,
  fromDir: options.fromDir ?? ROOT,
  fromName: from,
  toDir: options.toDir ?? ROOT,
  toName: to,
  over:
    options.over === undefined
      ? null
      : { fid: options.over, base: (options.base ?? 0) as DataVersion },
  at: AT,
});
