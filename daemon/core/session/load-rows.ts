/** The state of a client as what earlier runs made durable says. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { ClientRows, UpdateRow } from '../../../shared/ports/client-store.ts';
import { loadCacheSettings } from '../cache/tend-cache.ts';
import { loadConsistency } from '../sharing/consistency-settings.ts';
import { loadOrders } from '../sharing/sharing-orders.ts';
import { measureLog } from '../log/growth.ts';
import { loadHeld } from '../log/held-back.ts';
import { loadRooms } from '../quota/room.ts';
import { LOGGED_BEFORE } from './pair-again.ts';
import type { ClientState } from '../state.ts';
import { loadWriteback } from '../log/policy.ts';

export function loadRows(state: ClientState, rows: ClientRows): void {
  for (const [key, value] of rows.meta) state.meta.set(key, value);
  const count = (key: string): number => Number(state.meta.get(key) ?? 0);
  for (const row of rows.volume.values()) {
    const head = row.info.head > row.caughtUp ? row.info.head : row.caughtUp;
    state.volumes.set(row.info.id, {
      row,
      head,
      applied: 0 as typeof head,
      catchingUp: 'no',
      walk: null,
      blocksAsked: false,
      madeBefore: row.blocks,
      isShut: false,
    });
  }
  state.attributes.load(rows.status);
  state.names.load(rows.directory, rows.entry);
  state.files.load(rows.content, count('last-content'));
  const updates: UpdateRow[] = [...rows.update.values()].sort((a, b) => a.seq - b.seq);
  state.log.load(updates, count('last-seq'));
  state.log.pairedAfter(count(LOGGED_BEFORE));
  loadConsistency(state);
  loadWriteback(state);
  loadCacheSettings(state);
  state.pins.load(rows.pin);
  state.notes.load(rows.note);
  for (const { content } of updates) if (content !== null) state.files.hold(content);
  // What was on its way when we ended may have left marks, whatever became of it.
  if (updates.length > 0) state.marked = state.log.lastSeq;
  measureLog(state);
  loadRooms(state);
  loadOrders(state);
  loadHeld(state);
  state.adjustments.load(rows.adjustment, count('last-adjustment'));
  state.conflicts.load(rows.conflict, count('last-conflict'));
  for (const [fid, alias] of rows.alias) state.aliases.set(fid as Fid, alias);
  state.paused = state.meta.get('paused') === true;
  state.networks.load(rows.meta);
}
