/** What is left out of a pass is looked at again, whoever asked for it. */
import { expect, it } from '@jest/globals';
import type { Fid } from '../../../../shared/model/fid.ts';
import { instant } from '../../../../shared/model/time.ts';
import { FOLDER_LIMITS } from '../folder-limits.ts';
import { FolderRecords, placeKey } from '../records/folder-records.ts';
import { DirtyPaths } from '../watch/dirty-paths.ts';
import type { DiskFacts } from '../disk/disk-facts.ts';
import type { DiskNode } from './local-plan.ts';
import { SettledFiles, type SettledFilesParts } from './settled-files.ts';

const ROOT = '1.1.1' as Fid;
const DIR = '1.2.2' as Fid;
const NOW = instant(1000);

const facts = (inode: string, kind: DiskFacts['kind']): DiskFacts => ({
  ...{
    kind,
    inode,
    size: 1,
    mode: 0o644,
    mtime: '0' as DiskFacts['mtime'],
    ctime: '0',
    links: 1,
    target: null,
  },
});

function node(name: string, inode: string, children: readonly DiskNode[] | null = null): DiskNode {
  const kind = children === null ? 'file' : 'directory';
  return { name, facts: facts(inode, kind), children, isHollow: false };
}

it('a name in a folder that was moved is looked at again where its place is held for what stands under the old name', () => {
  const records = new FolderRecords(ROOT);
  const common = { version: 1, digest: null, size: 0, mode: 0o755, mtime: '0', xattrs: [] };
  for (const [fid, inode] of [
    [ROOT, '1:1'],
    [DIR, '2:1'],
  ] as const) {
    const disk = { inode, size: 0, mode: 0o755, mtime: '0', ctime: '0' };
    records.put({ ...common, fid, kind: 'directory', target: null, disk } as never);
  }
  records.link({ dir: ROOT, name: 'old' }, DIR, false);
  const dirty = new DirtyPaths(FOLDER_LIMITS);
  const clock = { now: () => NOW };
  const settled = new SettledFiles({ records, dirty, clock } as unknown as SettledFilesParts);
  const waiting = new Set<string>();
  const moved = node('new', '2:1', [node('doc', '3:1')]);
  const left = settled.notHeld(ROOT, [], [moved], new Set([placeKey(DIR, 'doc')]), waiting);
  expect(left).toEqual([{ ...moved, children: [] }]);
  expect([...waiting]).toEqual(['new/doc']);
  expect(dirty.paths()).toEqual(['new/doc']);
  expect(dirty.due(NOW, 10)).toEqual([]);
});
