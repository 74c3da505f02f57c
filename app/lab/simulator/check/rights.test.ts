import { expect, it } from '@jest/globals';
import { commitOf, fakeLaptop, foundBy, logged } from '../../../../test/support/observations.ts';
import type { Rights } from '../../../../shared/model/change.ts';
import { makeFid } from '../../../../shared/model/fid.ts';
import type { Observation } from './observation.ts';
import { SERVER_HOST } from '../cluster/server-node.ts';
import { rights } from './rights.ts';

const may = (what: Rights | null, revoked = false): Observation => {
  const access = what === null ? [] : [{ volume: 1 as never, name: 'home', rights: what }];
  return { kind: 'access', devices: [{ device: 1, fingerprint: 'writer', revoked, access }] };
};
const sent: Observation = { kind: 'sent', peer: 'writer' };

it('the checker finds a commit of a device with read access or none', async () => {
  expect(await foundBy(rights, [may('write'), commitOf(2, 1)])).toEqual([]);
  expect(await foundBy(rights, [may('read'), commitOf(2, 1)])).toEqual([
    'commit 2 of volume 1 is of device 1, which may read there',
  ]);
  expect(await foundBy(rights, [commitOf(2, 1)])).toHaveLength(1);
});

it('the checker finds a commit that takes a single right which the device has not', async () => {
  const dir = makeFid(1, 1, 1);
  const named = (commit: number, fid: string | null): Observation => {
    const entry = { kind: 'entry', dir, name: 'doc', fid, commit, previous: null };
    const { writes } = commitOf(commit, 1) as Extract<Observation, { kind: 'committed' }>;
    return { kind: 'committed', writes: [entry as never, ...writes] };
  };
  const allowed = (set: number): Observation => {
    const row = { volume: 1 as never, name: 'home', rights: 'write', may: set } as const;
    const about = { device: 1, fingerprint: 'writer', revoked: false, access: [row] };
    return { kind: 'access', devices: [about] };
  };
  const [insert, remove, write] = [7, 11, 19];
  const kinds = [named(2, '1.2.2'), named(2, null), commitOf(2, 1)];
  for (const [index, set] of [insert, remove, write].entries()) {
    const found = await Promise.all(kinds.map((kind) => foundBy(rights, [allowed(set), kind])));
    expect(found.map(({ length }) => length)).toEqual(kinds.map((_, at) => (at === index ? 0 : 1)));
  }
});

it('the checker accepts what was decided before a right was withdrawn', async () => {
  const commits = [commitOf(2, 1), commitOf(3, 2), commitOf(4, 3)];
  expect(await foundBy(rights, [may('write'), may('read'), ...commits])).toHaveLength(1);
});

it('the checker finds messages to a revoked device', async () => {
  expect(await foundBy(rights, [may('write'), sent])).toEqual([]);
  expect(await foundBy(rights, [may('write'), sent, may(null, true), sent])).toHaveLength(1);
  const old = [may(null, true), may('write'), sent];
  expect(await foundBy(rights, old)).toHaveLength(1);
  const started: Observation = { kind: 'started', who: SERVER_HOST };
  expect(await foundBy(rights, [may(null, true), started, may('write'), sent])).toEqual([]);
});

it('the checker finds a row of a volume that the laptop never had access to', async () => {
  const { client } = fakeLaptop();
  const row = (volume: number): Observation => ({
    kind: 'saved',
    client,
    changes: [
      { table: 'entry', key: `${makeFid(volume, 1, 1)}/doc`, value: makeFid(volume, 2, 2) },
    ],
  });
  expect(await foundBy(rights, [logged(client), may('read'), row(1)])).toEqual([]);
  expect(await foundBy(rights, [logged(client), may('read'), row(2)])).toHaveLength(1);
});

it('the checker accepts rows of a volume to which an administrator has admitted the user', async () => {
  const paired = (id: number, fingerprint: string): Observation => {
    const device = { kind: 'device', id, fingerprint };
    const redeemed = { kind: 'redeemed', user: 7, volume: 1, rights: 'write', fingerprint };
    return { kind: 'committed', writes: [device, redeemed] as never };
  };
  const { client } = fakeLaptop();
  const row: Observation = {
    kind: 'saved',
    client,
    changes: [{ table: 'entry', key: `${makeFid(2, 1, 1)}/doc`, value: makeFid(2, 2, 2) }],
  };
  const access = [{ volume: 2 as never, name: 'other', rights: 'read' as const }];
  const let2: Observation = {
    kind: 'access',
    devices: [{ device: 9, fingerprint: 'older', revoked: false, access }],
  };
  const both = [paired(9, 'older'), logged(client)];
  expect(await foundBy(rights, [...both, let2, paired(1, 'writer'), row])).toEqual([]);
  expect(await foundBy(rights, [...both, paired(1, 'writer'), row], {})).toHaveLength(1);
  // What may be known of it is said a moment after it is told of it itself.
  const said = (volume: number): Observation => ({
    kind: 'access',
    devices: [{ device: 1, revoked: false, access: [{ ...access[0], volume } as never] }],
  });
  expect(await foundBy(rights, [...both, paired(1, 'writer'), row, said(2)])).toEqual([]);
  expect(await foundBy(rights, [...both, paired(1, 'writer'), row, said(3)])).toHaveLength(1);
});

it('the checker knows that a restored server may reuse the number of a revoked device', async () => {
  const restored: Observation = { kind: 'restored', epoch: 'second', volumes: [] };
  const anew: Observation = { kind: 'started', who: SERVER_HOST };
  const given = commitOf(3, 1);
  const again: Observation[] = [may(null, true), restored, anew];
  expect(await foundBy(rights, [...again, may('write'), sent, given])).toEqual([]);
  expect(await foundBy(rights, [...again, given])).toHaveLength(1);
  expect(await foundBy(rights, [...again, may(null, true), sent])).toHaveLength(1);
});
