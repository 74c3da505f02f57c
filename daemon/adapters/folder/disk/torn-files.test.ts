/** Which files a disk has torn, by their times. */
import { expect, it } from '@jest/globals';
import type { Digest } from '../../../../shared/model/vnode.ts';
import { rootOf, type VolumeId } from '../../../../shared/model/fid.ts';
import type { Mtime } from '../../../../shared/model/vnode.ts';
import type { DiskFacts } from './disk-facts.ts';
import type { InDirectory } from './in-directory.ts';
import type { SafeRoot } from './safe-root.ts';
import { TornFiles } from './torn-files.ts';

const PLACE = { dir: rootOf(1 as VolumeId), name: 'doc' };
const WHOLE = 'whole' as Digest;

interface Times {
  readonly mtime: number;
  readonly ctime: number | '';
}

/** Recorded with the first times; there are half of its bytes by now, with the others. */
async function isTorn(recorded: Times, now: Times): Promise<boolean> {
  const times = ({ mtime, ctime }: Times) => ({
    ...{ mtime: String(mtime) as Mtime, ctime: String(ctime) },
  });
  const facts: DiskFacts = {
    ...{ kind: 'file', inode: '7:1', size: 5, mode: 0o644, links: 1, target: null },
    ...times(now),
  };
  const directories = { factsOf: () => facts } as unknown as InDirectory;
  const files = { digestFile: () => Promise.reject(new Error('its length says enough')) };
  const torn = new TornFiles({ root: {} as SafeRoot, directories, files });
  const stamp = { inode: '7:1', size: 10, mode: 0o644, ...times(recorded) };
  return (await torn.at(PLACE, stamp, WHOLE)) !== null;
}

it.each<[what: string, recorded: Times, now: Times, is: boolean]>([
  ['the times are as recorded', { mtime: 5, ctime: 5 }, { mtime: 5, ctime: 5 }, true],
  ['both times are later', { mtime: 5, ctime: 5 }, { mtime: 6, ctime: 6 }, false],
  [
    'a program gave it an older time, which is lost',
    { mtime: 1, ctime: 5 },
    { mtime: 4, ctime: 4 },
    true,
  ],
  [
    'it was written after it had been given an older time',
    { mtime: 1, ctime: 5 },
    { mtime: 6, ctime: 6 },
    false,
  ],
  [
    'the disk has no time of change, and it is later',
    { mtime: 1, ctime: '' },
    { mtime: 6, ctime: '' },
    false,
  ],
])('a file with half of its bytes is judged where %s', async (_what, recorded, now, is) => {
  expect(await isTorn(recorded, now)).toBe(is);
});
