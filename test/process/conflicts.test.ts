/** Conflicts that are resolved by a command, with real processes: in the folder and without one, paused and offline. */
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { ConflictStatus } from '../../shared/control/snapshot.ts';
import { twoLaptops } from '../support/two-laptops.ts';

const bench = twoLaptops();
const { a, b } = bench;

const read = (folder: string, path: string): string => readFileSync(join(folder, path), 'utf8');
const names = (folder: string, name: string): string[] =>
  readdirSync(folder).filter((each) => each.startsWith(name));

/** Makes a conflict: both write a file while ann is paused, so hers becomes the copy. Returns the conflict as her status reports it. */
async function conflictOf(name: string): Promise<ConflictStatus> {
  writeFileSync(join(a.folder, name), 'first');
  await bench.flush(a, b);
  await bench.json(['pause', '--data', a.data]);
  writeFileSync(join(a.folder, name), "ann's");
  writeFileSync(join(b.folder, name), "bob's");
  await bench.json(['flush', '--data', a.data]);
  await bench.flush(b);
  await bench.json(['resume', '--data', a.data]);
  await bench.flush(a, b);
  const { conflicts } = await bench.status(a.data);
  return conflicts.find(({ path }) => path === name) as ConflictStatus;
}

const resolve = (id: number, keep: string) =>
  bench.godwit(['conflicts', 'resolve', String(id), '--keep', keep, '--data', a.data]);

it('`mine` takes the name in both folders, and the printed command restores the other side', async () => {
  const { id } = await conflictOf('mine.txt');
  const told = await resolve(id, 'mine');
  expect(told).toEqual({
    code: 0,
    stdout: `conflict ${id} is resolved: mine is at /mine.txt\nto have the other one back: godwit restore /mine.txt\n`,
    stderr: '',
  });
  expect(names(a.folder, 'mine')).toEqual(['mine.txt']);
  await bench.flush(a, b);
  for (const { folder } of [a, b]) {
    expect(names(folder, 'mine')).toEqual(['mine.txt']);
    expect(read(folder, 'mine.txt')).toBe("ann's");
  }
  expect((await resolve(id, 'mine')).code).toBe(3);
  expect((await bench.godwit(['restore', '/mine.txt', '--data', a.data])).code).toBe(0);
  await bench.flush(a);
  expect(read(a.folder, 'mine.txt')).toBe("bob's");
});

it('`theirs` stays, also paused and offline, and the printed command restores the copy', async () => {
  const { id, copy } = await conflictOf('theirs.txt');
  await bench.json(['pause', '--data', a.data]);
  await bench.endServer();
  const told = await bench.json([
    'conflicts',
    'resolve',
    String(id),
    '--keep',
    'theirs',
    '--data',
    a.data,
  ]);
  expect(told).toMatchObject({ id, keep: 'theirs', path: 'theirs.txt', removed: copy });
  expect(names(a.folder, 'theirs')).toEqual(['theirs.txt']);
  await bench.serveAgain();
  await bench.json(['resume', '--data', a.data]);
  await bench.flush(a, b);
  expect(names(b.folder, 'theirs')).toEqual(['theirs.txt']);
  expect(read(b.folder, 'theirs.txt')).toBe("bob's");
  expect((await bench.godwit(['restore', `/${copy}`, '--data', a.data])).code).toBe(0);
  await bench.flush(a);
  expect(read(a.folder, copy)).toBe("ann's");
});

