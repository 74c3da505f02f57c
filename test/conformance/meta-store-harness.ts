/** What the suites of the MetaStore port need of an implementation. */
import type { DeviceId, Rights } from '../../shared/model/change.ts';
import type { WallTime } from '../../shared/model/time.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import type { AnyRow, KeyOf, RowKey, RowKind, RowOf } from '../../shared/model/stored.ts';

export interface MetaHarness {
  /** An empty store, not yet opened. */
  readonly store: MetaStore;
  /** The store as the next process finds it after a crash, not yet opened. */
  restart(): MetaStore;
  /** An administrator, in another process: invites to the first volume. */
  invite(invitation: { user: string; rights: Rights; expires: WallTime }): {
    id: string;
    secret: string;
  };
  revoke(device: DeviceId): void;
  rename(device: DeviceId, name: string): void;
  /** Sets the quota of the first volume in bytes; null removes it. */
  limit(bytes: number | null): void;
  /** Begins an epoch, as a restore from a backup does while no process has the store open. */
  beginEpoch(now: WallTime): void;
  end(): Promise<void>;
}

/** The row of a key. */
export async function rowOf<K extends RowKind>(store: MetaStore, key: KeyOf<K>): Promise<RowOf<K>> {
  const rows: readonly AnyRow[] = await store.load([key as RowKey]);
  return rows[0] as RowOf<K>;
}
