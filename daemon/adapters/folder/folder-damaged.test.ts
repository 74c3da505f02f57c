/**
 * Records that are not as they were written, or can't be read: the folder is compared with the volume as if it were new. What is equal on both
 * sides is taken as it is, what is not is kept on both, and nothing is taken for a removal.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FolderBench } from '../../../test/support/folder-bench.ts';

let bench: FolderBench;
beforeEach(() => {
  bench = new FolderBench();
});
afterEach(() => bench.destroy());

const TREE = { 'd/': '', 'd/b': 'b, longer', a: 'a', c: 'c' };

/** A folder with a few files, in order, and closed. */
async function begun(): Promise<void> {
  await bench.start();
  mkdirSync(bench.path('d'));
  writeFileSync(bench.path('a'), 'a');
  writeFileSync(bench.path('d', 'b'), 'b, longer');
  writeFileSync(bench.path('c'), 'c');
  await bench.settled();
  expect(bench.volume.tree()).toEqual(TREE);
  await bench.close();
  bench.told();
}

/** As a hand does it that knows nothing of seals. */
function alter(sql: string): void {
  const database = new Database(join(bench.dataDir, 'folder.db'));
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}

const saidNow = () =>
  bench.folder
    .status()
    .errors.filter(({ code }) => code === 'damaged-rows')
    .map(({ message }) => message);

const DAMAGES: ReadonlyArray<readonly [string, string]> = [
  ['the version of a file', "UPDATE vnode SET version = version + 1 WHERE kind = 'file'"],
  ['the digest of a file', "UPDATE vnode SET digest = '00' || substr(digest, 3) WHERE size = 1"],
  ['the inode of a file', "UPDATE vnode SET disk_inode = disk_inode || '1' WHERE size = 1"],
  ['the change time of a file', "UPDATE vnode SET disk_ctime = '7' WHERE size = 1"],
  ['a file that is none of ours', "UPDATE entry SET fid = '1.99.99' WHERE name = 'a'"],
  ['the name of a file', "UPDATE entry SET name = 'z' WHERE name = 'a'"],
  ['a file that is gone', "DELETE FROM vnode WHERE kind = 'file' AND size = 1"],
  ['a name that is gone', "DELETE FROM entry WHERE name = 'a'"],
  [
    'a name that is back',
    "INSERT INTO entry (dir, name, fid, own) VALUES ('1.1.1', 'z', '1.9.9', 0)",
  ],
  [
    'a name that was freed',
    "INSERT INTO freed (dir, name, fid, own) VALUES ('1.1.1', 'a', '1.9.9', 0)",
  ],
  ['what was held back of a file', "INSERT INTO held_vnode (fid, status) VALUES ('1.9.9', '{}')"],
  ['what was held back of a name', "INSERT INTO held_entry (dir, name) VALUES ('1.1.1', 'a')"],
  ['the position', "UPDATE state SET value = value + 1 WHERE key = 'position'"],
  ['the position that is gone', "DELETE FROM state WHERE key = 'position'"],
  ['the token of the folder', "UPDATE state SET value = 'x' WHERE key = 'token'"],
  ['whether it ended well', "UPDATE state SET value = '0' WHERE key = 'clean'"],
  ['the sum of a table', "UPDATE seal SET sum = sum + 1 WHERE of = 'entry'"],
  ['a table', 'DROP TABLE entry'],
];

describe.each(DAMAGES)('damaged records with another %s', (_, sql) => {
  it('cause no change that nobody made, here or elsewhere', async () => {
    await begun();
    alter(sql);
    await bench.start();
    expect(saidNow()).toHaveLength(1);
    expect(bench.tree()).toEqual(TREE);
    expect(bench.volume.tree()).toEqual(TREE);
    expect(bench.told().filter((line) => !line.startsWith('setattr'))).toEqual([]);
    expect(readdirSync(join(bench.dataDir, 'set-aside'))).toContain('1-folder.db');
    await bench.close();
    // From then on it is as ever.
    await bench.start();
    expect(saidNow()).toEqual([]);
    renameSync(bench.path('a'), bench.path('moved'));
    await bench.settled();
    expect(bench.told()).toEqual(['rename a -> moved']);
  });
});

