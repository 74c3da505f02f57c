/**
 * Saves whose contents on this disk are damaged: they wait to be sent, for somebody may put a good copy back, and nothing waits behind them
 * that is a newer save of the same file, or its removal.
 *
 * The server has looked at such a save and taken nothing of it, under its number or another: so it may have other contents, or go (rule W5).
 */
import { isStoreOf } from '../log/store-chain.ts';
import { AS_IT_IS, relog } from '../log/relog.ts';
import type { ClientState } from '../state.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import { dropGivenUp } from '../log/given-up.ts';

/**
 * Gives a damaged save the contents of the next save of its file whose contents differ. That one stays and is sent after it, for a folder counts the
 * versions that were reported to it. If there is none and the file has ended since, the damaged save is dropped. Returns false if it has to wait.
 */
export function mendDamaged(state: ClientState, entry: LoggedUpdate): boolean {
  const { update: damaged, renumbered } = entry;
  if (damaged.op !== 'store') return false;
  const next = state.log.dependents(entry).find(({ update }) => {
    return isStoreOf(update, damaged.fid) && update.digest !== damaged.digest;
  });
  if (next?.update.op !== 'store') return dropGivenUp(state, entry);
  const { size, digest, mtime } = next.update;
  const instead = [{ update: { ...damaged, size, digest, mtime }, content: next.content }];
  relog(state, entry, { instead, dependent: AS_IT_IS, renumbered });
  return true;
}
