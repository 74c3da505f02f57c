import { expect, it } from '@jest/globals';
import { commitOf, FILE, ROOT, statusOf, VOLUME } from '../../../../test/support/observations.ts';
import { commitNumber } from '../../../../shared/model/vnode.ts';
import { CommitHistory } from './commit-history.ts';
import type { Observation } from './observation.ts';

const at = (commit: number): Observation => {
  const status = statusOf({ commit: commitNumber(commit) });
  return commitOf(commit, 1, { vnodes: [status], names: [[ROOT, 'doc', FILE]] });
};
/** A backup of epoch `of`, which had got to commit `last`, begins epoch `epoch`. */
const restored = (of: string, last: number, epoch: string, first: number): Observation => {
  const cut = { epoch: of, volume: VOLUME, last: commitNumber(last), first: commitNumber(first) };
  return { kind: 'restored', epoch, volumes: [cut] };
};
const heard = (...observations: readonly Observation[]): readonly number[] => {
  const history = new CommitHistory();
  for (const observation of observations) history.hear(observation);
  expect(history.name(ROOT, 'doc').map(({ commit }) => commit)).toEqual(
    history.statuses(FILE).map(({ commit }) => commit),
  );
  return history.statuses(FILE).map(({ commit }) => commit);
};

it('the history is that of the restored backup, whatever was restored before', () => {
  const lost = [at(2), at(3), restored('one', 2, 'two', 100), at(101)];
  expect(heard(...lost)).toEqual([2, 101]);
  expect(heard(...lost, restored('one', 3, 'three', 200), at(201))).toEqual([2, 3, 201]);
  expect(heard(...lost, restored('two', 101, 'three', 200), at(201))).toEqual([2, 101, 201]);
  expect(heard(...lost, restored('two', 100, 'three', 200))).toEqual([2]);
});

it('the history still knows commits of a lost part', () => {
  const history = new CommitHistory();
  for (const each of [at(2), at(3), restored('one', 2, 'two', 100)]) history.hear(each);
  expect(history.commit(VOLUME, commitNumber(3))).toBeUndefined();
  expect(history.everCommitted(VOLUME, commitNumber(3))?.vnodes).toHaveLength(1);
});

it('the history accepts an observation once and gives it to each listener', () => {
  const history = new CommitHistory();
  const observation = at(2);
  const made = history.hear(observation);
  expect(made.map(({ commit }) => commit)).toEqual([2]);
  expect(history.hear(observation)).toBe(made);
  expect(history.statuses(FILE)).toHaveLength(1);
  history.hear(at(3));
  expect(history.statuses(FILE)).toHaveLength(2);
});
