/** The server's database, seen from between the two: what it tells the server about who may do what. */
import type { AnyRow, DeviceAccess, RowKey, StoredDevice } from '../../../shared/model/stored.ts';
import type { MetaStore } from '../../../shared/ports/meta-store.ts';
import type { Hear } from './observation.ts';

export function watchedAccess(store: MetaStore, hear: Hear): MetaStore {
  return {
    open: (first) => store.open(first),
    commit: (writes) => store.commit(writes),
    changedOutside: () => store.changedOutside(),
    close: () => store.close(),
    async load(keys) {
      const rows = await store.load(keys);
      const devices = devicesIn(keys, rows);
      if (devices.length > 0) hear({ kind: 'access', devices });
      return rows;
    },
    async accessOf(asked) {
      const devices = await store.accessOf(asked);
      hear({ kind: 'access', devices });
      return devices;
    },
  };
}

function devicesIn(
  keys: readonly RowKey[],
  rows: readonly AnyRow[],
): Array<DeviceAccess & { fingerprint: string }> {
  return keys.flatMap((key, i) => {
    const row = key.kind === 'device' ? (rows[i] as StoredDevice | null) : null;
    if (row === null) return [];
    const { id: device, revoked, access, fingerprint } = row;
    return [{ device, revoked, access, fingerprint }];
  });
}
