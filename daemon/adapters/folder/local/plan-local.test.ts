/** The planner of local changes, case by case: what was recorded, what is on the disk, what is told. */
import { describe, expect, it } from '@jest/globals';
import { makeFid, type Fid } from '../../../../shared/model/fid.ts';
import { dataVersion, type Mtime } from '../../../../shared/model/vnode.ts';
import { stampOf, type DiskFacts, type DiskKind } from '../disk/disk-facts.ts';
import { FolderRecords } from '../records/folder-records.ts';
import type { DiskNode, LocalOp, Look } from './local-plan.ts';
import { planLocal } from './plan-local.ts';

const ROOT = makeFid(1, 1, 1);

/** `inode` or `inode:change`: another change is another mtime; a directory is a nested object; `->` a symlink. */
type Tree = { [name: string]: Tree | string };

/** `inode` without a birth, as FAT and much of FUSE have it. */
const UNBORN = 'n';

/** A directory's inode is under this name. */
const SELF = '.';

function factsOf(spec: string, kind: DiskKind, links = 1): DiskFacts {
  const [inode = '', change = '0', mode] = spec.split(':');
  const target = kind === 'symlink' ? change : null;
  return {
    kind,
    inode: `${inode}:${inode.startsWith(UNBORN) ? 0 : 1}`,
    size: kind === 'file' ? change.length : 0,
    mode: mode === undefined ? 0o644 : parseInt(mode, 8),
    mtime: (kind === 'symlink' ? '0' : String(change.length)) as Mtime,
    ctime: kind === 'symlink' ? '0' : change,
    links,
    target,
  };
}

function kindOf(spec: Tree | string): DiskKind {
  return typeof spec !== 'string' ? 'directory' : spec.includes(':->') ? 'symlink' : 'file';
}

function selfOf(spec: Tree | string): string {
  return typeof spec === 'string' ? spec : (spec[SELF] as string);
}

function recordsOf(tree: Tree): FolderRecords {
  const records = new FolderRecords(ROOT);
  const byInode = new Map<string, Fid>();
  const put = (spec: Tree | string, fid: Fid): void => {
    const kind = kindOf(spec);
    const facts = factsOf(selfOf(spec), kind);
    records.put({
      ...{ fid, kind: kind as 'file', version: dataVersion(1), digest: null, size: facts.size },
      ...{ mode: facts.mode, mtime: facts.mtime, target: facts.target, xattrs: [] },
      disk: stampOf(facts),
    });
  };
  put({ [SELF]: 'root' }, ROOT);
  const walk = (dir: Fid, entries: Tree): void => {
    for (const [name, spec] of Object.entries(entries)) {
      if (name === SELF) continue;
      const inode = selfOf(spec).split(':')[0] ?? '';
      const fid = byInode.get(inode) ?? makeFid(1, 10 + byInode.size, 1);
      if (!byInode.has(inode)) put(spec, fid);
      byInode.set(inode, fid);
      records.link({ dir, name }, fid, false);
      if (typeof spec !== 'string') walk(fid, spec);
    }
  };
  walk(ROOT, tree);
  return records;
}

/** By a directory's inode: names in it that nothing can be told of. */
type Unclear = Record<string, string[]>;

function nodesOf(tree: Tree, counts: Map<string, number>, unclear: Unclear): DiskNode[] {
  return Object.entries(tree)
    .filter(([name]) => name !== SELF)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, spec]) => {
      const inode = selfOf(spec).split(':')[0] ?? '';
      return {
        name,
        facts: factsOf(selfOf(spec), kindOf(spec), counts.get(inode) ?? 1),
        children: typeof spec === 'string' ? null : nodesOf(spec, counts, unclear),
        unclear: unclear[inode] ?? [],
        isHollow: false,
      };
    });
}

function countInodes(tree: Tree, counts = new Map<string, number>()): Map<string, number> {
  for (const [name, spec] of Object.entries(tree)) {
    if (name === SELF) continue;
    const inode = selfOf(spec).split(':')[0] ?? '';
    counts.set(inode, (counts.get(inode) ?? 0) + 1);
    if (typeof spec !== 'string') countInodes(spec, counts);
  }
  return counts;
}

