import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { MemoryMetaStore } from '../../app/lab/simulator/store/memory-meta-store.ts';
import { beginEpoch } from '../../server/maintenance/restore/begin-epoch.ts';
import { renameDevice, revokeDevice } from '../../server/maintenance/accounts/devices.ts';
import { createInvitation } from '../../server/maintenance/accounts/invitations.ts';
import { setQuota } from '../../server/maintenance/quota/quotas.ts';
import { checkSeals } from '../../server/adapters/meta-sqlite/check-seals.ts';
import { openServerDatabase } from '../../server/adapters/meta-sqlite/server-database.ts';
import { SqliteMetaStore } from '../../server/adapters/meta-sqlite/sqlite-meta-store.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import type { Sqlite } from '../../shared/sqlite/database.ts';
import { SystemRandom } from '../../shared/system/system-random.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';
import { FIRST, VOLUME } from './meta-script.ts';
import type { MetaHarness } from './meta-store-harness.ts';
import { metaAccessSuite } from './meta-store-access.suite.ts';
import { metaEpochSuite } from './meta-store-epoch.suite.ts';
import { metaFeedSuite } from './meta-store-feed.suite.ts';
import { metaHistorySuite } from './meta-store-history.suite.ts';
import { metaPastSuite } from './meta-store-past.suite.ts';
import { metaQuotaSuite } from './meta-store-quota.suite.ts';
import { metaStoreSuite } from './meta-store.suite.ts';

const random = new SystemRandom();

function inMemory(defer: (deliver: () => void) => void): MetaHarness {
  const store = new MemoryMetaStore({ defer });
  return {
    store,
    restart: () => store,
    invite: ({ user, rights, expires }) => {
      const invitation = { id: random.hex(16), secret: random.hex(16) };
      store.invite({ ...invitation, user, rights, expires });
      return invitation;
    },
    revoke: (device) => store.revoke(device),
    rename: (device, name) => store.rename(device, name),
    limit: (bytes) => store.limit(VOLUME, bytes),
    beginEpoch: (now) => store.beginEpoch('b'.repeat(32), now),
    end: () => store.close(),
  };
}

/** Delivers answers in any order. */
function unordered(): (deliver: () => void) => void {
  const order = new SeededRandom('answers');
  const waiting: Array<() => void> = [];
  return (deliver) => {
    waiting.push(deliver);
    setImmediate(() => {
      const [next] = waiting.splice(order.below(waiting.length), 1);
      next?.();
    });
  };
}

function onDisk(): MetaHarness {
  const folder = mkdtempSync(join(tmpdir(), 'godwit-meta-'));
  const file = join(folder, 'meta.db');
  const stores: SqliteMetaStore[] = [];
  const open = (): SqliteMetaStore => {
    const store = new SqliteMetaStore(file, new NativeHost());
    stores.push(store);
    return store;
  };
  const outside = <T>(work: (database: Sqlite) => T): T => {
    const database = openServerDatabase(file);
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  return {
    store: open(),
    restart: open,
    invite: ({ user, rights, expires }) => {
      const request = { userName: user, volumeName: FIRST.volumeName, rights, expires };
      return outside((database) =>
        createInvitation(database, { ...request, now: FIRST.when }, random),
      );
    },
    revoke: (device) => {
      outside((database) => revokeDevice(database, device, FIRST.when));
    },
    rename: (device, name) => {
      outside((database) => renameDevice(database, device, name));
    },
    limit: (bytes) => {
      outside((database) => setQuota(database, FIRST.volumeName, bytes));
    },
    beginEpoch: (now) => {
      outside((database) => beginEpoch(database, now, random));
    },
    end: async () => {
      for (const store of stores) await store.close();
      // However the test ended, the rows agree with the commits.
      expect(outside((database) => checkSeals(database, file))).toBe(0);
      rmSync(folder, { recursive: true });
    },
  };
}

const harnesses: ReadonlyArray<readonly [string, () => MetaHarness]> = [
  ['in memory', () => inMemory((deliver) => deliver())],
  ['in memory, late', () => inMemory(unordered())],
  ['SQLite', onDisk],
];
for (const [name, make] of harnesses) {
  metaStoreSuite(name, make);
  metaHistorySuite(name, make);
  metaFeedSuite(name, make);
  metaPastSuite(name, make);
  metaEpochSuite(name, make);
  metaQuotaSuite(name, make);
  metaAccessSuite(name, make);
}
