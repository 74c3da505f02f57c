import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { VolumeId } from '../../../shared/model/fid.ts';
import { hashOfSecret } from '../../../shared/model/invitation.ts';
import type { RowWrite } from '../../../shared/model/stored.ts';
import { wallTime } from '../../../shared/model/time.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { SeededRandom } from '../../../shared/util/seeded-random.ts';
import { FIRST } from '../../../test/conformance/meta-script.ts';
import { openServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import { SqliteMetaStore } from '../../adapters/meta-sqlite/sqlite-meta-store.ts';
import { listDevices, renameDevice, revokeDevice } from './devices.ts';
import { createInvitation, listInvitations, withdrawInvitation } from './invitations.ts';

let folder: string;
let store: SqliteMetaStore;
let database: Sqlite;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-admin-'));
  store = new SqliteMetaStore(join(folder, 'meta.db'));
  await store.open(FIRST);
  database = openServerDatabase(join(folder, 'meta.db'));
});
afterEach(async () => {
  database.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

const random = new SeededRandom('invitations');
const NOW = wallTime(FIRST.when + 10);
const EXPIRES = wallTime(FIRST.when + 1000);
const ask = { userName: 'bob', volumeName: 'home', rights: 'read', now: NOW } as const;
const invite = (changes: Partial<Parameters<typeof createInvitation>[1]> = {}) =>
  createInvitation(database, { ...ask, expires: EXPIRES, ...changes }, random);

describe('the invitations of a server', () => {
  it('have an unguessable id and secret, of which only the hash is kept', () => {
    const { id, secret } = invite();
    expect([id, secret]).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}$/),
      expect.stringMatching(/^[0-9a-f]{32}$/),
    ]);
    expect(id).not.toBe(secret);
    const rows = database.prepare('SELECT * FROM invitation').all();
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(rows).toMatchObject([{ id, secret_hash: hashOfSecret(secret) }]);
  });

  it.each(['BOB', 'Bob'])('make no person %s beside bob', (userName) => {
    invite();
    expect(() => invite({ userName })).toThrow('there is a user bob, and nobody tells these two');
  });

  it('make no person beside one whose name has another form in Unicode', () => {
    invite({ userName: 'Jose\u0301' });
    expect(() => invite({ userName: 'jos\u00e9' })).toThrow('nobody tells these two apart');
    expect(() => invite({ userName: 'Jose\u0301' })).not.toThrow();
  });

  it('are listed with the oldest first', () => {
    const later = invite({ now: wallTime(NOW + 1), rights: 'write' });
    const sooner = invite({ userName: FIRST.userName });
    expect(listInvitations(database)).toEqual([
      {
        id: sooner.id,
        userName: FIRST.userName,
        volumeName: 'home',
        rights: 'read',
        created: NOW,
        expires: EXPIRES,
        redeemed: null,
        redeemedBy: null,
        deviceName: null,
      },
      expect.objectContaining({ id: later.id, userName: 'bob', rights: 'write' }),
    ]);
  });

  it('are withdrawn by how their number begins, as long as nobody has used them', async () => {
    const [one, other] = [invite(), invite()];
    const withdraw = (begins: string): string[] =>
      withdrawInvitation(database, begins, wallTime(NOW + 5));
    expect(withdraw('').length).toBe(2);
    expect(listInvitations(database).map(({ expires }) => expires)).toEqual([EXPIRES, EXPIRES]);
    expect(withdraw('x')).toEqual([]);
    expect(withdraw(one.id.slice(0, 8))).toEqual([one.id]);
    const ends = new Map(listInvitations(database).map(({ id, expires }) => [id, expires]));
    expect([ends.get(one.id), ends.get(other.id)]).toEqual([NOW + 5, EXPIRES]);
    expect(withdraw(one.id)).toEqual([]);
    const when = wallTime(NOW + 6);
    const fingerprint = '7'.repeat(64);
    const device = { kind: 'device', id: 7, fingerprint, name: 'laptop-b', user: 1 } as const;
    const volume = 1 as VolumeId;
    const incarnations = { incarnation: '1'.repeat(32), previousIncarnation: null };
    await store.commit([
      { ...device, ...incarnations, when },
      { kind: 'redeemed', id: other.id, fingerprint, user: 1, volume, rights: 'read', when },
    ]);
    expect(withdraw(other.id)).toEqual([]);
    expect(listInvitations(database).find(({ id }) => id === other.id)).toMatchObject({
      ...{ redeemed: when, deviceName: 'laptop-b', expires: EXPIRES },
    });
  });

  it('create their user only once', () => {
    invite();
    invite();
    expect(database.prepare('SELECT name FROM user ORDER BY id').pluck().all()).toEqual([
      FIRST.userName,
      'bob',
    ]);
  });

  it('require an existing volume, and otherwise nothing is created', () => {
    expect(() => invite({ volumeName: 'away' })).toThrow(
      expect.objectContaining({ code: 'no-such-volume' }),
    );
    expect(database.prepare('SELECT count(*) FROM user').pluck().get()).toBe(1);
  });
});

describe('the devices of a server', () => {
  const hello = (id: number): RowWrite => ({
    kind: 'device',
    id,
    fingerprint: `${id}`.repeat(64),
    name: `device ${id}`,
    user: 1,
    incarnation: '1'.repeat(32),
    previousIncarnation: null,
    when: FIRST.when,
  });

  it('are listed in the order of their numbers', async () => {
    await store.commit([hello(2), hello(1)]);
    expect(listDevices(database)).toEqual([
      {
        id: 1,
        name: 'device 1',
        userName: FIRST.userName,
        fingerprint: '1'.repeat(64),
        created: FIRST.when,
        lastHello: FIRST.when,
        revoked: null,
      },
      expect.objectContaining({ id: 2 }),
    ]);
  });

  it('can be renamed, not to what another of the user is called', async () => {
    await store.commit([hello(1), hello(2), hello(3)]);
    expect(renameDevice(database, 1, 'anns-laptop')).toBe(true);
    expect(listDevices(database)[0]?.name).toBe('anns-laptop');
    expect(() => renameDevice(database, 2, 'Anns-Laptop')).toThrow(
      expect.objectContaining({ code: 'device-name-taken' }),
    );
    expect(renameDevice(database, 1, 'Anns-laptop')).toBe(true);
    revokeDevice(database, 3, NOW);
    expect(renameDevice(database, 2, 'device 3')).toBe(true);
    expect(renameDevice(database, 7, 'none')).toBe(false);
  });

  it('can be revoked once', async () => {
    await store.commit([hello(1)]);
    expect(revokeDevice(database, 1, NOW)).toBe(true);
    expect(revokeDevice(database, 1, EXPIRES)).toBe(true);
    expect(listDevices(database)[0]?.revoked).toBe(NOW);
    expect(revokeDevice(database, 7, NOW)).toBe(false);
  });
});

it('a store sees changes of another process, which sees its changes', async () => {
  const device = { kind: 'device', id: 1, fingerprint: 'f'.repeat(64), name: 'laptop' } as const;
  const rest = { user: 1, incarnation: '1'.repeat(32), previousIncarnation: null };
  await store.commit([{ ...device, ...rest, when: FIRST.when }]);
  expect(listDevices(database)).toHaveLength(1);
  expect(await store.changedOutside()).toBe(false);
  expect(revokeDevice(database, 1, FIRST.when)).toBe(true);
  expect(await store.changedOutside()).toBe(true);
  expect(await store.accessOf([1])).toMatchObject([{ revoked: true }]);
});
