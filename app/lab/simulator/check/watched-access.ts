/**
 * The server's database, seen from between the two: what it tells the server about who may do what.
 *
 * Heard in the moment in which the server hears it: right before its own handler of the same promise, with nothing in between.
 */
import type {
  AnyRow,
  DeviceAccess,
  RowKey,
  StoredDevice,
} from '../../../../shared/model/stored.ts';
import type { MetaStore } from '../../../../shared/ports/meta-store.ts';
import type { Observe } from './observation.ts';

/**
 * Wraps the server's MetaStore so that a checker observes what it returns about devices and their rights.
 */
export function watchedAccess(store: MetaStore, hear: Observe): MetaStore {
  return {
    open: (first) => store.open(first),
    commit: (writes) => store.commit(writes),
    changedOutside: () => store.changedOutside(),
    volumes: () => store.volumes(),
    askAccess: (question, asker) => store.askAccess(question, asker),
    close: () => store.close(),
    load(keys) {
      return heard(store.load(keys), (rows) => {
        const devices = devicesIn(keys, rows);
        if (devices.length > 0) hear({ kind: 'access', devices });
      });
    },
    accessOf(asked) {
      return heard(store.accessOf(asked), (devices) => hear({ kind: 'access', devices }));
    },
  };
}

/** The same promise: handlers of one promise run one after the other, in the order in which they were given. */
function heard<T>(answer: Promise<T>, tell: (value: T) => void): Promise<T> {
  answer.then(tell, () => undefined);
  return answer;
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
