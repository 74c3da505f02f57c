import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ConflictSide } from '../../../shared/model/conflict-side.ts';
import { makeFid, type VolumeId } from '../../../shared/model/fid.ts';
import { dataVersion, type Digest } from '../../../shared/model/vnode.ts';
import type { ConflictRow } from '../../../shared/ports/client-store.ts';
import { Outbox } from '../effects.ts';
import { ConflictList } from './conflict-list.ts';

const VOLUME = 1 as VolumeId;
const nameOf = (): string => 'home';

const side = (vnode: number, letter: string | null, version = 1): ConflictSide => ({
  ...{ kind: 'file', fid: makeFid(VOLUME, vnode, 1), target: null },
  digest: letter === null ? null : (letter.repeat(64) as Digest),
  version: dataVersion(letter === null ? 0 : version),
});
const row = (mine: ConflictSide, theirs: ConflictSide | null): ConflictRow => ({
  ...{ when: 'then', volume: VOLUME, path: 'doc', copy: 'doc (conflict)', kind: 'contents' },
  sides: { mine, theirs },
});

let out: Outbox;
let list: ConflictList;
beforeEach(() => {
  out = new Outbox();
  list = new ConflictList(out);
});

describe('the sides of a conflict', () => {
  it('are written in the step that records it and are not in the status', () => {
    const id = list.add(row(side(2, 'a'), side(3, 'b')));
    expect(out.takeRows()).toContainEqual(
      expect.objectContaining({ table: 'conflict', value: row(side(2, 'a'), side(3, 'b')) }),
    );
    expect(list.newest(1, nameOf)[0]).not.toHaveProperty('sides');
    expect(list.find(id, nameOf)).toMatchObject({ volume: 'home', sides: { mine: side(2, 'a') } });
    expect(list.find(id + 1, nameOf)).toBeNull();
  });

  it('follow the first contents of a file that had none yet, and no later ones', () => {
    const id = list.add(row(side(2, null), side(3, null)));
    list.stored([side(2, 'a')]);
    list.stored([side(2, 'c', 2), side(3, 'b')]);
    const sides = { mine: side(2, 'a'), theirs: side(3, 'b') };
    expect(list.find(id, nameOf)?.sides).toEqual(sides);
    expect(out.takeRows().at(-1)).toMatchObject({ table: 'conflict', value: { sides } });
  });

  it('do not follow later contents when the first ones were missed', () => {
    const id = list.add(row(side(2, null), null));
    list.stored([side(2, 'c', 2)]);
    expect(list.find(id, nameOf)?.sides?.mine).toEqual(side(2, null));
  });

  it('follow also after a restart, but not for a dismissed conflict', () => {
    list.load(new Map([['4', row(side(2, null), null)]]), 4);
    list.stored([side(2, 'a')]);
    expect(list.find(4, nameOf)?.sides?.mine).toEqual(side(2, 'a'));
    const next = list.add(row(side(5, null), null));
    list.dismiss(next);
    out.takeRows();
    list.stored([side(5, 'a')]);
    expect(out.takeRows()).toEqual([]);
  });

  it('costs a commit nothing, however many conflicts there are', () => {
    for (let n = 0; n < 10_000; n++) list.add(row(side(2 * n, 'a'), side(2 * n + 1, 'b')));
    out.takeRows();
    for (let n = 0; n < 10_000; n++) list.stored([side(2 * n, 'c', 2)]);
    expect(out.takeRows()).toEqual([]);
  });
});

it('the copy of a conflict is one where both sides were kept, and not where a rename was undone', () => {
  list.add(row(side(2, 'a'), side(3, 'b')));
  list.add({ ...row(side(4, 'a'), null), copy: 'other', kind: 'rename-undone' });
  const copies = ['doc (conflict)', 'other'].map((copy) => list.hasCopy(VOLUME, copy));
  expect(copies).toEqual([true, false]);
  expect(list.has(VOLUME, 'other')).toBe(true);
});
