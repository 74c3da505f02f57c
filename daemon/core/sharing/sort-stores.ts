/** Stores of shared files go in STORE_FAST, before others (MFS, section 5.1): what is queued is sorted anew with each word about a file. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { StoreUpdate, Update } from '../../../shared/model/update.ts';
import type { DataVersion } from '../../../shared/model/vnode.ts';
import { SMALL_SAVE } from '../../limits.ts';
import type { ClientState } from '../state.ts';
import { announceAgain } from './forward-invalidation.ts';
import { holdingOrder, inheritOrder } from './sharing-orders.ts';
import { reorder } from '../log/offer.ts';
import { expediteStore } from './raise-call.ts';
import type { LoggedUpdate } from '../log/update-log.ts';

/** Takes the server's report whether a file is shared; undefined: the answer has none. */
export function learnShared(state: ClientState, fid: Fid, isShared: boolean | undefined): void {
  if (isShared === undefined || !state.sharing.sharedFiles.learn(fid, isShared)) return;
  sortStoresOf(state, fid);
}

/** An update comes into the log. What is renamed over a shared file is one, with what is queued of it (rule W3). */
export function sortLogged(state: ClientState, entry: LoggedUpdate): void {
  const { update } = entry;
  if (update.op === 'store') entry.shared = goesBeforeOthers(state, update);
  const replaced = replacedBy(update);
  if (replaced !== null && state.sharing.sharedFiles.has(replaced))
    learnShared(state, update.fid, true);
  if (replaced !== null) inheritOrder(state, replaced, update.fid);
  if (update.op !== 'rename') return;
  if (replaced !== null) sortStoresOf(state, update.fid);
  if (!state.sharing.orders.hasAny(entry.volume)) return;
  // It has come under other folders, with all that is in it.
  if (entry.movesDirectory) state.sharing.wantSort();
  else sortStoresOf(state, update.fid);
}

/**
 * Its order is obeyed, and what the server's monitor thinks. And a small save goes first where others may have the file, also as a replica that no
 * program has read: the monitor does not count that as use, but what is in their folders is old until the save is there.
 */
function goesBeforeOthers(state: ClientState, { fid, base, size }: StoreUpdate): boolean {
  if (state.sharing.settings.storePriorities !== 'differentiated') return false;
  const holding = holdingOrder(state, fid);
  if (holding !== null) return holding.order === 'shared';
  if (state.sharing.sharedFiles.has(fid)) return true;
  return (
    size <= SMALL_SAVE && !state.sharing.promises.isOwn(fid) && isKnownToOthers(state, fid, base)
  );
}

/** The server has had contents of it, or of what it is renamed over (rule W3). */
function isKnownToOthers(state: ClientState, fid: Fid, base: DataVersion): boolean {
  if (base > 0) return true;
  return state.log.index.onVnode(fid).some(({ update }) => {
    return update.fid === fid && replacedBy(update) !== null;
  });
}

/** Users have said something else, or what is queued has come under another word of theirs. */
export function sortByOrders(state: ClientState): void {
  if (!state.sharing.takeSort()) return;
  const stores = [...state.log.all()].filter(({ update }) => update.op === 'store');
  for (const fid of new Set(stores.map(({ update }) => update.fid))) sortStoresOf(state, fid);
  announceAgain(state);
}

function replacedBy(update: Update): Fid | null {
  return update.op === 'rename' ? (update.over?.fid ?? null) : null;
}

function sortStoresOf(state: ClientState, fid: Fid): void {
  let some = false;
  for (const indexed of state.log.index.onVnode(fid)) {
    const entry = indexed as LoggedUpdate;
    if (entry.update.op !== 'store') continue;
    const isShared = goesBeforeOthers(state, entry.update);
    if (entry.shared === isShared) continue;
    entry.shared = isShared;
    if (isShared) expediteStore(state, entry);
    some = true;
  }
  if (!some) return;
  reorder(state);
  state.changed = true;
}
