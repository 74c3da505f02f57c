/**
 * Rows of devices say who may do what. Whatever they were read for, what they say holds before anything is done with them (rule A3): also for the
 * session that a device has on an older connection, and even if what asked for them is refused.
 */
import type { RowKey } from '../../../shared/model/stored.ts';
import type { LoadedRows } from '../commit/row-view.ts';
import type { Context } from '../state.ts';
import { accessChanged } from './end-session.ts';

/** Takes the rights in rows that were loaded. They may be older than what came before them, so watchers of rights look once more. */
export function hearAccess(ctx: Context, keys: readonly RowKey[], rows: LoadedRows): void {
  for (const key of keys) {
    if (key.kind !== 'device') continue;
    ctx.state.accessDoubts += 1;
    const stored = rows.row(key) ?? null;
    if (stored === null) continue;
    const { id: device, revoked, access } = stored;
    accessChanged(ctx, [{ device, revoked, access }]);
  }
}
