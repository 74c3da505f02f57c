import { expect, it } from '@jest/globals';
import { commitNumber } from '../../../../shared/model/vnode.ts';
import { FILE, foundBy, ROOT } from '../../../../test/support/observations.ts';
import { namesKept } from './names-kept.ts';

it.each([
  ['unnamed', FILE, 1],
  ['unnamed (conflict, ada, 2026-01-01 00.00.00)', FILE, 1],
  ['unnamed', null, 0],
  ['unnamed.txt', FILE, 0],
  ['doc', FILE, 0],
])('the checker judges a name %j for %s', async (name, fid, count) => {
  const row = { kind: 'entry', dir: ROOT, name, fid, previous: null } as const;
  const writes = [{ ...row, commit: commitNumber(7) }];
  expect(await foundBy(namesKept, [{ kind: 'committed', writes }])).toHaveLength(count);
});
