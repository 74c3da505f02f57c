/** Contents in the log that their own laptop has given up since: it ended the vnode that they were written to. */
import type { ClientState } from '../state.ts';
import type { LoggedUpdate } from './update-log.ts';
import { relog } from './relog.ts';
import { rebased, endsName } from './rewrite.ts';
import type { StoreUpdate, Update } from '../../../shared/model/update.ts';
import { isStoreOf } from './store-chain.ts';
import { type DataVersion, dataVersion } from '../../../shared/model/vnode.ts';

/** Drops contents that the server has surely not taken, of a vnode that was ended over them. False: it was not ended. */
export function dropGivenUp(state: ClientState, entry: LoggedUpdate): boolean {
  const { update } = entry;
  if (update.op !== 'store' || !gaveUp(state.log.dependents(entry), update)) return false;
  relog(state, entry, { instead: [], dependent: (later) => rebased(later, update.fid, -1) });
  return true;
}

/**
 * We ended the vnode, and wrote nothing to it since: another laptop may have brought it back under another name meanwhile. Who
 * ended it must have seen what was written: a folder may not show yet what a program stored.
 */
export function gaveUp(dependents: readonly LoggedUpdate[], stored: StoreUpdate): boolean {
  const { fid } = stored;
  const ended = dependents.findLast((e) => e.endsVnode && endsName(e.update, fid));
  const wrote = dependents.findLast((e) => isStoreOf(e.update, fid));
  if (ended === undefined || (wrote !== undefined && wrote.seq > ended.seq)) return false;
  const last = (wrote?.update as StoreUpdate | undefined) ?? stored;
  return baseOfEnd(ended.update) > last.base;
}

/** The version that what takes a name away was made over. */
function baseOfEnd(update: Update): DataVersion {
  if (update.op === 'remove') return update.base;
  return update.op === 'rename' && update.over !== null ? update.over.base : dataVersion(0);
}
