/** The state of a client as what earlier runs made durable says. */
import type { ClientRows, UpdateRow } from '../../../shared/ports/client-store.ts';
import { loadRecent } from '../cache/kept-recent.ts';
import { loadCacheSettings } from '../cache/update-cache.ts';
import { loadConsistency } from '../sharing/consistency-settings.ts';
import { loadLocks } from '../lock/keep-locks.ts';
import { loadDevices } from '../names/known-devices.ts';
import { loadRemovals } from '../sharing/kept-removals.ts';
import { loadOrders } from '../sharing/sharing-orders.ts';
import { measureLog } from '../log/growth.ts';
import { loadLimits } from '../network/transfer-limits.ts';
import { loadHeld } from '../log/held-back.ts';
import { loadRooms } from '../quota/room.ts';
import { LOGGED_BEFORE } from './pair-again.ts';
import type { ClientState } from '../state.ts';
import { keepWhatIsLeft } from '../recovery/epochs-before.ts';
import { loadWriteback } from '../log/policy.ts';

/**
 * Fills the state of a client from its durable rows. Contents that a logged store names are held.
 */
export function loadRows(state: ClientState, rows: ClientRows): void {
  state.meta.load(rows.meta);
  const count = (key: string): number => Number(state.meta.get(key) ?? 0);
  for (const row of rows.volume.values()) {
    const head = row.info.head > row.caughtUp ? row.info.head : row.caughtUp;
    state.names.volumes.add(row, head, row.blocks);
  }
  state.names.attributes.load(rows.status);
  state.names.directories.load(rows.directory, rows.entry);
  state.cache.files.load(rows.content, count('last-content'));
  keepWhatIsLeft(state);
  const updates: UpdateRow[] = [...rows.update.values()].sort((a, b) => a.seq - b.seq);
  state.log.load(updates, count('last-seq'));
  state.log.pairedAfter(count(LOGGED_BEFORE));
  loadConsistency(state);
  loadWriteback(state);
  loadCacheSettings(state);
  loadLimits(state);
  state.cache.pins.load(rows.pin);
  state.cache.excluded.load(rows.excluded);
  state.calls.notes.load(rows.note);
  for (const { content } of updates) if (content !== null) state.cache.files.hold(content);
  // Updates that were on their way when the daemon ended may have left marks, applied or not.
  if (updates.length > 0) state.queue.mark(state.log.lastSeq);
  measureLog(state);
  loadRooms(state);
  loadRemovals(state);
  loadOrders(state);
  loadLocks(state);
  loadDevices(state);
  loadRecent(state);
  loadHeld(state);
  state.conflict.adjustments.load(rows.adjustment, count('last-adjustment'));
  state.conflict.list.load(rows.conflict, count('last-conflict'));
  state.names.aliases.load(rows.alias);
  state.session.pause(state.meta.get('paused') === true);
  state.networks.load(rows.meta);
}
