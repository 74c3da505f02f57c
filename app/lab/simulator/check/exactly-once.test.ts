import { expect, it } from '@jest/globals';
import {
  accepted,
  commitOf,
  digest,
  foundBy,
  statusOf,
  toldOf,
} from '../../../../test/support/observations.ts';
import type { Observation } from './observation.ts';
import { updateSeq } from '../../../../shared/model/update.ts';
import { commitNumber, dataVersion } from '../../../../shared/model/vnode.ts';
import { exactlyOnce } from './exactly-once.ts';

const paired: Observation = {
  kind: 'committed',
  writes: [
    {
      kind: 'device',
      id: 1,
      fingerprint: 'writer',
      name: 'ada',
      user: 1,
      incarnation: '',
      previousIncarnation: null,
      when: 0 as never,
    },
  ],
};
const refused = { seq: updateSeq(1), ok: false, refusal: 'stale-base', existing: null } as const;

it('the checker finds an update committed twice and a skipped commit', async () => {
  const found = await foundBy(exactlyOnce, [commitOf(2, 1), commitOf(3, 1)]);
  expect(found[0]).toBe('update 1 of device 1 is commit 2 and commit 3 as well');
  expect(await foundBy(exactlyOnce, [commitOf(3, 1)])).toHaveLength(1);
});

it('the checker finds an answer that differs from the applied result or is not durable', async () => {
  const told = [paired, commitOf(2, 1), toldOf(accepted(2, 1))];
  expect(await foundBy(exactlyOnce, told)).toEqual([]);
  expect(await foundBy(exactlyOnce, [paired, commitOf(2, 1), toldOf(refused)])).toHaveLength(1);
  expect(await foundBy(exactlyOnce, [paired, toldOf(accepted(2, 1))])).toHaveLength(1);
});

it('the checker finds a skipped version and one that stays with other contents', async () => {
  const first = commitOf(2, 1, { vnodes: [statusOf()] });
  const next = (version: number, letter: string): Observation => {
    const status = statusOf({ version: dataVersion(version), digest: digest(letter) });
    return commitOf(3, 2, { vnodes: [status] });
  };
  expect(await foundBy(exactlyOnce, [first, next(2, 'b')])).toEqual([]);
  expect(await foundBy(exactlyOnce, [first, next(3, 'b')])).toHaveLength(1);
  expect(await foundBy(exactlyOnce, [first, next(1, 'b')])).toHaveLength(1);
});

it('the checker starts anew from a restored backup', async () => {
  const cut = { epoch: 'e1', volume: 1 as never };
  const volumes = [{ ...cut, last: commitNumber(2), first: commitNumber(2) }];
  const restored: Observation = { kind: 'restored', epoch: 'e', volumes };
  const all = [commitOf(2, 1), commitOf(3, 2), restored, commitOf(3, 2)];
  expect(await foundBy(exactlyOnce, all)).toEqual([]);
});