function told(
  before: Tree,
  after: Tree,
  elsewhere: string[] = [],
  {
    unclear = {},
    held = [],
    stands = [],
  }: { unclear?: Unclear; held?: string[]; stands?: string[] } = {},
): string[] {
  const records = recordsOf(before);
  const look: Look = {
    ...{ dir: ROOT, path: [], facts: factsOf('root', 'directory'), complete: true, missing: [] },
    nodes: nodesOf(after, countInodes(after), unclear).map((node) => {
      const fid = stands.includes(node.name) ? records.at(ROOT, 'a') : null;
      return fid === null ? node : { ...node, placeholder: fid };
    }),
    unclear: unclear['root'] ?? [],
  };
  const plan = planLocal([look], records, {
    isIgnored: () => false,
    hasLeft: () => false,
    mounts: {
      isHeld: (fid) => held.includes(records.pathOf(fid)?.join('/') ?? '?'),
      isAwayAt: () => false,
    },
    isElsewhere: (inode) => elsewhere.some((other) => `${other}:1` === inode),
  });
  const made = new Map<string, string>();
  // Paths are those of the records: a directory that moved a step before is shown where it was.
  const place = ({ dir, name }: { dir: string; name: string }): string => {
    const above = made.get(dir) ?? records.pathOf(dir as Fid)?.join('/') ?? '?';
    return above === '' ? name : `${above}/${name}`;
  };
  return [...plan.ops, ...plan.removals].map((op: LocalOp) => {
    switch (op.op) {
      case 'rename':
        return `rename ${place(op.from)} -> ${place(op.to)}${op.over === null ? '' : ' (over)'}`;
      case 'check':
        return `check ${op.path.join('/')}`;
      case 'mkdir':
        made.set(op.ref, place(op));
        return `mkdir ${place(op)}`;
      default:
        return `${op.op} ${place(op)}`;
    }
  });
}

const dir = (inode: string, entries: Tree = {}): Tree => ({ [SELF]: inode, ...entries });

/** The disk was mounted anew, and gave other numbers: what has one now had another before. */
const MOUNTED_ANEW: ReadonlyArray<[string, Tree, Tree, string[]]> = [
  ['files change numbers', { a: 'n1', b: 'n2' }, { a: 'n2', b: 'n1' }, ['check a', 'check b']],
  [
    'directories change numbers',
    { d: dir('n1', { f: 'n3' }), e: dir('n2', { f: 'n4' }) },
    { d: dir('n2', { f: 'n4' }), e: dir('n1', { f: 'n3' }) },
    ['check d/f', 'check e/f'],
  ],
  [
    'a new file has the number of one that is there still',
    { a: 'n1' },
    { a: 'n2', b: 'n1' },
    ['create b', 'check a'],
  ],
  [
    'a new directory has the number of one that is there still',
    { d: dir('n1') },
    { d: dir('n2'), e: dir('n1') },
    ['mkdir e'],
  ],
  [
    'a file has the number of one that was removed',
    { a: 'n1', b: 'n2' },
    { a: 'n2' },
    ['check a', 'remove b'],
  ],
  ['what was moved is looked into', { a: 'n1' }, { b: 'n1' }, ['check b', 'rename a -> b']],
  [
    'a directory and a file change numbers',
    { a: 'n1', d: dir('n2') },
    { a: 'n2', d: dir('n1') },
    ['check a'],
  ],
];

