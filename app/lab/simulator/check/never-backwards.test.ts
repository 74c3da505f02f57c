import { expect, it } from '@jest/globals';
import {
  attributesOf,
  called,
  commitOf,
  digest,
  fakeLaptop,
  FILE,
  foundBy,
  ROOT,
  statusOf,
  VOLUME,
} from '../../../../test/support/observations.ts';
import { volumeOf } from '../../../../shared/model/fid.ts';
import { commitNumber, dataVersion } from '../../../../shared/model/vnode.ts';
import { updateSeq } from '../../../../shared/model/update.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { digestOf } from '../disk/content-digest.ts';
import { neverBackwards } from './never-backwards.ts';
import type { Observation, Running } from './observation.ts';

const { client } = fakeLaptop();
const shows = (version: number, contents = true): Observation[] => {
  const shown = attributesOf({
    version: dataVersion(version),
    digest: contents ? digest('a') : null,
  });
  return called(client, 'lookup', [ROOT, 'doc'], shown);
};
const made = commitOf(2, 1, { vnodes: [statusOf()], names: [[ROOT, 'doc', FILE]] });

it('the checker finds older or missing contents after newer ones', async () => {
  expect(await foundBy(neverBackwards, [...shows(2), ...shows(1)])).toHaveLength(1);
  expect(await foundBy(neverBackwards, [...shows(2), ...shows(2, false)])).toHaveLength(1);
  expect(await foundBy(neverBackwards, [...shows(1), ...shows(2), ...shows(2)])).toEqual([]);
});

it('the checker accepts an answer as of the time of its call', async () => {
  const [asked, answered] = shows(1) as [Observation, Observation];
  expect(await foundBy(neverBackwards, [asked, ...shows(2), answered])).toEqual([]);
  const later = [...shows(2), asked, ...shows(2), answered];
  expect(await foundBy(neverBackwards, later)).toHaveLength(1);
  expect(await foundBy(neverBackwards, [asked, ...shows(2), answered, ...shows(1)])).toHaveLength(
    1,
  );
});

it('the checker finds a name that vanished without a removal', async () => {
  const gone = called(client, 'lookup', [ROOT, 'doc'], new GodwitError('not-found'));
  expect(await foundBy(neverBackwards, [made, ...shows(1), ...gone])).toHaveLength(1);
  const removed = commitOf(3, 2, { names: [[ROOT, 'doc', null]] });
  expect(await foundBy(neverBackwards, [made, ...shows(1), removed, ...gone])).toEqual([]);
  expect(await foundBy(neverBackwards, [made, ...gone])).toEqual([]);
});

it('the checker knows that a user without access sees no names', async () => {
  const { client: shut, volumes } = fakeLaptop();
  const attributes = attributesOf({ version: dataVersion(1), digest: digest('a') });
  const shown = called(shut, 'lookup', [ROOT, 'doc'], attributes);
  const gone = called(shut, 'lookup', [ROOT, 'doc'], new GodwitError('not-found'));
  expect(await foundBy(neverBackwards, [made, ...shown, ...gone])).toHaveLength(1);
  volumes.set(VOLUME, { isShut: true });
  expect(await foundBy(neverBackwards, [made, ...shown, ...gone])).toEqual([]);
});

it('the checker finds bytes that differ from the attributes', async () => {
  const bytes = new TextEncoder().encode('text');
  const running = { client } as unknown as Running;
  const saw = (attributes: ReturnType<typeof attributesOf>): Observation => {
    return { kind: 'saw', running, path: '/doc', attributes, bytes };
  };
  expect(await foundBy(neverBackwards, [saw(attributesOf())])).toHaveLength(1);
  const right = attributesOf({ digest: digestOf(bytes) });
  expect(await foundBy(neverBackwards, [saw(right)])).toEqual([]);
});

it("the checker finds a replica that applies another commit than the server's, or one twice", async () => {
  const change = {
    commit: commitNumber(2),
    device: 1,
    seq: updateSeq(1),
    vnodes: [statusOf()],
    entries: [{ dir: ROOT, name: 'doc', fid: FILE }],
  };
  const applied: Observation = { kind: 'applied', client, change };
  expect(await foundBy(neverBackwards, [made, applied])).toEqual([]);
  expect(await foundBy(neverBackwards, [made, applied, applied])).toHaveLength(1);
  const other: Observation = {
    kind: 'applied',
    client,
    change: { ...change, entries: [{ dir: ROOT, name: 'other', fid: FILE }] },
  };
  expect(await foundBy(neverBackwards, [made, other])).toHaveLength(1);
});

it('the checker treats two epochs as two histories and finds lost commits applied after others', async () => {
  const applied = (commit: number): Observation => ({
    kind: 'applied',
    client,
    change: {
      commit: commitNumber(commit),
      device: 1,
      seq: updateSeq(1),
      vnodes: [{ ...statusOf(), commit: commitNumber(commit) }],
      entries: [{ dir: ROOT, name: 'doc', fid: FILE }],
    },
  });
  const restored: Observation = {
    kind: 'restored',
    epoch: 'e2',
    volumes: [
      { epoch: 'e1', volume: volumeOf(ROOT), last: commitNumber(1), first: commitNumber(100) },
    ],
  };
  const at = (commit: number): Observation => {
    const status = { ...statusOf(), commit: commitNumber(commit) };
    return commitOf(commit, 1, { vnodes: [status], names: [[ROOT, 'doc', FILE]] });
  };
  const lost = [at(2), restored, at(101)];
  expect(await foundBy(neverBackwards, [...lost, applied(2), applied(101)])).toEqual([]);
  expect(await foundBy(neverBackwards, [...lost, applied(101), applied(2)])).toHaveLength(1);
  expect(await foundBy(neverBackwards, [...lost, applied(3)])).toHaveLength(1);
});

it('the checker accepts older versions on a laptop that knows of the new epoch', async () => {
  const told: Observation = {
    kind: 'saved',
    client,
    changes: [{ table: 'meta', key: 'epoch', value: 'e2' }],
  };
  expect(await foundBy(neverBackwards, [...shows(2), told, ...shows(1)])).toEqual([]);
  expect(await foundBy(neverBackwards, [told, ...shows(2), ...shows(1)])).toHaveLength(1);
});
