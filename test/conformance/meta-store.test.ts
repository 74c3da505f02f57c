import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe } from '@jest/globals';
import { MemoryMetaStore } from '../../app/sim/store/memory-meta-store.ts';
import { openServerDatabase } from '../../server/adapters/meta-sqlite/server-database.ts';
import { SqliteMetaStore } from '../../server/adapters/meta-sqlite/sqlite-meta-store.ts';
import { hashOfSecret } from '../../shared/model/invitation.ts';
import type { WallTime } from '../../shared/model/time.ts';
import { metaStoreSuite } from './meta-store.suite.ts';

const NEVER = 8e15 as WallTime;

describe('MemoryMetaStore', () => {
  metaStoreSuite(() => {
    const store = new MemoryMetaStore();
    return {
      store,
      reopen: () => Promise.resolve(store),
      invite: (id, secret, user) =>
        store.invite({ id, secret, user, rights: 'read', expires: NEVER }),
      revoke: (device) => store.revoke(device),
    };
  });
});

describe('SqliteMetaStore', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  metaStoreSuite(() => {
    const folder = mkdtempSync(join(tmpdir(), 'godwit-meta-'));
    folders.push(folder);
    const file = join(folder, 'server.db');
    const run = (sql: string, ...values: unknown[]): void => {
      const database = openServerDatabase(file);
      database.prepare(sql).run(...values);
      database.close();
    };
    return {
      store: new SqliteMetaStore(file),
      reopen: () => Promise.resolve(new SqliteMetaStore(file)),
      invite: (id, secret, user) => {
        run('INSERT OR IGNORE INTO user (name) VALUES (?)', user);
        run(
          `INSERT INTO invitation (id, secret_hash, user, volume, rights, created_ms, expires_ms)
           SELECT ?, ?, id, 1, 'read', 0, ? FROM user WHERE name = ?`,
          ...[id, hashOfSecret(secret), NEVER, user],
        );
      },
      revoke: (device) => run('UPDATE device SET revoked_ms = 1 WHERE id = ?', device),
    };
  });
});
