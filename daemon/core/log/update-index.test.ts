import { describe, expect, it, jest } from '@jest/globals';
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

describe('the change of a directory by the log', () => {
  it.each<[string, number[], { count: number; lastAt: string } | null]>([
    ['all of it', [], { count: 3, lastAt: '3' }],
    ['without the first', [1], { count: 2, lastAt: '3' }],
    ['without the last', [3], { count: 2, lastAt: '2' }],
    ['without the last two, the last first', [3, 2], { count: 1, lastAt: '1' }],
    ['nothing left', [1, 2, 3], null],
  ])('is known for %s', (_, removed, change) => {
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

it('the last move of a directory is found without a walk over other updates', () => {
  const index = new UpdateIndex();
  const moves = Array.from({ length: 500 }, (_, at) => ({ ...made(at + 1), movesDirectory: true }));
  for (const move of moves) index.add(move);
  const walked = jest.spyOn(Set.prototype, 'values');
  for (const move of moves.slice(0, 498)) {
    index.remove(move);
    expect(index.lastDirectoryMove(VOLUME)).toBe(moves[499]);
  }
  expect(walked).not.toHaveBeenCalled();
  walked.mockRestore();
  index.remove(moves[499] as Indexed);
  expect(index.lastDirectoryMove(VOLUME)).toBe(moves[498]);
  index.remove(moves[498] as Indexed);
  expect(index.lastDirectoryMove(VOLUME)).toBeUndefined();
});
