/**
 * A mount point (rules M2, M6): a directory of one volume that shows the root of another. It is told as an empty directory whose `target` is the
 * number of that volume, so a program that knows no mount points shows an empty folder. Nothing is ever in the directory itself.
 */
import type { VolumeId } from './fid.ts';
import type { VnodeStatus } from './vnode.ts';

const MAX_VOLUME = 0xffff_ffff;

/** The `target` of the mount point of a volume. */
export const mountTarget = (volume: VolumeId): string => String(volume);

/** The volume that a vnode shows; null: it is no mount point, or names none that there can be. */
export function mountedVolume({
  kind,
  target,
}: Pick<VnodeStatus, 'kind' | 'target'>): VolumeId | null {
  if (!isMountPoint({ kind, target }) || !/^[1-9]\d{0,9}$/.test(target ?? '')) return null;
  const volume = Number(target);
  return volume > MAX_VOLUME ? null : (volume as VolumeId);
}

/** Whether a vnode is a mount point, whatever it shows. */
export function isMountPoint({ kind, target }: Pick<VnodeStatus, 'kind' | 'target'>): boolean {
  return kind === 'directory' && target !== null;
}
