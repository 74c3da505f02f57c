import { describe, expect, it } from '@jest/globals';
import { makeFid, rootOf, type VolumeId } from '../../../shared/model/fid.ts';
import { updateSeq } from '../../../shared/model/update.ts';
import type { Mtime } from '../../../shared/model/vnode.ts';
import { UpdateIndex, type Indexed } from './update-index.ts';

const VOLUME = 1 as VolumeId;
const DIR = rootOf(VOLUME);

/** A file made in the root at a time that is its number. */
function made(seq: number): Indexed {
  return {
    seq: updateSeq(seq),
    volume: VOLUME,
    update: {
      op: 'create',
      fid: makeFid(1, 100 + seq, 2),
      dir: DIR,
      name: `file ${seq}`,
      mode: 0o644,
      mtime: '0' as Mtime,
      xattrs: [],
      at: String(seq) as Mtime,
    },
    state: 'queued',
    movesDirectory: false,
    waiters: new Set(),
  };
}

describe('what the log does to a directory', () => {
  it.each<[string, number[], { count: number; lastAt: string } | null]>([
    ['all of it', [], { count: 3, lastAt: '3' }],
    ['without the first', [1], { count: 2, lastAt: '3' }],
    ['without the last', [3], { count: 2, lastAt: '2' }],
    ['without the last two, the last first', [3, 2], { count: 1, lastAt: '1' }],
    ['nothing left', [1, 2, 3], null],
  ])('%s', (_, removed, change) => {
    const index = new UpdateIndex();
    const entries = [1, 2, 3].map(made);
    for (const entry of entries) index.add(entry);
    for (const seq of removed) {
      index.remove(entries[seq - 1] as Indexed);
      index.directoryChange(DIR);
    }
    expect(index.directoryChange(DIR)).toEqual(change);
  });
});
