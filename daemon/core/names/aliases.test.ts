import { expect, it } from '@jest/globals';
import { ClientBench, VOLUME } from '../../../test/support/client-bench.ts';
import { makeFid, type Fid } from '../../../shared/model/fid.ts';
import { addAlias, resolved } from './aliases.ts';

const [A, B, C] = [7, 8, 9].map((n) => makeFid(VOLUME, n, 3)) as [Fid, Fid, Fid];

it('an alias leads on through further merges and never in a circle', async () => {
  const bench = await ClientBench.start();
  const { inside } = (await bench.join()).client;
  const become = (from: Fid, into: Fid): void => addAlias(inside, from, { kind: 'merged', into });
  const all = (): Fid[] => [A, B, C].map((fid) => resolved(inside, fid));
  become(A, B);
  become(B, C);
  expect(all()).toEqual([C, C, C]);
  become(C, A);
  expect(all()).toEqual([A, A, A]);
});
