import { describe, expect, it } from '@jest/globals';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import { isOfItsPlace, RecoveredMoves } from './recovered-moves.ts';

const [ROOT, DIR, FILE, OTHER] = ['1.1.1', '1.7.2', '1.8.2', '1.9.2'] as [Fid, Fid, Fid, Fid];

const make = (fid: Fid, dir: Fid, name: string): Update =>
  ({
    op: 'create',
    fid,
    dir,
    name,
    mode: 0o644,
    mtime: '0',
    xattrs: [],
    at: '0',
  }) as unknown as Update;
const move = (fid: Fid, fromName: string, toName: string, over: Fid | null = null): Update =>
  ({
    ...{ op: 'rename', fid, fromDir: DIR, fromName, toDir: DIR, toName, at: '0' },
    over: over === null ? null : { fid: over, base: 1 },
  }) as unknown as Update;

describe('a recovered file', () => {
  const offers = [make(FILE, ROOT, `recovered ${FILE}`), make(OTHER, ROOT, 'doc')];

  it('is moved from its temporary name and then as it was', () => {
    const moves = new RecoveredMoves(offers);
    const first = move(FILE, 'part', 'whole');
    const second = move(FILE, 'whole', 'done');
    expect(moves.from(first)).toEqual({
      ...first,
      fromDir: ROOT,
      fromName: `recovered ${FILE}`,
    });
    expect(moves.from(second)).toBe(second);
  });

  it('is not meant by updates of its name by others, nor by other operations', () => {
    const moves = new RecoveredMoves(offers);
    const [other, made] = [move(OTHER, 'doc', 'done'), make(FILE, DIR, 'part')];
    expect([moves.from(other), moves.from(made)]).toEqual([other, made]);
  });
});

it.each<[string, Update, boolean]>([
  ['its move', move(FILE, 'part', 'whole'), true],
  ['a move over it', move(OTHER, 'part', 'whole', FILE), false],
  ['its removal', { op: 'remove', fid: FILE, dir: DIR, name: 'part', base: 1 } as Update, false],
  ['its making', make(FILE, DIR, 'part'), false],
  ['another name', { op: 'link', fid: FILE, dir: DIR, name: 'also' } as Update, true],
])('the update %s names the place of the file and nothing else: %#', (_, update, expected) => {
  expect(isOfItsPlace(update, FILE)).toBe(expected);
});
