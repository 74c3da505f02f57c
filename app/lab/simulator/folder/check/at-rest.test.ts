import { expect, it } from '@jest/globals';
import type { Shown } from '../trees.ts';
import { lookAtNames, lookForWork } from './at-rest.ts';
import { lookForOther } from './same-as-volume.ts';

const WORK = { name: 'ada', changes: 100, seconds: 20, polled: 0 };

it('the checker of work reports more calls than the changes and the time are worth', () => {
  const found: string[] = [];
  const run = { find: (_: string, text: string) => void found.push(text) };
  lookForWork(run, { ...WORK, calls: 5000 });
  expect(found).toEqual([]);
  lookForWork(run, { ...WORK, calls: 50_000 });
  expect(found).toEqual(['ada made 50000 calls; 6700 are enough']);
});

it('the checker of work allows a look at each name every so often, where the daemon says that it does so', () => {
  const found: string[] = [];
  const run = { find: (_: string, text: string) => void found.push(text) };
  const seconds = 20_000;
  lookForWork(run, { ...WORK, seconds, calls: 700_000, polled: 200 });
  expect(found).toEqual([]);
  lookForWork(run, { ...WORK, seconds, calls: 700_000 });
  lookForWork(run, { ...WORK, seconds, calls: 1_400_000, polled: 200 });
  expect(found).toHaveLength(2);
});

const PLAIN = {
  digest: null,
  mode: 0o755,
  target: null,
  mtime: 0n,
  xattrs: new Map<string, string>(),
};
const folder: Shown = { ...PLAIN, kind: 'directory' };
const MACHINE = {
  name: 'ada',
  isLeftOut: () => false,
  saidOf: () => [],
  isSpoiled: () => false,
  holdsOthers: () => false,
  keptTime: (_: string, time: bigint) => time,
};
const file: Shown = { ...PLAIN, kind: 'symlink', target: 'there' };

it.each([
  ['d/a (conflict, ada, 2026-01-01 00.00.13).txt', 1],
  ['d/a (conflict of ada).txt', 0],
  ['d (conflict, ada, 2026-01-01 00.00.13)/a', 0],
])('a laptop that is alone has a conflict if a file is called like a copy: %s', (path, told) => {
  const found: string[] = [];
  const find = (_: string, text: string) => void found.push(text);
  lookAtNames({ find, plan: { settings: { laptops: 1 } } as never }, new Map([[path, file]]));
  expect(found).toHaveLength(told);
});

it.each([
  { codes: ['attributes-left'], differs: false },
  { codes: ['disk-limits'], differs: false },
  { codes: ['disk-full'], differs: true },
])('an attribute that only a disk has may differ beside "synced": $codes', ({ codes, differs }) => {
  const found: string[] = [];
  const run = { find: (_: string, text: string) => void found.push(text) };
  const own = new Map([['doc', { ...folder, xattrs: new Map([['large', 'eA==']]) }]]);
  const volume = new Map([['doc', folder]]);
  expect(lookForOther(run, { ...MACHINE, saidOf: () => codes }, { volume, own })).toBe(differs);
  expect(found).toEqual([]);
});

it.each([
  { own: ['gone', 'gone/cache'], ignored: ['gone/cache'], others: false, told: 0 },
  { own: ['gone', 'gone/cache', 'gone/notes'], ignored: ['gone/cache'], others: false, told: 2 },
  { own: ['gone'], ignored: [], others: false, told: 1 },
  { own: ['gone'], ignored: [], others: true, told: 0 },
  { own: ['gone', 'gone/notes'], ignored: [], others: true, told: 2 },
])(
  'a folder that was removed elsewhere may stay for what is not synced: $own, pipes $others',
  (each) => {
    const found: string[] = [];
    const own = new Map(each.own.map((path) => [path, path === 'gone' ? folder : file]));
    const machine = {
      ...MACHINE,
      isLeftOut: (path: string) => each.ignored.includes(path),
      holdsOthers: () => each.others,
    };
    const run = { find: (_: string, text: string) => void found.push(text) };
    lookForOther(run, machine, { volume: new Map(), own });
    expect(found).toHaveLength(each.told);
  },
);
