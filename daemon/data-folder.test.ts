import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { watchData } from './data-watch.ts';
import { generateIdentity } from '../shared/transport/identity.ts';
import { NativeHost } from '../shared/transport/native-host.ts';
import {
  identityOf,
  placeOf,
  refuseLostDatabase,
  takeDataFolder,
  type DataFolder,
} from './data-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'godwit-place-'));
afterAll(() => rmSync(root, { recursive: true }));

/** As a daemon takes it that has ended by now. */
function taken(name: string): DataFolder {
  const folder = takeDataFolder(join(root, name), new NativeHost());
  folder.release();
  return folder;
}

it('a data folder counts as gone when it was removed, moved or made anew', () => {
  const path = join(root, 'watched');
  const folder = takeDataFolder(path, new NativeHost());
  const due: Array<() => void> = [];
  let cancelled = 0;
  const timers = {
    start: (_delay: unknown, run: () => void) => {
      due.push(run);
      return { cancel: () => void (cancelled += 1) };
    },
  };
  const told: string[] = [];
  const watch = watchData(folder, timers, ({ message }) => void told.push(message));
  const pass = (): void => due.splice(0).forEach((run) => run());
  pass();
  pass();
  expect([told, due.length]).toEqual([[], 1]);
  renameSync(path, `${path} aside`);
  expect(folder.isThere()).toBe(false);
  // Another one is not it either.
  takeDataFolder(path, new NativeHost()).release();
  pass();
  expect(told).toEqual([expect.stringContaining(`${path}: this data folder was removed`)]);
  pass();
  expect([told.length, due.length]).toEqual([1, 0]);
  watch.close();
  expect(cancelled).toBe(1);
  folder.release();
});

it('the place of a data folder stays the same, and no copy has it', () => {
  const place = placeOf(taken('original'));
  expect(place).toEqual({ place: expect.stringMatching(/^[0-9a-f-]{36} \d+ \d+$/) });
  expect(placeOf(taken('original'))).toEqual(place);
  cpSync(join(root, 'original'), join(root, 'copy'), { recursive: true });
  expect(placeOf(taken('copy'))).not.toEqual(place);
  // Also where the copy is put in the place of the original, which goes on elsewhere.
  renameSync(join(root, 'original'), join(root, 'elsewhere'));
  renameSync(join(root, 'copy'), join(root, 'original'));
  expect(placeOf(taken('original'))).not.toEqual(place);
  expect(placeOf(taken('elsewhere'))).toEqual(place);
});

it('a data folder is readable only by its user, also when it existed before', () => {
  const path = join(root, 'before');
  mkdirSync(path, { mode: 0o755 });
  chmodSync(path, 0o755);
  taken('before');
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

describe('a missing database', () => {
  const lost = (name: string, isPaired: boolean) => {
    const folder = taken(name);
    return { folder, refuse: () => refuseLostDatabase(folder, isPaired) };
  };
  const file = (folder: DataFolder, name: string, text: string) =>
    writeFileSync(join(folder.path, name), text);

  it('is accepted before the first Hello, also with a key', () => {
    expect(lost('new', false).refuse).not.toThrow();
    expect(lost('new', true).refuse).not.toThrow();
    const { folder, refuse } = lost('new', false);
    file(folder, 'identity.json', '{}');
    expect(refuse).not.toThrow();
  });

  it('is refused when the device is paired or other files are newer', () => {
    const paired = lost('paired', true);
    file(paired.folder, 'identity.json', '{}');
    expect(paired.refuse).toThrow(`${paired.folder.database} is missing: it is what this device`);
    file(paired.folder, 'daemon.db', '');
    expect(paired.refuse).toThrow(`${paired.folder.database} is empty: `);
    file(paired.folder, 'daemon.db', 'a database');
    expect(paired.refuse).not.toThrow();
    for (const name of ['folder.db', 'chunk-lists.db', 'store/contents/1']) {
      const invited = lost(`invited ${name.replaceAll('/', ' ')}`, false);
      mkdirSync(join(invited.folder.store, 'contents'));
      expect(invited.refuse).not.toThrow();
      file(invited.folder, name, 'of before');
      expect(invited.refuse).toThrow(`${invited.folder.database} is missing`);
    }
  });
});

it('a folder in place of the key or the lock is reported with its path', () => {
  const folder = taken('with folders');
  const key = join(folder.path, 'identity.json');
  mkdirSync(key);
  const why = 'a folder is there, where a file is to be';
  const make = () => generateIdentity('device');
  expect(() => identityOf(folder, make, new NativeHost())).toThrow(`${key}: ${why}`);
  const lock = join(folder.path, 'daemon.lock');
  rmSync(lock);
  mkdirSync(lock);
  expect(() => taken('with folders')).toThrow(`${lock}: ${why}`);
});

it('a damaged key is reported, and no other one is made', () => {
  const folder = taken('with a key');
  const file = join(folder.path, 'identity.json');
  const [make, host] = [() => generateIdentity('device'), new NativeHost()];
  const made = identityOf(folder, make, host);
  expect(identityOf(folder, make, host)).toEqual(made);
  for (const spoilt of [
    { ...made, privateKeyPem: made.privateKeyPem.slice(0, 80) },
    { ...made, privateKeyPem: make().privateKeyPem },
    { ...made, certificatePem: make().certificatePem },
  ]) {
    writeFileSync(file, JSON.stringify(spoilt));
    expect(() => identityOf(folder, make, host)).toThrow(`${file} is damaged`);
    expect(readFileSync(file, 'utf8')).toBe(JSON.stringify(spoilt));
  }
});
