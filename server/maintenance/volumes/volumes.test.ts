import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { wallTime } from '../../../shared/model/time.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { SeededRandom } from '../../../shared/util/seeded-random.ts';
import { MAX_VOLUMES } from '../../../shared/wire/limits.ts';
import { fidOf, FIRST, MetaScript, ROOT } from '../../../test/conformance/meta-script.ts';
import { setRetention } from '../../adapters/meta-sqlite/contents-named.ts';
import { openServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import { SqliteMetaStore } from '../../adapters/meta-sqlite/sqlite-meta-store.ts';
import { createInvitation } from '../accounts/invitations.ts';
import { addPerson, listPeople, removePerson, renamePerson } from '../accounts/people.ts';
import { checkRows } from '../check/check-rows.ts';
import { beginEpoch } from '../restore/begin-epoch.ts';
import { endRemovedVolumes } from './removed-volumes.ts';
import { volumeKinds } from './volume-kinds.ts';
import {
  createVolume,
  listVolumes,
  removeVolume,
  renameVolume,
  restoreVolume,
  type NewVolume,
} from './volumes.ts';

let folder: string;
let file: string;
let store: SqliteMetaStore;
let database: Sqlite;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-volumes-'));
  file = join(folder, 'server.db');
  store = new SqliteMetaStore(file);
  await store.open(FIRST);
  database = openServerDatabase(file);
});
afterEach(async () => {
  database.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

const random = new SeededRandom('volumes');
const DAY = 86_400_000;
const at = (days: number) => wallTime(FIRST.when + days * DAY);
const create = (name: string, more: Partial<NewVolume> = {}) =>
  createVolume(database, { name, owner: null, quota: null, lost: null, ...more }, at(0), random);
const coded = (code: string): unknown => expect.objectContaining({ code });
const names = (): string[] => listVolumes(database).map(({ name }) => name);
const breathe = (): Promise<void> => Promise.resolve();
const invite = (userName: string, volumeName: string | null) =>
  createInvitation(
    database,
    { userName, volumeName, rights: 'write', now: at(0), expires: at(1) },
    random,
  );

describe('the volumes of a server', () => {
  it('have drawn numbers, and an owner and a quota if they are given', async () => {
    addPerson(database, 'bob');
    const id = create('photos', { owner: 'bob', quota: 100 });
    expect(id).toBeGreaterThan(0xffff);
    expect(listVolumes(database)).toMatchObject([
      { name: 'home', number: 1, owner: 'ada', people: [{ user: 'ada', rights: 'write' }] },
      { name: 'photos', number: id, owner: 'bob', quota: 100, used: 0, removed: null },
    ]);
    const { volumes } = await store.volumes();
    expect(volumes).toMatchObject([{ id: 1 }, { id, name: 'photos', head: 1, limit: 100 }]);
    expect(checkRows(database, file)).toBe(0);
  });

  it('are a home, shared or neither, by who may see them', () => {
    const [photos, team] = [create('photos'), create('team', { owner: 'ada' })];
    expect(Object.fromEntries(volumeKinds(database))).toEqual({
      ...{ 1: 'home', [photos]: 'single', [team]: 'single' },
    });
    addPerson(database, 'bob');
    const see = database.prepare('INSERT INTO access (user, volume, rights) VALUES (?, ?, ?)');
    const bob = database.prepare("SELECT id FROM user WHERE name = 'bob'").pluck().get();
    for (const volume of [1, team]) see.run(bob, volume, 'read');
    expect(Object.fromEntries(volumeKinds(database))).toEqual({
      ...{ 1: 'shared', [photos]: 'single', [team]: 'shared' },
    });
    removePerson(database, 'bob', at(0));
    removeVolume(database, 'photos', at(0));
    expect(Object.fromEntries(volumeKinds(database))).toEqual({ 1: 'home', [team]: 'single' });
  });

  it('have one name each, also where one was removed', () => {
    create('photos');
    expect(() => create('photos')).toThrow(coded('exists'));
    removeVolume(database, 'photos', at(0));
    expect(() => create('photos')).toThrow(/a volume that was removed is called photos/);
    expect(() => renameVolume(database, 'home', 'photos')).toThrow(coded('exists'));
    renameVolume(database, 'photos', 'before');
    create('photos');
    expect(names()).toEqual(['home', 'photos', 'before']);
    expect(() => create('third', { owner: 'nobody' })).toThrow(coded('not-found'));
    expect(() => renameVolume(database, 'third', 'fourth')).toThrow(coded('no-such-volume'));
  });

  it('can be removed and restored once', () => {
    expect(() => restoreVolume(database, 'home')).toThrow(coded('exists'));
    removeVolume(database, 'home', at(0));
    expect(() => removeVolume(database, 'home', at(1))).toThrow(coded('volume-removed'));
    expect(() => invite('bob', 'home')).toThrow(coded('volume-removed'));
    expect(listPeople(database)).toMatchObject([{ name: 'ada', home: null, volumes: [] }]);
    restoreVolume(database, 'home');
    expect(listPeople(database)).toMatchObject([{ home: 'home', volumes: [{ volume: 'home' }] }]);
  });

  it('end with all that is theirs when they were removed and the retention is over, and no sooner', async () => {
    const script = await MetaScript.on(store);
    await script.create(fidOf(2), ROOT, 'a').store(fidOf(2), 20).flush();
    create('photos');
    invite('bob', 'home');
    removeVolume(database, 'home', at(1));
    expect(await endRemovedVolumes(database, at(30), breathe)).toEqual([]);
    expect(await endRemovedVolumes(database, at(31), breathe)).toEqual(['home']);
    for (const table of ['vnode', 'entry', 'commit_log', 'access', 'invitation', 'block']) {
      const left = `SELECT count(*) FROM ${table} WHERE volume = 1`;
      expect([table, database.prepare(left).pluck().get()]).toEqual([table, 0]);
    }
    expect(names()).toEqual(['photos']);
    expect(checkRows(database, file)).toBe(0);
  });

  it('stay until a running server has let go of them, even with a retention of no days', async () => {
    setRetention(database, { allDays: 0, dailyDays: 0 });
    removeVolume(database, 'home', at(0));
    // What was decided before the server hears of the removal.
    expect(await endRemovedVolumes(database, at(0), breathe)).toEqual([]);
    const script = await MetaScript.on(store);
    await script.create(fidOf(2), ROOT, 'a').flush();
    expect(await endRemovedVolumes(database, at(1), breathe)).toEqual(['home']);
  });

  it('pass a check when they have ended in part, and the rest goes the next time', async () => {
    const script = await MetaScript.on(store);
    await script.create(fidOf(2), ROOT, 'a').store(fidOf(2), 20).flush();
    removeVolume(database, 'home', at(0));
    const crash = (): Promise<void> => Promise.reject(new Error('a crash'));
    await expect(endRemovedVolumes(database, at(40), crash)).rejects.toThrow('a crash');
    expect(checkRows(database, file)).toBe(0);
    expect(database.prepare('SELECT count(*) FROM entry').pluck().get()).not.toBe(0);
    await endRemovedVolumes(database, at(40), breathe);
    expect(database.prepare('SELECT count(*) FROM entry').pluck().get()).toBe(0);
  });

  it('are no more for one person than a Hello can list', () => {
    addPerson(database, 'bob');
    for (let n = 0; n < MAX_VOLUMES; n++) create(`v${n}`, { owner: 'bob' });
    expect(() => create('more', { owner: 'bob' })).toThrow(coded('usage'));
    expect(() => invite('bob', 'home')).toThrow(/bob would see more than 256 volumes/);
    expect(names()).not.toContain('more');
    invite('bob', 'v0');
    removeVolume(database, 'v0', at(1));
    create('more', { owner: 'bob' });
    expect(() => restoreVolume(database, 'v0')).toThrow(coded('usage'));
    removeVolume(database, 'more', at(1));
    restoreVolume(database, 'v0');
    create('another');
  });

  it('keep their number until all of them is gone', async () => {
    const script = await MetaScript.on(store);
    await script.create(fidOf(2), ROOT, 'a').store(fidOf(2), 20).flush();
    removeVolume(database, 'home', at(0));
    const crash = (): Promise<void> => Promise.reject(new Error('a crash'));
    await expect(endRemovedVolumes(database, at(40), crash)).rejects.toThrow('a crash');
    beginEpoch(database, at(40), random);
    create('photos');
    beginEpoch(database, at(41), random);
    expect(database.prepare('SELECT count(*) FROM vnode WHERE volume = 1').pluck().get()).toBe(0);
    expect(() => create('home', { lost: 1 })).toThrow(coded('usage'));
    await endRemovedVolumes(database, at(41), breathe);
    expect(create('home', { lost: 1 })).toBe(1);
  });

  it('can be made again under a number that was lost with the time since a backup', () => {
    expect(() => create('photos', { lost: 70_000 })).toThrow(coded('usage'));
    const { volumes } = beginEpoch(database, at(1), random);
    expect(volumes).toHaveLength(1);
    expect(create('photos', { lost: 70_000 })).toBe(70_000);
    const cuts = database.prepare('SELECT * FROM epoch_cut WHERE volume = 70000').all();
    expect(cuts).toMatchObject([{ epoch: FIRST.epoch, last: 1, lost_from: 2 }]);
    expect(() => create('other', { lost: 70_000 })).toThrow(coded('usage'));
    expect(checkRows(database, file)).toBe(0);
  });
});

function addedAndRemoved(name: string): void {
  addPerson(database, name);
  removePerson(database, name, at(0));
}

describe('the people of a server', () => {
  it('are invited into a home volume of their name', () => {
    invite('bob', null);
    invite('bob', null);
    expect(listPeople(database)).toMatchObject([
      { name: 'ada' },
      { name: 'bob', home: 'bob', volumes: [{ volume: 'bob', rights: 'write' }], devices: 0 },
    ]);
    create('cleo');
    expect(() => invite('cleo', null)).toThrow(/there is a volume cleo, and it is not cleo's/);
    expect(listPeople(database)).toHaveLength(2);
    addPerson(database, 'dora');
    create('dora', { owner: 'dora' });
    invite('dora', null);
    expect(listPeople(database)).toContainEqual(expect.objectContaining({ home: 'dora' }));
  });

  it('have one name each, which is free when they are removed', () => {
    expect(() => addPerson(database, 'ada')).toThrow(coded('exists'));
    addPerson(database, 'bob');
    expect(() => renamePerson(database, 'bob', 'ada')).toThrow(coded('exists'));
    removePerson(database, 'ada', at(0));
    renamePerson(database, 'bob', 'ada');
    expect(listPeople(database).map(({ name }) => name)).toEqual(['ada']);
    expect(() => removePerson(database, 'bob', at(0))).toThrow(coded('not-found'));
  });

  it('are renamed to what was a removed person, whatever others are called', () => {
    addedAndRemoved('bob');
    addPerson(database, 'bob (removed)');
    renamePerson(database, 'ada', 'bob');
    addPerson(database, 'cleo');
    const long = 'x'.repeat(64);
    addedAndRemoved(long);
    renamePerson(database, 'cleo', long);
    expect(listPeople(database).map(({ name }) => name)).toEqual([
      ...['bob', 'bob (removed)', long],
    ]);
    const names = database.prepare<[], string>('SELECT name FROM user').pluck().all();
    expect(names.filter((name) => Buffer.byteLength(name) > 64)).toEqual([]);
  });

  it('hear at once of a volume of their name that is not theirs, with what to do', () => {
    invite('bob', null);
    removePerson(database, 'bob', at(0));
    expect(addPerson(database, 'bob')).toEqual({ volume: 'bob', owner: null, isRemoved: false });
    const remedy = expect.stringMatching(
      /`godwit server invite bob --volume bob` .*`godwit server volume rename bob OTHER`/,
    );
    expect(() => invite('bob', null)).toThrow(expect.objectContaining({ code: 'exists', remedy }));
    create('cleo', { owner: 'ada' });
    expect(addPerson(database, 'cleo')).toMatchObject({ volume: 'cleo', owner: 'ada' });
    create('dora');
    removeVolume(database, 'dora', at(0));
    expect(addPerson(database, 'dora')).toMatchObject({ owner: null, isRemoved: true });
    const restores = expect.stringContaining('godwit server volume restore dora');
    expect(() => invite('dora', null)).toThrow(expect.objectContaining({ remedy: restores }));
    expect(addPerson(database, 'ed')).toBeNull();
    renameVolume(database, 'bob', 'of old');
    invite('bob', null);
  });

  it('lose devices, invitations and rights when they are removed, also of a pairing in that moment', async () => {
    const { id } = invite('ada', 'home');
    expect(removePerson(database, 'ada', at(0))).toEqual({ devices: 0, volumes: ['home'] });
    const paired = { fingerprint: 'f'.repeat(64), name: 'laptop', user: 1 };
    const rest = { incarnation: '1'.repeat(32), previousIncarnation: null, when: at(0) };
    await store.commit([
      { kind: 'redeemed', id, ...paired, volume: 1 as never, rights: 'write', when: at(0) },
      { kind: 'device', id: 1, ...paired, ...rest },
    ]);
    expect(await store.accessOf([1])).toMatchObject([{ revoked: true }]);
    addPerson(database, 'ada');
    expect(await store.accessOf([1])).toMatchObject([{ revoked: true, access: [] }]);
    expect(listVolumes(database)).toMatchObject([{ name: 'home', owner: null, people: [] }]);
  });
});
