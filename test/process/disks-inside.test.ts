/** Disks that are mounted in a synced folder, with real mounts: changes by others are placed there, also moves from one disk to another. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { itNeeds } from '../support/browser.ts';
import { missingForMounts, MountNamespace } from '../support/namespaces.ts';
import { twoLaptops, type TwoLaptops } from '../support/two-laptops.ts';

const mounted = itNeeds(missingForMounts);

let space: MountNamespace;
const bench = twoLaptops(
  async ({ a }) => {
    bench.runs(space.holder);
    for (const dir of ['card', 'bound', 'plain']) mkdirSync(join(a.folder, dir));
    mkdirSync(bench.path('elsewhere'));
    space.run('mount', '-t', 'tmpfs', 'none', join(a.folder, 'card'));
    space.run('mount', '--bind', bench.path('elsewhere'), join(a.folder, 'bound'));
    for (const dir of ['card', 'bound']) inSpace(`echo first > ${at(dir, 'seen')}`);
    await bench.flush(a, b);
  },
  async (made: TwoLaptops) => {
    space = await MountNamespace.make();
    made.within(made.a.data, space.within);
  },
);
const { a, b } = bench;

const at = (...names: string[]): string => `"${join(a.folder, ...names)}"`;
const inSpace = (script: string): string => space.output('sh', '-ec', script);
const read = (...names: string[]): string => inSpace(`cat ${at(...names)}`).trimEnd();
const list = (...names: string[]): string[] =>
  inSpace(`ls -A ${at(...names)}`)
    .split('\n')
    .filter((name) => name !== '' && !name.startsWith('.godwit'));

/** Checks that nothing waits on either side and no error is reported. What the last flush tells the first laptop may still be looked at there. */
async function agrees(): Promise<void> {
  await bench.flush(b, a, b);
  const { errors, state } = await bench.until(a.data, (status) => status.state !== 'syncing');
  expect([state, errors.map(({ path, message }) => `${path}: ${message}`)]).toEqual(['idle', []]);
}

const isPutInPlace = async (disk: string): Promise<void> => {
  const there = (...names: string[]): string => join(b.folder, disk, ...names);
  writeFileSync(there('seen'), 'changed\n');
  mkdirSync(there('d', 'e'), { recursive: true });
  writeFileSync(there('d', 'e', 'new'), 'new');
  writeFileSync(there('large'), Buffer.alloc(3_000_000, 'x'));
  await agrees();
  expect(read(disk, 'seen')).toBe('changed');
  expect(read(disk, 'd', 'e', 'new')).toBe('new');
  renameSync(there('large'), there('d', 'large'));
  renameSync(there('seen'), there('swapped'));
  renameSync(there('d', 'e', 'new'), there('seen'));
  renameSync(there('swapped'), there('d', 'e', 'new'));
  await agrees();
  expect([read(disk, 'seen'), read(disk, 'd', 'e', 'new')]).toEqual(['new', 'changed']);
  rmSync(there('d'), { recursive: true });
  await agrees();
  expect(list(disk)).toEqual(['seen']);
};
mounted('changes of others on an inner disk are put in place', () => isPutInPlace('card'));
mounted('changes of others on a bind mount from the same disk are put in place', () =>
  isPutInPlace('bound'),
);

mounted(
  'a move of others from one inner disk to another is put in place at both ends',
  async () => {
    const there = (...names: string[]): string => join(b.folder, ...names);
    mkdirSync(there('plain', 'd', 'e'), { recursive: true });
    writeFileSync(there('plain', 'd', 'one'), 'one');
    writeFileSync(there('plain', 'd', 'e', 'two'), 'two');
    writeFileSync(there('plain', 'file'), 'file');
    await agrees();
    for (const [from, to] of [
      ['plain', 'card'],
      ['card', 'bound'],
      ['bound', 'plain'],
    ] as const) {
      renameSync(there(from, 'd'), there(to, 'd'));
      renameSync(there(from, 'file'), there(to, 'file'));
      await agrees();
      expect(list(from)).not.toContain('d');
      expect(list(from)).not.toContain('file');
      expect([read(to, 'd', 'one'), read(to, 'd', 'e', 'two')]).toEqual(['one', 'two']);
      expect(read(to, 'file')).toBe('file');
    }
    expect(readdirSync(there('plain')).sort()).toEqual(['d', 'file']);
  },
);

mounted('private files on an inner disk are not synced and go when the daemon ends', async () => {
  writeFileSync(join(b.folder, 'card', 'last'), 'last');
  await agrees();
  expect(readdirSync(join(b.folder, 'card')).filter((name) => name.startsWith('.'))).toEqual([]);
  await bench.json(['down', '--data', a.data]);
  await bench.json(['up', '--data', a.data]);
  await agrees();
  expect(read('card', 'last')).toBe('last');
  expect(existsSync(join(a.folder, '.godwit'))).toBe(true);
  expect(readFileSync(join(b.folder, 'card', 'last'), 'utf8')).toBe('last');
});
