import type { Fid } from '../../shared/model/fid.ts';
import type { DataVersion } from '../../shared/model/vnode.ts';
import type { ClientState } from './state.ts';

/**
 * Our own store is no other's change: whoever writes over the version before it, writes over it. But not a front end that tells what
 * it found on its disk, and has not shown that store there.
 */
export function moveBasesOn(
  state: ClientState,
  fid: Fid,
  before: DataVersion,
  after: DataVersion,
): void {
  for (const handle of state.handles.values()) {
    if (handle.observed !== null || handle.fid !== fid) continue;
    if (handle.writing && handle.base === before) handle.base = after;
  }
}