const CASES: ReadonlyArray<[string, Tree, Tree, string[]]> = [
  ['nothing', { a: 'i1' }, { a: 'i1' }, []],
  ['a new file', {}, { a: 'i1' }, ['create a']],
  [
    'new directories, parents first',
    {},
    { d: dir('i1', { e: dir('i2', { f: 'i3' }) }) },
    ['mkdir d', 'mkdir d/e', 'create d/e/f'],
  ],
  ['changed contents', { a: 'i1' }, { a: 'i1:xx' }, ['check a']],
  ['a changed mode', { a: 'i1:0' }, { a: 'i1:0:600' }, ['check a']],
  ['a removed file', { a: 'i1' }, {}, ['remove a']],
  [
    'a removed tree, children first',
    { d: dir('i1', { e: dir('i2', { f: 'i3' }) }) },
    {},
    ['remove d/e/f', 'rmdir d/e', 'rmdir d'],
  ],
  ['a rename', { a: 'i1' }, { b: 'i1' }, ['rename a -> b']],
  ['a rename and a change', { a: 'i1' }, { b: 'i1:xx' }, ['check b', 'rename a -> b']],
  [
    'a directory with what is in it',
    { d: dir('i1', { x: 'i2' }) },
    { e: dir('i1', { x: 'i2' }) },
    ['rename d -> e'],
  ],
  [
    'into a new directory',
    { a: 'i1' },
    { d: dir('i2', { a: 'i1' }) },
    ['mkdir d', 'rename a -> d/a'],
  ],
  [
    'out of a removed directory',
    { d: dir('i1', { x: 'i2', y: 'i3' }) },
    { x: 'i2' },
    ['rename d/x -> x', 'remove d/y', 'rmdir d'],
  ],
  ['a chain', { a: 'i1', b: 'i2' }, { b: 'i1', c: 'i2' }, ['rename b -> c', 'rename a -> b']],
  [
    'a swap',
    { a: 'i1', b: 'i2' },
    { a: 'i2', b: 'i1' },
    ['rename b -> .godwit-swap-11', 'rename a -> b', 'rename .godwit-swap-11 -> a'],
  ],
  [
    'a ring of three',
    { a: 'i1', b: 'i2', c: 'i3' },
    { a: 'i3', b: 'i1', c: 'i2' },
    [
      'rename c -> .godwit-swap-12',
      'rename b -> c',
      'rename a -> b',
      'rename .godwit-swap-12 -> a',
    ],
  ],
  [
    'swapped directories',
    { a: dir('i1', { x: 'i3' }), b: dir('i2') },
    { a: dir('i2'), b: dir('i1', { x: 'i3' }) },
    ['rename b -> .godwit-swap-12', 'rename a -> b', 'rename .godwit-swap-12 -> a'],
  ],
  [
    'a directory and its child change places',
    { p: dir('i1', { c: dir('i2') }) },
    { c: dir('i2', { p: dir('i1') }) },
    ['rename p/c -> c', 'rename p -> p/c/p'],
  ],
  ['over another known file', { a: 'i1', b: 'i2' }, { b: 'i1' }, ['rename a -> b (over)']],
  [
    'over a removed directory',
    { a: dir('i1'), b: dir('i2', { x: 'i3' }) },
    { b: dir('i1') },
    ['remove b/x', 'rmdir b', 'rename a -> b'],
  ],
  ['a safe save', { doc: 'i1' }, { doc: 'i2:xx' }, ['check doc']],
  [
    'a safe save with a backup',
    { doc: 'i1' },
    { doc: 'i2:xx', 'doc~': 'i1' },
    ['create doc~', 'check doc'],
  ],
  [
    'a rename, and another file under the old name',
    { a: 'i1' },
    { a: 'i2', z: 'i1' },
    ['rename a -> z', 'create a'],
  ],
  [
    'a file becomes a directory',
    { a: 'i1' },
    { a: dir('i2', { x: 'i3' }) },
    ['remove a', 'mkdir a', 'create a/x'],
  ],
  [
    'a directory becomes a file',
    { a: dir('i1', { x: 'i2' }) },
    { a: 'i3' },
    ['remove a/x', 'rmdir a', 'create a'],
  ],
  [
    'a directory made anew',
    { d: dir('i1', { x: 'i2' }) },
    { d: dir('i9', { x: 'i8' }) },
    ['check d/x'],
  ],
  ['a symlink', {}, { l: 'i1:->x' }, ['symlink l']],
  ['a symlink made anew, to the same', { l: 'i1:->x' }, { l: 'i2:->x' }, ['check l']],
  ['a symlink to another target', { l: 'i1:->x' }, { l: 'i2:->y' }, ['remove l', 'symlink l']],
  ['a new hard link', { a: 'i1' }, { a: 'i1', b: 'i1' }, ['link b']],
  ['two names of a new file', {}, { a: 'i1', b: 'i1' }, ['create a', 'link b']],
  ['one name of two goes', { a: 'i1', b: 'i1' }, { b: 'i1' }, ['remove a']],
  [
    'one name of two is saved safely',
    { a: 'i1', b: 'i1' },
    { a: 'i2', b: 'i1' },
    ['remove a', 'create a'],
  ],
  ['a file of two names is written anew', { a: 'i1', b: 'i1' }, { a: 'i2', b: 'i2' }, ['check a']],
  [
    'a file that is saved safely gets a second name',
    { a: 'i1' },
    { a: 'i2', b: 'i2' },
    ['check a', 'link b'],
  ],
  ['one name of two moves', { a: 'i1', b: 'i1' }, { b: 'i1', c: 'i1' }, ['rename a -> c']],
];

