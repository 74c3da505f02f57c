/**
 * Saves whose contents on this disk are damaged: they wait to be sent, for somebody may put a good copy back, and nothing waits behind them
 * that is a newer save of the same file.
 *
 * The server has looked at such a save and taken nothing of it, under its number or another: so a newer one may take its place (rule W5).
 */
import { dataVersion } from '../../../shared/model/vnode.ts';
import { isStoreOf, lineOf } from '../conflict/line.ts';
import { relog } from '../conflict/relog.ts';
import { rebased } from '../conflict/rewrite.ts';
import { moveBasesOn } from '../move-bases.ts';
import type { ClientState } from '../state.ts';
import type { LoggedUpdate } from './update-log.ts';

export const DAMAGED = 'its contents on this disk are damaged';

/** The server has said so, on this connection. */
export const isDamaged = ({ state, blockedBy }: LoggedUpdate): boolean =>
  state === 'blocked' && blockedBy === DAMAGED;

/**
 * The newest save of the file that is made over a damaged one goes in its place, and what waited for that waits for it; those in
 * between are pointless. False: there is none.
 */
export function replaceDamaged(state: ClientState, entry: LoggedUpdate): boolean {
  const { update: damaged, renumbered } = entry;
  if (damaged.op !== 'store') return false;
  const { fid } = damaged;
  const dependents = state.log.dependents(entry);
  const line = lineOf(fid, [entry, ...dependents]);
  const newest = dependents.findLast(({ update }) => update === line.at(-1));
  if (newest?.update.op !== 'store') return false;
  const { update: last, content, rank } = newest;
  const written = { ...last, base: damaged.base };
  const { instead } = relog(state, entry, {
    instead: [{ update: written, content }],
    dependent: (later) => {
      if (isStoreOf(later, fid) && line.includes(later)) return null;
      return rebased(later, fid, damaged.base - last.base);
    },
    renumbered,
  });
  moveBasesOn(state, fid, dataVersion(last.base + 1), dataVersion(damaged.base + 1));
  for (const successor of instead) awaitInstead(state, rank, successor);
  return true;
}

/** Who waits for the newest one to be committed, waits for what has taken its place. */
function awaitInstead(
  state: ClientState,
  before: LoggedUpdate['rank'],
  { seq, rank }: LoggedUpdate,
): void {
  for (const [call, close] of state.syncCloses) {
    if (close.rank === before) state.syncCloses.set(call, { ...close, seq, rank });
  }
}