it.each([
  ['mine', b, a],
  ['theirs', a, b],
] as const)('two laptops that each keep `%s` lose neither side', async (keep, first, last) => {
  const name = `both-${keep}-${first === a ? 'ann' : 'bob'}.txt`;
  const { id } = await conflictOf(name);
  const { conflicts } = await bench.status(b.data);
  const heard = conflicts.find(({ path }) => path === name) as ConflictStatus;
  for (const { data } of [a, b]) await bench.json(['pause', '--data', data]);
  expect((await resolve(id, keep)).code).toBe(0);
  const how = ['conflicts', 'resolve', String(heard.id), '--keep', keep, '--data', b.data];
  expect((await bench.godwit(how)).code).toBe(0);
  for (const { data } of [a, b]) await bench.json(['flush', '--data', data]);
  await bench.json(['resume', '--data', first.data]);
  await bench.flush(first);
  await bench.json(['resume', '--data', last.data]);
  await bench.flush(last, first, last);
  expect(bench.differences()).toEqual([]);
  const chosen = (keep === 'mine') === (first === a) ? "ann's" : "bob's";
  expect(read(a.folder, name)).toBe(chosen);
  // They do not agree: that is a conflict still.
  const left = names(a.folder, name.slice(0, -4)).map((each) => read(a.folder, each));
  expect(left.toSorted()).toEqual(["ann's", "bob's"]);
  for (const { data } of [a, b]) {
    expect((await bench.status(data)).conflicts.map(({ path }) => path)).toContain(name);
  }
});

it('a resolution never removes later edits and never guesses a renamed file', async () => {
  const { id, copy } = await conflictOf('edited.txt');
  writeFileSync(join(a.folder, copy), "ann's, and more");
  const refused = await resolve(id, 'theirs');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toBe(
    `godwit: /${copy} was changed since the conflict; rename or remove what you do not want yourself, then \`godwit conflicts dismiss ${id}\`\n`,
  );
  expect(read(a.folder, copy)).toBe("ann's, and more");
  renameSync(join(a.folder, copy), join(a.folder, 'edited elsewhere'));
  expect((await resolve(id, 'theirs')).stderr).toContain('has another name by now');
  expect((await resolve(id, 'mine')).stderr).toContain('has another name by now');
  expect(read(a.folder, 'edited elsewhere')).toBe("ann's, and more");
  expect((await resolve(id, 'both')).code).toBe(0);
  expect((await bench.status(a.data)).conflicts.some((each) => each.id === id)).toBe(false);
});

it('a resolution keeps edits of the kept side, and a removed side stays removed', async () => {
  const first = await conflictOf('kept.txt');
  writeFileSync(join(a.folder, first.copy), "ann's, and more");
  expect((await resolve(first.id, 'mine')).code).toBe(0);
  expect(read(a.folder, 'kept.txt')).toBe("ann's, and more");
  const second = await conflictOf('gone.txt');
  rmSync(join(a.folder, 'gone.txt'));
  const refused = await resolve(second.id, 'theirs');
  expect(refused).toMatchObject({ code: 3 });
  expect(refused.stderr).toMatch(/^godwit: \/gone\.txt is gone; [^\n]+\n$/);
  expect((await resolve(second.id, 'mine')).stdout).toContain('the other one is gone already');
  expect(read(a.folder, 'gone.txt')).toBe("ann's");
  expect(existsSync(join(a.folder, second.copy))).toBe(false);
});

it('a swap that an interruption left behind is not swapped back', async () => {
  const { id, copy } = await conflictOf('swapped.txt');
  const at = (name: string): string => join(a.folder, name);
  renameSync(at('swapped.txt'), at('aside'));
  renameSync(at(copy), at('swapped.txt'));
  renameSync(at('aside'), at(copy));
  await bench.flush(a, b);
  expect((await resolve(id, 'mine')).stdout).toContain('mine is at /swapped.txt');
  await bench.flush(a, b);
  for (const { folder } of [a, b]) {
    expect(names(folder, 'swapped')).toEqual(['swapped.txt']);
    expect(read(folder, 'swapped.txt')).toBe("ann's");
  }
});

it('a restarted daemon still knows what a conflict was about', async () => {
  const { id, copy } = await conflictOf('later.txt');
  await bench.json(['down', '--data', a.data]);
  writeFileSync(join(a.folder, 'later.txt'), "bob's, mended");
  await bench.json(['up', '--data', a.data, '--folder', a.folder]);
  expect((await resolve(id, 'mine')).stderr).toContain('/later.txt was changed since');
  expect((await resolve(id, 'theirs')).code).toBe(0);
  expect([read(a.folder, 'later.txt'), existsSync(join(a.folder, copy))]).toEqual([
    "bob's, mended",
    false,
  ]);
});
