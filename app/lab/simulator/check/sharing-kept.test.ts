import { expect, it } from '@jest/globals';
import {
  commitOf,
  digest,
  fakeLaptop,
  foundBy,
  logged,
  statusOf,
  VOLUME,
} from '../../../../test/support/observations.ts';
import { USUAL_SETS } from '../../../../shared/model/access-list.ts';
import type { AccessAnswer, AccessQuestion } from '../../../../shared/model/decide-access.ts';
import type { VolumeId } from '../../../../shared/model/fid.ts';
import { commitNumber } from '../../../../shared/model/vnode.ts';
import type { GivenRights } from '../store/decided-access.ts';
import type { Observation } from './observation.ts';
import { sharingKept } from './sharing-kept.ts';

const MADE = 70_000 as VolumeId;
const DONE: AccessAnswer = { answer: 'done', writes: [] };
const NONCE = '7'.repeat(32);

const may = (person: number, volume = MADE): GivenRights => {
  return { person, volume, rights: USUAL_SETS.write };
};
const decided = (
  question: AccessQuestion,
  answer: AccessAnswer,
  before: readonly GivenRights[],
  after: readonly GivenRights[],
): Observation => ({ kind: 'decided', question, person: 1, answer, before, after });
const leave: AccessQuestion = { ask: 'leave', volume: MADE };
const order: AccessQuestion = {
  ...{ ask: 'make-volume', volume: VOLUME, label: 'trip', nonce: NONCE, when: 0 as never },
};
const made = (volume: VolumeId): AccessAnswer => ({ answer: 'made', volume, name: 'trip-0001' });
const seen = (...volumes: VolumeId[]): Observation => {
  const access = volumes.map((volume) => ({ volume, name: 'x', rights: 'write' as const }));
  return { kind: 'access', devices: [{ device: 1, revoked: false, access }] };
};

it('the checker finds that somebody who leaves takes a right of another', async () => {
  const both = [may(1), may(2)];
  expect(await foundBy(sharingKept, [decided(leave, DONE, both, [may(2)])])).toEqual([]);
  expect(await foundBy(sharingKept, [decided(leave, DONE, both, [])])).toEqual([
    'person 1 leaves volume 70000, and person 2 loses volume 70000',
  ]);
});

it('the checker finds a second volume of one order, and a right that others have to a new one', async () => {
  const first = decided(order, made(MADE), [], [may(1)]);
  const again = decided(order, made(MADE), [may(1)], [may(1)]);
  expect(await foundBy(sharingKept, [first, again])).toEqual([]);
  const other = 70_001 as VolumeId;
  const second = decided(order, made(other), [may(1)], [may(1), may(1, other)]);
  expect(await foundBy(sharingKept, [first, second])).toEqual([
    'one order made the volumes 70000 and 70001',
  ]);
  expect(await foundBy(sharingKept, [decided(order, made(MADE), [], [may(1), may(2)])])).toEqual([
    'person 2 has a right to the new volume 70000',
  ]);
});

it('the checker finds an offer in the list of a stranger', async () => {
  const shares = [{ volume: MADE, own: USUAL_SETS.write, by: null }];
  const answer: AccessAnswer = { answer: 'shares', person: 'ann', shares };
  const told = (...rows: GivenRights[]) => decided({ ask: 'shares' }, answer, rows, rows);
  expect(await foundBy(sharingKept, [told(may(1))])).toEqual([]);
  expect(await foundBy(sharingKept, [told(may(2))])).toHaveLength(1);
});

it('the checker finds whatever a spy hears', async () => {
  const spied: Observation = { kind: 'spied', who: 'spy', volume: MADE, by: 'Fetch' };
  expect(await foundBy(sharingKept, [spied])).toEqual([
    'spy, who has no right to volume 70000, is told something of it by Fetch',
  ]);
});

it('the checker finds what a laptop gets of a volume that it lost sight of', async () => {
  const { client } = fakeLaptop();
  const has = (commit: number): Observation => {
    const value = statusOf({ commit: commitNumber(commit) });
    return { kind: 'saved', client, changes: [{ table: 'status', key: value.fid, value }] };
  };
  const lost = [logged(client), seen(VOLUME), seen(), commitOf(2, 1), commitOf(3, 2)];
  expect(await foundBy(sharingKept, [...lost, commitOf(4, 3), has(3)])).toEqual([]);
  expect(await foundBy(sharingKept, [...lost, commitOf(4, 3), has(4)])).toHaveLength(1);
  expect(await foundBy(sharingKept, [...lost, commitOf(4, 3), seen(VOLUME), has(4)])).toEqual([]);
});

it('the checker finds work in a shared volume that has not come to the server', async () => {
  const { client } = fakeLaptop();
  const cluster = { clients: [client] };
  const about = { client, volume: VOLUME, digest: digest('a') };
  const work: Observation = { kind: 'shared-work', ...about };
  const there = commitOf(2, 1, { vnodes: [statusOf()] });
  expect(await foundBy(sharingKept, [work, there], cluster)).toEqual([]);
  expect(await foundBy(sharingKept, [work], cluster)).toHaveLength(1);
  expect(await foundBy(sharingKept, [work], { clients: [] })).toEqual([]);
  const ended: Observation = { kind: 'ended', who: client.name, how: 'power' };
  expect(await foundBy(sharingKept, [work, ended], cluster)).toEqual([]);
});