it('damaged records lose no change that was made while no daemon ran', async () => {
  await begun();
  alter("UPDATE vnode SET size = size + 1 WHERE kind = 'file'");
  writeFileSync(bench.path('a'), 'mine, longer');
  writeFileSync(bench.path('new'), 'of here');
  await bench.other.write('c', 'theirs, longer');
  await bench.other.write('far', 'of elsewhere');
  await bench.start();
  await bench.settled();
  const texts = Object.values(bench.tree());
  for (const text of ['mine, longer', 'of here', 'theirs, longer', 'of elsewhere', 'b, longer']) {
    expect(texts).toContain(text);
  }
  expect(bench.volume.tree()).toEqual(bench.tree());
});

it('damaged records cause logged changes to be sent once and as our own', async () => {
  await begun();
  await bench.start();
  bench.volume.connected = false;
  writeFileSync(bench.path('a'), 'saved away');
  writeFileSync(bench.path('n'), 'made away');
  mkdirSync(bench.path('e'));
  writeFileSync(bench.path('e', 'f'), 'made in it');
  renameSync(bench.path('c'), bench.path('e', 'c'));
  await bench.folder.scan();
  await bench.close();
  alter("UPDATE vnode SET size = size + 1 WHERE kind = 'file'");
  await bench.open();
  bench.volume.connected = true;
  await bench.settled();
  const after = {
    ...{ 'd/': '', 'd/b': 'b, longer', 'e/': '' },
    ...{ 'e/c': 'c', 'e/f': 'made in it', a: 'saved away', n: 'made away' },
  };
  expect(bench.volume.tree()).toEqual(after);
  expect(bench.tree()).toEqual(after);
});

it('damaged records are not replaced while the folder is away', async () => {
  await begun();
  alter("UPDATE state SET value = 'x' WHERE key = 'token'");
  renameSync(bench.root, `${bench.root}-away`);
  await expect(async () => bench.open()).rejects.toMatchObject({ code: 'folder-unusable' });
  expect(existsSync(bench.root)).toBe(false);
  renameSync(`${bench.root}-away`, bench.root);
  await bench.start();
  expect(bench.tree()).toEqual(TREE);
  expect(bench.volume.tree()).toEqual(TREE);
});

it("damaged records leave a placeholder distinct from a user's file", async () => {
  bench.volume.bound = 0;
  for (const name of ['a', 'b']) await bench.other.write(name, name.repeat(5000));
  await bench.start();
  await bench.settled();
  const before = bench.tree();
  expect(Object.keys(before)).toEqual(['a.godwit', 'b.godwit']);
  await bench.close();
  bench.told();
  alter("UPDATE vnode SET size = size + 1 WHERE kind = 'file'");
  await bench.start();
  await bench.settled();
  expect(saidNow()).toHaveLength(1);
  expect(Object.keys(bench.volume.tree())).toEqual(['a', 'b']);
  expect(bench.tree()).toEqual(before);
  expect(bench.told().filter((line) => !line.startsWith('setattr'))).toEqual([]);
});

it('damaged records cause no wrong change after a kill, and notes of the log are kept', async () => {
  await begun();
  await bench.start();
  bench.keepRecords();
  writeFileSync(bench.path('a'), 'told, and not recorded');
  writeFileSync(bench.path('n'), 'the same');
  await bench.flush();
  await bench.crash();
  alter("UPDATE vnode SET size = size + 1 WHERE kind = 'file'");
  writeFileSync(bench.path('n'), 'and changed since');
  await bench.start();
  await bench.settled();
  const texts = Object.values(bench.tree());
  for (const text of ['told, and not recorded', 'and changed since']) expect(texts).toContain(text);
  expect(bench.volume.tree()).toEqual(bench.tree());
});
