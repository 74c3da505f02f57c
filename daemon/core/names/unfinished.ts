/**
 * Files that were made here and will never be stored. A making is sent before the contents are logged; where the daemon is killed in between,
 * and the file is gone when it is back, nobody knows of it but the server (rule W2: for others it is a file whose contents are still to come).
 */
import { parseFid, volumeOf, type Fid } from '../../../shared/model/fid.ts';
import { lacksContents } from '../../../shared/model/vnode.ts';
import type { ClientState } from '../state.ts';

/**
 * Made by an earlier run, without contents, and nothing of it is queued. Vnodes of blocks that were used up by then are not known as ours any more:
 * of those it says no.
 */
export function isUnfinished(
  { names: { attributes, volumes }, log }: ClientState,
  fid: Fid,
): boolean {
  const [status, parts] = [attributes.get(fid), parseFid(fid)];
  if (status === undefined || parts === null || !lacksContents(status)) return false;
  if (log.index.onVnode(fid).length > 0) return false;
  const { vnode, uniquifier } = parts;
  const blocks = volumes.get(volumeOf(fid))?.madeBefore ?? [];
  return blocks.some(
    (block) =>
      block.uniquifier === uniquifier && vnode >= block.first && vnode < block.first + block.used,
  );
}