describe('the plan of local changes', () => {
  it.each(CASES)('is right when %s', (_name, before, after, expected) => {
    expect(told(before, after)).toEqual(expected);
  });

  it.each(MOUNTED_ANEW)('is right after another mount: %s', (_name, before, after, expected) => {
    expect(told(before, after)).toEqual(expected);
  });

  it('never looks at the bytes of a placeholder, also where a move leaves doubts', () => {
    expect(told({ a: 'n1' }, { b: 'n1' })).toEqual(['check b', 'rename a -> b']);
    expect(told({ a: 'n1' }, { b: 'n1' }, [], { stands: ['b'] })).toEqual(['rename a -> b']);
    expect(told({ a: 'i1' }, { b: 'i1:3' }, [], { stands: ['b'] })).toEqual(['rename a -> b']);
  });

  it('never makes a file of a placeholder, be its number another one', () => {
    expect(told({ a: 'i1' }, { a: 'i1', b: 'i2' })).toEqual(['create b']);
    expect(told({ a: 'i1' }, { a: 'i1', b: 'i2' }, [], { stands: ['b'] })).toEqual([]);
  });

  it('removes no vnode that was seen elsewhere, nor its directory', () => {
    const before = { d: dir('i1', { x: 'i2', y: 'i3' }) };
    expect(told(before, {}, ['i2'])).toEqual(['remove d/y']);
  });

  it('removes no name whose state is unclear', () => {
    const before = { a: 'i1', b: 'i2', d: dir('i3', { x: 'i4' }) };
    expect(told(before, {}, [], { unclear: { root: ['a', 'd'] } })).toEqual(['remove b']);
  });

  it('removes no unclear name in a moved directory', () => {
    const before = { d: dir('i1', { x: 'i2', y: 'i3' }) };
    const after = { e: dir('i1') };
    const unclear = { i1: ['x'] };
    expect(told(before, after, [], { unclear })).toEqual(['rename d -> e', 'remove d/y']);
  });

  it('removes nothing that vanished with its disk, nor the path to it', () => {
    const before = { d: dir('i1', { disk: dir('i2', { x: 'i3' }), y: 'i4' }) };
    expect(told(before, {}, [], { held: ['d/disk'] })).toEqual(['remove d/y']);
    expect(told(before, { d: dir('i1') }, [], { held: ['d/disk'] })).toEqual(['remove d/y']);
    // It was moved: what is not there of it is not where it was.
    const after = { disk: dir('i2'), d: dir('i1') };
    expect(told(before, after, [], { held: ['d/disk'] })).toEqual([
      'rename d/disk -> disk',
      'remove d/y',
      'remove d/disk/x',
    ]);
  });
});
