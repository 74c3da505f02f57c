/** By how much an update lets its volume grow: the bytes of files, each counted once, as the server counts them. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { ClientState } from '../state.ts';
import { viewStatus } from './view.ts';

/** Before it is logged. `endsVnode`: it takes the last name of a vnode. */
export function growthOf(state: ClientState, update: Update, endsVnode: boolean): number {
  return growth(update, endsVnode, (fid) => bytesOf(viewStatus(state, fid)));
}

/** A store of so many bytes. */
export function growthOfStore(state: ClientState, fid: Fid, size: number): number {
  return size - bytesOf(viewStatus(state, fid));
}

/** Of everything in a log that was just loaded. */
export function measureLog(state: ClientState): void {
  const sizes = new Map<Fid, number>();
  const before = (fid: Fid): number => sizes.get(fid) ?? bytesOf(state.names.attributes.get(fid));
  for (const entry of state.log.all()) {
    const { update, endsVnode } = entry;
    state.log.measure(entry, growth(update, endsVnode, before));
    if (update.op === 'store') sizes.set(update.fid, update.size);
    const ended = endsVnode ? endedBy(update) : null;
    if (ended !== null) sizes.set(ended, 0);
  }
}

function growth(update: Update, endsVnode: boolean, before: (fid: Fid) => number): number {
  if (update.op === 'store') return update.size - before(update.fid);
  const ended = endsVnode ? endedBy(update) : null;
  return ended === null ? 0 : -before(ended);
}

/**
 * Names the vnode that a remove, or a rename over it, takes a name from; null: the update takes
 * none.
 */
export function endedBy(update: Update): Fid | null {
  if (update.op === 'remove') return update.fid;
  return update.op === 'rename' && update.over !== null ? update.over.fid : null;
}

function bytesOf(status: VnodeStatus | null | undefined): number {
  return status?.kind === 'file' ? status.size : 0;
}
