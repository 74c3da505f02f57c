/**
 * A server's database beside a core whose rows are in memory: it hears every row that the core has written, and every row that it asks for; what it
 * can't take is a fault. The devices that mean harm are invited in it.
 */
import { SqliteMetaStore } from '../../server/adapters/meta-sqlite/sqlite-meta-store.ts';
import { openServerDatabase } from '../../server/adapters/meta-sqlite/server-database.ts';
import { hashOfSecret } from '../../shared/model/invitation.ts';
import type { WallTime } from '../../shared/model/time.ts';
import type { Sqlite } from '../../shared/sqlite/database.ts';

/** Volume 2 is another user's. The last one may only read. */
export const DEVICES = [
  { user: 'owner', volume: 1, rights: 'write' },
  { user: 'owner', volume: 1, rights: 'write' },
  { user: 'other', volume: 2, rights: 'write' },
  { user: 'reader', volume: 1, rights: 'read' },
] as const;
/** The first number of hostile devices, far from those that join later. */
const FIRST_NUMBER = 100;
const SECRET = '5'.repeat(32);

/** The device number of a hostile device. */
export const numberOf = (index: number): string => String(FIRST_NUMBER + index);

/** The invitation of a hostile device. */
export function invitationOf(index: number): { readonly id: string; readonly secret: string } {
  return { id: numberOf(index).padStart(32, '0'), secret: SECRET };
}

/** A database that follows the rows of a core. */
export class ShadowDatabase {
  readonly faults: unknown[] = [];
  readonly #store: SqliteMetaStore;
  #database: Sqlite | null = null;

  constructor(file: string) {
    this.#store = new SqliteMetaStore(file, null, (name) => {
      const database = openServerDatabase(name);
      database.pragma('synchronous = OFF');
      this.#database = database;
      return database;
    });
  }

  async open(): Promise<void> {
    const names = { epoch: 'e'.repeat(32), volumeName: 'home', userName: 'owner' };
    await this.#store.open({ ...names, when: 0 as WallTime });
    const database = this.#database as Sqlite;
    database.exec(
      "INSERT INTO volume (id, name, head) VALUES (2, 'home 2', 1);" +
        "INSERT INTO user (id, name) VALUES (2, 'other'), (3, 'reader');" +
        'INSERT INTO vnode SELECT 2, vnode, uniquifier, from_commit, to_commit, ordinal, kind, mode, mtime,' +
        ' size, version, digest, target, links, entries, xattrs FROM vnode;' +
        'INSERT INTO commit_log (volume, number, device, seq, when_ms) SELECT 2, number, device, seq, when_ms FROM commit_log',
    );
    const users = ['owner', 'other', 'reader'];
    for (const [index, { user, volume, rights }] of DEVICES.entries()) {
      const { id, secret } = invitationOf(index);
      const values = [id, hashOfSecret(secret)];
      const of = [users.indexOf(user) + 1, volume, rights, 0, 1e15];
      database
        .prepare(
          'INSERT INTO invitation (id, secret_hash, user, volume, rights, created_ms, expires_ms)' +
            ' VALUES (?, ?, ?, ?, ?, ?, ?)',
        )
        .run(...values, ...of);
    }
  }

  readonly heard = (what: { readonly kind: string }): void => {
    if (what.kind !== 'load') return;
    const { keys } = what as unknown as { keys: Parameters<SqliteMetaStore['load']>[0] };
    this.#store.load(keys).catch((error: unknown) => this.faults.push(error));
  };

  readonly committed = (writes: Parameters<SqliteMetaStore['commit']>[0]): void => {
    this.#store.commit(writes).catch((error: unknown) => this.faults.push(error));
  };

  close(): Promise<void> {
    return this.#store.close();
  }
}
