/** The planner of remote commits, case by case. */
import { describe, expect, it } from '@jest/globals';
import type { EntryChange } from '../../../../shared/model/change.ts';
import { makeFid, type Fid } from '../../../../shared/model/fid.ts';
import {
  commitNumber,
  dataVersion,
  type Digest,
  type Mtime,
  type VnodeKind,
  type VnodeStatus,
} from '../../../../shared/model/vnode.ts';
import type { Update } from '../../../../shared/model/update.ts';
import { FolderRecords, placeKey } from '../records/folder-records.ts';
import { HeldRows } from '../records/held-rows.ts';
import { planRemote, type DiskAction } from './plan-remote.ts';

const ROOT = makeFid(1, 1, 1);
const A = makeFid(1, 11, 1);
const B = makeFid(1, 12, 1);
const D = makeFid(1, 13, 1);
const N = makeFid(1, 14, 1);

function status(fid: Fid, change: Partial<VnodeStatus> = {}): VnodeStatus {
  const kind: VnodeKind = fid === D ? 'directory' : 'file';
  return {
    ...{ fid, kind, mode: 0o644, mtime: '0' as Mtime, size: 1, version: dataVersion(1) },
    ...{ commit: commitNumber(1), digest: kind === 'file' ? (`${fid}` as Digest) : null },
    ...{ target: null, links: 1, xattrs: [] },
    ...change,
  };
}

/** The root has files `a` and `b` and a directory `d`. */
function folder(): FolderRecords {
  const records = new FolderRecords(ROOT);
  records.put({ ...status(ROOT, { kind: 'directory', digest: null }), disk: null });
  for (const [name, fid] of [
    ['a', A],
    ['b', B],
    ['d', D],
  ] as const) {
    records.put({ ...status(fid), disk: null });
    records.link({ dir: ROOT, name }, fid, false);
  }
  return records;
}

interface Case {
  vnodes?: VnodeStatus[];
  entries?: Array<[dir: Fid, name: string, fid: Fid | null]>;
  pending?: string[];
  /** Digests of blocked stores, by file. */
  blocked?: Record<Fid, string>;
  own?: string[];
  ignored?: string[];
  known?: number;
}

function blockedStores(digests: Readonly<Record<Fid, string>>, fid: Fid): Update[] | null {
  const digest = digests[fid] as Digest | undefined;
  if (digest === undefined) return null;
  const about = { mtime: '0' as Mtime, size: 1, base: dataVersion(1) };
  return [{ op: 'store', fid, digest, ...about }];
}

function plan(given: Case): string[] {
  const {
    vnodes = [],
    entries = [],
    pending = [],
    own = [],
    ignored = [],
    known = 0,
    blocked = {},
  } = given;
  const records = folder();
  const held = new HeldRows();
  const rows: EntryChange[] = entries.map(([dir, name, fid]) => ({ dir, name, fid }));
  held.merge({ vnodes, entries: rows });
  for (const name of own) records.link({ dir: ROOT, name }, records.at(ROOT, name) ?? A, true);
  const actions = planRemote(
    { vnodes: vnodes.map(({ fid }) => fid), entries: rows },
    held,
    records,
    {
      pendingVnode: (fid) => pending.includes(fid),
      blocked: (fid) => blockedStores(blocked, fid),
      isOutdated: ({ commit }) => commit < known,
      pendingEntry: (dir, name) => pending.includes(placeKey(dir, name)),
      isIgnored: (path) => ignored.includes(path.join('/')),
      isAway: () => false,
      isInUse: () => false,
      isOut: () => false,
      isMovedOut: () => false,
      isKeptOut: () => false,
      isUnavailable: () => false,
      isFull: () => true,
    },
  );
  return actions.map(shown);
}

function shown(action: DiskAction): string {
  switch (action.do) {
    case 'park':
      return `park ${action.from.name}`;
    case 'move':
      return `move ${action.from?.name ?? '(parked)'} -> ${action.to.name}${action.over === null ? '' : ' (over)'}`;
    case 'make':
    case 'make-placeholder':
    case 'remove':
    case 'rmdir':
    case 'link':
      return `${action.do} ${action.place.name}`;
    case 'contents':
    case 'attributes':
    case 'renew-placeholder':
      return `${action.do} ${action.status.fid}`;
  }
}

