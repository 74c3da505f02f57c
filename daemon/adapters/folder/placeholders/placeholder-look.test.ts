/** What a name is taken for that ends like a placeholder's, by what is recorded of its inode and by its text. */
import { describe, expect, it } from '@jest/globals';
import { makeFid, type Fid } from '../../../../shared/model/fid.ts';
import { dataVersion, type Digest, type Mtime } from '../../../../shared/model/vnode.ts';
import type { DiskFacts } from '../disk/disk-facts.ts';
import { FolderRecords, type VnodeRecord } from '../records/folder-records.ts';
import { PlaceholderLook } from './placeholder-look.ts';
import { placeholderText } from './placeholder-text.ts';

const [ROOT, FILE, MADE] = [makeFid(1, 1, 1), makeFid(1, 2, 1), makeFid(1, 3, 1)];
const [ELSEWHERE, HERE] = ['1:0', '2:0'];
const mtime = '7' as Mtime;
const TEXT = placeholderText({ fid: FILE, name: 'f', version: dataVersion(1), size: 9, mtime });

function recordOf(fid: Fid, inode: string, more: Partial<VnodeRecord>): VnodeRecord {
  const rest = { size: 0, mode: 0o644, mtime, target: null, xattrs: [] };
  const disk = { inode, size: -1, mode: 0o644, mtime, ctime: '' };
  return { fid, kind: 'file', version: dataVersion(0), digest: null, ...rest, disk, ...more };
}

/** A directory with the text of the placeholder of FILE, which is elsewhere, under `e.godwit`; MADE has its inode. */
function found(made: Partial<VnodeRecord>): { names: string[]; findings: string[] } {
  const records = new FolderRecords(ROOT);
  records.put(recordOf(ROOT, '0:0', { kind: 'directory' }));
  records.put(recordOf(FILE, ELSEWHERE, { placeholder: true, digest: 'd' as Digest }));
  records.link({ dir: ROOT, name: 'f' }, FILE, false);
  records.put(recordOf(MADE, HERE, made));
  records.link({ dir: ROOT, name: 'e' }, MADE, false);
  const facts: DiskFacts = {
    ...{ kind: 'file', inode: HERE, size: TEXT.length, mode: 0o444, mtime, ctime: '9' },
    ...{ links: 1, target: null },
  };
  const look = new PlaceholderLook(
    records,
    { factsOf: ({ name }) => (name === 'f' ? { ...facts, inode: ELSEWHERE } : null) },
    { readSmall: () => Buffer.from(TEXT) },
  );
  const names = look.resolve([], '/base', '0:0', [{ name: 'e.godwit', facts }]);
  return {
    names: names.map(({ name }) => name),
    findings: look.takeFindings().map(({ what }) => what),
  };
}

describe('the look for placeholders', () => {
  it('takes the text of one for a copy, though a file was begun that has its number', () => {
    expect(found({})).toEqual({ names: [], findings: ['copy'] });
  });

  it('takes it for a copy where the number was that of another file', () => {
    const disk = { inode: HERE, size: 3, mode: 0o644, mtime, ctime: '3' };
    expect(found({ digest: 'e' as Digest, disk })).toEqual({ names: [], findings: ['copy'] });
  });

  it('leaves a file alone that was logged as it is', () => {
    const disk = { inode: HERE, size: TEXT.length, mode: 0o444, mtime, ctime: '9' };
    expect(found({ digest: 'e' as Digest, disk })).toEqual({ names: ['e.godwit'], findings: [] });
  });
});
