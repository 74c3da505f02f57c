import { describe, expect, it } from '@jest/globals';
import type { CacheUse } from '../../../shared/control/cache.ts';
import type { FolderRow } from '../../../shared/control/folder.ts';
import type { NamedGroup } from '../../../shared/control/groups.ts';
import { DEFAULT_CACHE } from '../../../shared/model/cache.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import {
  boundText,
  cacheOutcome,
  countBeneath,
  crumbs,
  freeGroupName,
  keptRows,
  rowKind,
  rowState,
  selectionText,
  shownRows,
  sortRows,
  suggestionText,
  type Sort,
} from './files-view.ts';

const FID = '1.2.3' as Fid;
const ROW: FolderRow = {
  ...{ name: 'a', fid: FID, kind: 'file', size: 1, modified: 0 },
  ...{ cached: true, pinned: false, sync: 'committed', behind: false },
};
const NONE = { files: 0, bytes: 0 };
const USE: CacheUse = {
  ...{ files: 1, bytes: 500, limit: 1000, reserve: null, disk: null, settings: DEFAULT_CACHE },
  kept: { toSend: NONE, open: NONE, pinned: { files: 1, bytes: 500 }, ahead: NONE, rest: NONE },
  pins: { total: 0, first: [] },
};

describe('the rows of a folder', () => {
  const alone = { queued: null, conflicts: 0, problems: 0 };
  const queued = { updates: 3, bytes: 100, sentBytes: 34, kept: null, moving: 'sending' } as const;
  it.each([
    [{}, alone, 'synced', 'synced'],
    [{ cached: false }, alone, 'online', 'online only'],
    [{ cached: false, pinned: true }, alone, 'always', 'always here'],
    [{ sync: 'queued', behind: true }, alone, 'waiting', 'to be sent'],
    [{ behind: true }, alone, 'behind', 'a newer version is on its way'],
    [{ kind: 'symlink' }, alone, 'link', 'link'],
    [{ sync: 'queued' }, { ...alone, queued }, 'sending', 'sending 34 %'],
    [{ kind: 'directory' }, alone, 'synced', 'synced'],
    [{ kind: 'directory' }, { ...alone, queued }, 'sending', '3 changes, 34 %'],
    [
      { kind: 'directory' },
      { ...alone, queued: { ...queued, moving: 'queued' } },
      'waiting',
      '3 changes to send',
    ],
    [
      { sync: 'queued' },
      { ...alone, queued: { ...queued, moving: null, kept: { state: 'cancelled', reason: null } } },
      'problem',
      'not sent',
    ],
    [{ kind: 'directory' }, { ...alone, queued, conflicts: 2 }, 'conflict', '2 conflicts inside'],
    [{ sync: 'conflict' }, alone, 'conflict', 'conflict'],
    [{ kind: 'directory' }, { ...alone, problems: 1 }, 'problem', 'not synced'],
  ] as const)(
    'show the state of %j with %j as the sign %s and "%s"',
    (change, beneath, sign, word) => {
      expect(rowState({ ...ROW, ...change }, beneath)).toEqual({ sign, word });
    },
  );

  it('count what is at a path or below it, and not beside it, with both sides of a conflict as one', () => {
    expect(countBeneath([['a'], ['a/b'], ['ab'], ['c/a']], ['a'])).toBe(2);
    const conflicts = [
      ['a/x', 'a/x (conflict)'],
      ['a/y', 'b/y (conflict)'],
    ];
    expect([countBeneath(conflicts, ['a']), countBeneath(conflicts, ['b'])]).toEqual([2, 1]);
  });

  it('are sorted with folders first, by name, time or size', () => {
    const row = (name: string, size: number, kind: FolderRow['kind'] = 'file') => ({
      ...ROW,
      ...{ name, size, kind, modified: -size },
    });
    const rows = [row('b10', 1), row('A', 3), row('b9', 2), row('z', 0, 'directory')];
    const sorted = (sort: Sort, isDescending = false) =>
      sortRows(rows, sort, isDescending)
        .map(({ name }) => name)
        .join(' ');
    expect(sorted('name')).toBe('z A b9 b10');
    expect(sorted('name', true)).toBe('z b10 b9 A');
    expect(sorted('size')).toBe('z b10 b9 A');
    expect(sorted('modified')).toBe('z A b9 b10');
  });

  it('have a sum', () => {
    expect(selectionText([ROW, { ...ROW, size: 1999 }])).toBe('2 selected, 2.0 KB');
    expect(selectionText([{ ...ROW, kind: 'directory' }])).toBe('1 selected');
    expect([ROW, { ...ROW, kind: 'directory' as const }].map(rowKind)).toEqual(['file', 'folder']);
  });

  it('omit the folder of groups in the root only', () => {
    const rows = [ROW, { ...ROW, name: '.godwit-groups' }];
    const report = { fid: FID, total: 2, from: 0, rows };
    expect(shownRows(report, []).map(({ name }) => name)).toEqual(['a']);
    expect(shownRows(report, ['b'])).toHaveLength(2);
  });

  it('have a path of names that lead to the folder', () => {
    expect(crumbs(['a', 'b\u202e'])).toEqual([
      { name: 'All files', path: [] },
      { name: 'a', path: ['a'] },
      { name: 'b\ufffd', path: ['a', 'b\u202e'] },
    ]);
  });
});

describe('the view of the cache', () => {
  it('shows shares of the bound, or of the contents when they are more', () => {
    expect(keptRows(USE).find(({ by }) => by === 'pinned')).toMatchObject({ share: 0.5 });
    expect(keptRows({ ...USE, limit: 100 }).find(({ by }) => by === 'pinned')?.share).toBe(1);
  });

  it('shows the bound as far as it is known', () => {
    const bound = '500 B of the 1.0 KB it may have now. Between 256.0 MB and 20.0 GB';
    expect(boundText(USE)).toBe(`${bound}.`);
    const disk = { free: 9000, total: 10_000 };
    expect(boundText({ ...USE, reserve: 200, disk })).toBe(
      `${bound}; 200 B of the disk stay free; 9.0 KB are free.`,
    );
  });

  it('shows the result of an order for several paths', () => {
    const report = { files: 0, bytes: 0, unchanged: 0, failed: 0, exceptions: [] };
    expect(cacheOutcome('pin', [report])).toBe('Nothing to keep in it yet');
    const exceptions = [{ path: '/a', why: 'in use' }];
    const failed = { ...report, files: 1, bytes: 10, failed: 1, exceptions };
    expect(cacheOutcome('evict', [failed, { ...report, unchanged: 2 }])).toBe(
      '1 file (10 B) freed; 2 files as before; 1 file not; /a: in use',
    );
  });
});

describe('the view of a group', () => {
  it('suggests a free name and shows suggestions in one line', () => {
    const group = { name: 'inferred-1', fid: FID, kind: 'inferred', files: [] } as NamedGroup;
    expect(freeGroupName([], 'inferred')).toBe('inferred-1');
    expect(freeGroupName([group], 'inferred')).toBe('inferred-2');
    const files = ['a', 'b', 'c', 'd', 'e'].map((path) => ({ fid: FID, path }));
    const said = suggestionText({
      volume: 'home',
      files: [...files, { fid: FID, path: null }],
      times: 2,
    });
    expect(said).toBe('a, b, c, d and 2 others: 2 times');
  });
});