const gone = { links: 0 };
const newer = { version: dataVersion(2), digest: 'other' as Digest };

const CASES: ReadonlyArray<[string, Case, string[]]> = [
  ['an echo', { vnodes: [status(A)], entries: [[ROOT, 'a', A]] }, []],
  ['a new file', { vnodes: [status(N)], entries: [[ROOT, 'n', N]] }, ['make n']],
  [
    'without contents yet (W2)',
    { vnodes: [status(N, { digest: null })], entries: [[ROOT, 'n', N]] },
    [],
  ],
  [
    'with two names',
    {
      vnodes: [status(N)],
      entries: [
        [ROOT, 'n', N],
        [ROOT, 'm', N],
      ],
    },
    ['make m', 'link n'],
  ],
  ['new contents', { vnodes: [status(A, newer)] }, [`contents ${A}`]],
  ['new attributes', { vnodes: [status(A, { mode: 0o600 })] }, [`attributes ${A}`]],
  ['attributes of before our own', { vnodes: [status(A, { mode: 0o600 })], known: 2 }, []],
  [
    'an older version than ours',
    { vnodes: [status(A, { version: dataVersion(0), digest: null })] },
    [],
  ],
  ['a removal', { vnodes: [status(A, gone)], entries: [[ROOT, 'a', null]] }, ['remove a']],
  ['a removed directory', { vnodes: [status(D, gone)], entries: [[ROOT, 'd', null]] }, ['rmdir d']],
  [
    'a rename',
    {
      entries: [
        [ROOT, 'a', null],
        [D, 'x', A],
      ],
    },
    ['move a -> x'],
  ],
  [
    'a rename over',
    {
      vnodes: [status(B, gone)],
      entries: [
        [ROOT, 'a', null],
        [ROOT, 'b', A],
      ],
    },
    ['move a -> b (over)'],
  ],
  [
    'a swap, from two commits',
    {
      entries: [
        [ROOT, 'a', B],
        [ROOT, 'b', A],
      ],
    },
    ['park b', 'move a -> b', 'move (parked) -> a'],
  ],
  [
    'a chain',
    {
      entries: [
        [ROOT, 'a', null],
        [ROOT, 'b', A],
        [ROOT, 'c', B],
      ],
    },
    ['move b -> c', 'move a -> b'],
  ],
  [
    'another file under a name',
    { vnodes: [status(A, gone), status(N)], entries: [[ROOT, 'a', N]] },
    ['remove a', 'make a'],
  ],
  ['a new name of a known file', { entries: [[ROOT, 'c', A]] }, ['link c']],
  [
    'an entry of ours is queued',
    { vnodes: [status(N)], entries: [[ROOT, 'n', N]], pending: [placeKey(ROOT, 'n')] },
    [],
  ],
  [
    'a rename, one side of which is queued',
    {
      entries: [
        [ROOT, 'a', null],
        [ROOT, 'c', A],
      ],
      pending: [placeKey(ROOT, 'a')],
    },
    [],
  ],
  ['a store of ours is queued', { vnodes: [status(A, newer)], pending: [A] }, []],
  [
    'a store of ours is blocked, and on the disk',
    { vnodes: [status(A, newer)], pending: [A], blocked: { [A]: A } },
    [],
  ],
  [
    'a store of ours is blocked, and not on the disk',
    { vnodes: [status(A, newer)], pending: [A], blocked: { [A]: 'ours' } },
    [`contents ${A}`],
  ],
  [
    'a store of ours is blocked, and its file is not on the disk',
    { vnodes: [status(N)], entries: [[ROOT, 'n', N]], pending: [N], blocked: { [N]: 'ours' } },
    ['make n'],
  ],
  [
    'a name of ours that the feed has not shown',
    { vnodes: [status(N)], entries: [[ROOT, 'a', N]], own: ['a'] },
    [],
  ],
  ['an ignored place', { vnodes: [status(N)], entries: [[ROOT, 'n', N]], ignored: ['n'] }, []],
  [
    'a directory that is not in place',
    { vnodes: [status(N)], entries: [[makeFid(1, 99, 1), 'n', N]] },
    [],
  ],
];

describe('the plan of remote changes', () => {
  it.each(CASES)('is right when %s', (_name, given, expected) => {
    expect(plan(given)).toEqual(expected);
  });
});
