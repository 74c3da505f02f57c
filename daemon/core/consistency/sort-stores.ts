/** Stores of shared files go in STORE_FAST, before others (MFS, section 5.1): what is queued is sorted anew with each word about a file. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import type { ClientState } from '../state.ts';
import { reorder } from '../writeback/offer.ts';
import type { LoggedUpdate } from '../writeback/update-log.ts';

/** The server has told; left out: it has no opinion, or keeps it. */
export function learnShared(state: ClientState, fid: Fid, isShared: boolean | undefined): void {
  if (isShared === undefined || !state.sharedFiles.learn(fid, isShared)) return;
  sortStoresOf(state, fid);
}

/** An update comes into the log. What is renamed over a shared file is one, with what is queued of it (rule W3). */
export function sortLogged(state: ClientState, entry: LoggedUpdate): void {
  const { update } = entry;
  if (update.op === 'store') entry.shared = state.sharedFiles.has(update.fid);
  const replaced = replacedBy(update);
  if (replaced !== null && state.sharedFiles.has(replaced)) learnShared(state, update.fid, true);
}

function replacedBy(update: Update): Fid | null {
  return update.op === 'rename' ? (update.over?.fid ?? null) : null;
}

function sortStoresOf(state: ClientState, fid: Fid): void {
  let some = false;
  for (const indexed of state.log.index.onVnode(fid)) {
    const entry = indexed as LoggedUpdate;
    const isShared = state.sharedFiles.has(fid);
    if (entry.update.op !== 'store' || entry.shared === isShared) continue;
    entry.shared = isShared;
    some = true;
  }
  if (!some) return;
  reorder(state);
  state.changed = true;
}
