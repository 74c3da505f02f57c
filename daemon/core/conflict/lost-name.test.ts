import { describe, expect, it } from '@jest/globals';
import { makeFid, rootOf, type VolumeId } from '../../../shared/model/fid.ts';
import type { MetadataUpdate } from '../../../shared/model/update.ts';
import { dataVersion, type Mtime } from '../../../shared/model/vnode.ts';
import { metadataUpdate } from '../../../shared/wire/updates.ts';
import { LostName } from './lost-name.ts';

const DIR = rootOf(1 as VolumeId);
const [OURS, NEW] = [makeFid(1, 2, 2), makeFid(1, 3, 2)];
const AT = '0' as Mtime;
const FROM = { dir: DIR, name: 'doc' };
const COPY = 'doc (conflict, ada, 2026-01-01 00.00.00)';
const TO = { dir: DIR, name: COPY, copyOf: 'doc' };
const RENAME = { op: 'rename', fromDir: DIR, toDir: DIR, at: AT } as const;

describe('an update of a name that lost', () => {
  it.each<[string, MetadataUpdate, object]>([
    [
      'a removal',
      { op: 'remove', fid: OURS, ...FROM, base: dataVersion(1), at: AT },
      { dir: DIR, name: COPY },
    ],
    ['the removal of a folder', { op: 'rmdir', fid: OURS, ...FROM, at: AT }, { name: COPY }],
    [
      'a rename to another name',
      { ...RENAME, fid: OURS, fromName: 'doc', toName: 'other', over: null },
      { fromName: COPY, toName: 'other' },
    ],
    [
      'a rename over it',
      {
        ...{ ...RENAME, fid: NEW, fromName: 'doc.tmp', toName: 'doc' },
        over: { fid: OURS, base: dataVersion(1) },
      },
      { fromName: 'doc.tmp', toName: COPY, copyOf: 'doc' },
    ],
  ])('follows it to the copy, and %s is one that a server can read', (_what, update, becomes) => {
    const followed = new LostName(OURS, FROM, TO).follow(update);
    expect(followed).toMatchObject(becomes);
    expect(metadataUpdate.safeParse(followed).success).toBe(true);
    expect('copyOf' in followed).toBe('copyOf' in becomes);
  });
});
