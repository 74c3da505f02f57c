/** Whether two statuses are the same to who looks at them: everything but the commit that wrote them. */
import type { VnodeStatus } from '../../../../shared/model/vnode.ts';

/** Compares two statuses in all but their commit. */
export function sameStatus(one: VnodeStatus, other: VnodeStatus): boolean {
  return (
    one.fid === other.fid &&
    one.kind === other.kind &&
    one.version === other.version &&
    one.digest === other.digest &&
    one.mode === other.mode &&
    one.mtime === other.mtime &&
    one.size === other.size &&
    one.links === other.links &&
    one.target === other.target &&
    JSON.stringify(one.xattrs) === JSON.stringify(other.xattrs)
  );
}
