import { describe, expect, it } from '@jest/globals';
import type { CacheUse } from '../../../shared/control/cache.ts';
import type { FolderRow } from '../../../shared/control/folder.ts';
import type { NamedGroup } from '../../../shared/control/groups.ts';
import { DEFAULT_CACHE } from '../../../shared/model/cache.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import {
  boundText,
  cacheOutcome,
  crumbs,
  folderState,
  freeGroupName,
  keptRows,
  shownRows,
  suggestionText,
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
  it.each([
    [{}, 'here'],
    [{ cached: false, pinned: true }, 'on the server, always here'],
    [{ sync: 'queued', behind: true }, 'here, to be sent'],
    [{ behind: true }, 'here, behind: a newer version is on its way'],
    [{ kind: 'directory' }, ''],
    [{ kind: 'symlink' }, 'link'],
  ] as const)('show the state of %j as %j', (change, said) => {
    expect(folderState({ ...ROW, ...change })).toBe(said);
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
