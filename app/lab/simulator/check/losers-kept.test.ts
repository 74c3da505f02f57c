import { expect, it } from '@jest/globals';
import {
  commitOf,
  digest,
  fakeLaptop,
  FILE,
  foundBy,
  logged,
  OTHER,
  ROOT,
  rowOf,
  statusOf,
  storeOf,
} from '../../../../test/support/observations.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Update } from '../../../../shared/model/update.ts';
import { updateSeq } from '../../../../shared/model/update.ts';
import { dataVersion, type Mtime } from '../../../../shared/model/vnode.ts';
import { losersKept } from './losers-kept.ts';
import type { Observation } from './observation.ts';

const { client } = fakeLaptop();
const cluster = { clients: [client] };
const existing = statusOf({ digest: digest('b'), version: dataVersion(2) });
const refused: Observation = {
  kind: 'committed',
  writes: [
    {
      kind: 'applied',
      device: 1,
      result: { seq: updateSeq(1), ok: false, refusal: 'stale-base', existing },
    },
  ],
};
const mine = logged(client, rowOf(1, storeOf(1, 'c')));
const conflict = (copy: string): Observation => ({
  kind: 'saved',
  client,
  changes: [
    {
      table: 'conflict',
      key: '1',
      value: { when: '', volume: null, path: 'doc.txt', copy, kind: 'contents', sides: null },
    },
  ],
});

it('the checker finds a losing version that is nowhere', async () => {
  const found = await foundBy(losersKept, [mine, refused], cluster);
  expect(found).toEqual([expect.stringContaining('what ada stored to 1.2.2 lost')]);
});

it('the checker accepts a losing version whose copy was committed or whose file was rewritten', async () => {
  const copy = commitOf(4, 2, { vnodes: [statusOf({ fid: OTHER, digest: digest('c') })] });
  expect(await foundBy(losersKept, [mine, refused, copy], cluster)).toEqual([]);
  const again = logged(client, rowOf(1, storeOf(1, 'c')), rowOf(2, storeOf(2, 'd')));
  expect(await foundBy(losersKept, [again, refused], cluster)).toEqual([]);
});

it('the checker accepts a loss in another copy of the data folder under the same number', async () => {
  const other = logged(client, rowOf(1, storeOf(1, 'c'), { name: 'of the other copy' }));
  expect(await foundBy(losersKept, [other, refused], cluster)).toEqual([]);
});

it('the checker accepts a losing version that its program overwrote in the unsent copy', async () => {
  const copied = logged(client, rowOf(2, storeOf(0, 'c', OTHER)));
  const over = logged(client, rowOf(2, storeOf(0, 'd', OTHER)));
  expect(await foundBy(losersKept, [mine, refused, copied], cluster)).toHaveLength(1);
  expect(await foundBy(losersKept, [mine, refused, copied, over], cluster)).toEqual([]);
});

it('the checker accepts a losing version whose copy was removed before it was sent', async () => {
  const copied = logged(client, rowOf(2, storeOf(0, 'c', OTHER)));
  const remove = (fid: Fid): Observation =>
    logged(
      client,
      rowOf(3, {
        op: 'remove',
        fid,
        dir: ROOT,
        name: 'a copy',
        base: dataVersion(1),
        at: '1' as Mtime,
      }),
    );
  expect(await foundBy(losersKept, [mine, refused, copied, remove(OTHER)], cluster)).toEqual([]);
  const another = '1.4.2' as Fid;
  expect(await foundBy(losersKept, [mine, refused, copied, remove(another)], cluster)).toHaveLength(
    1,
  );
});

it('the checker finds a conflict copy without the name of one', async () => {
  const named = conflict('doc (conflict, ada, 2026-11-21 09.08.07).txt');
  expect(await foundBy(losersKept, [named])).toEqual([]);
  expect(await foundBy(losersKept, [conflict('elsewhere/doc.txt')])).toEqual([]);
  expect(await foundBy(losersKept, [conflict('doc 2.txt')])).toHaveLength(1);
});

it('the checker finds a removal of a version that its laptop never saw', async () => {
  const removal = (base: number): Update => {
    const at = '1' as Mtime;
    return { op: 'remove', fid: FILE, dir: ROOT, name: 'doc', base: dataVersion(base), at };
  };
  const stored = commitOf(2, 9, { vnodes: [existing], device: 2 });
  const removed = commitOf(3, 1, { vnodes: [statusOf({ links: 0, version: dataVersion(2) })] });
  const by = (base: number): Observation => logged(client, rowOf(1, removal(base)));
  expect(await foundBy(losersKept, [stored, by(2), removed])).toEqual([]);
  expect(await foundBy(losersKept, [stored, by(1), removed])).toHaveLength(1);
});
