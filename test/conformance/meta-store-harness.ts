/** What the suites of the MetaStore port need of an implementation. */
import type { DeviceId, Rights } from '../../shared/model/change.ts';
import type { WallTime } from '../../shared/model/time.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import type { AnyRow, KeyOf, RowKey, RowKind, RowOf } from '../../shared/model/stored.ts';

export interface MetaHarness {
  /** An empty store, not yet opened. */
  readonly store: MetaStore;
  /** The store as another process finds it, after the one before ended without a word; not yet opened. */
  restart(): MetaStore;
  /** An administrator, in another process: invites to the first volume. */
  invite(invitation: { user: string; rights: Rights; expires: WallTime }): {
    id: string;
    secret: string;
  };
  revoke(device: DeviceId): void;
  /** Sets the quota of the first volume; null: none. */
  limit(bytes: number | null): void;
  /** The store was put back from a backup; nobody has it open. */
  beginEpoch(now: WallTime): void;
  end(): Promise<void>;
}

/** One row, by its key. */
export async function rowOf<K extends RowKind>(store: MetaStore, key: KeyOf<K>): Promise<RowOf<K>> {
  const rows: readonly AnyRow[] = await store.load([key as RowKey]);
  return rows[0] as RowOf<K>;
}
