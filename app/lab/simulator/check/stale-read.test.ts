import { expect, it } from '@jest/globals';
import {
  accepted,
  attributesOf,
  called,
  commitOf,
  fakeLaptop,
  FILE,
  foundBy,
  ROOT,
  statusOf,
  toldOf,
  VOLUME,
} from '../../../../test/support/observations.ts';
import { dataVersion } from '../../../../shared/model/vnode.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Observation } from './observation.ts';
import { staleRead } from './stale-read.ts';

const older = attributesOf({ version: dataVersion(1) });
const newer = statusOf({ version: dataVersion(2), digest: 'b'.repeat(64) as never });
const stored = [
  commitOf(2, 1, { vnodes: [statusOf()], names: [[ROOT, 'doc', FILE]] }),
  toldOf(accepted(2, 1, [statusOf()])),
  commitOf(3, 2, { vnodes: [newer] }),
  toldOf(accepted(3, 2, [newer])),
];
const missing = new GodwitError('not-found', 'there is no doc');

it('the checker finds an old status after the writer had its answer', async () => {
  const { client } = fakeLaptop();
  const found = await foundBy(staleRead, [...stored, ...called(client, 'getattr', [FILE], older)]);
  expect(found).toEqual([expect.stringContaining('ada was shown 1.2.2 at version 1')]);
});

it('the checker finds a missing name that existed all the time', async () => {
  const { client } = fakeLaptop();
  for (const [method, given, value] of [
    ['lookup', [ROOT, 'doc'], missing],
    ['readdir', [ROOT], []],
  ] as const) {
    const found = await foundBy(staleRead, [...stored, ...called(client, method, given, value)]);
    expect(found).toEqual([expect.stringContaining('1.1.1/doc as nothing')]);
  }
});

it('the checker accepts the new status, and the old one before the writer had its answer', async () => {
  const { client } = fakeLaptop();
  const fresh = { ...newer, commit: 3 as never, cached: true, sync: 'committed' };
  const early = [...stored.slice(0, 3), ...called(client, 'getattr', [FILE], older)];
  expect(await foundBy(staleRead, early)).toEqual([]);
  const late = [...stored, ...called(client, 'getattr', [FILE], fresh)];
  expect(await foundBy(staleRead, late)).toEqual([]);
});

it('the checker ignores a revoked device until it is back', async () => {
  const { client } = fakeLaptop();
  const access = [{ volume: 1 as never, name: 'home', rights: 'read' as const }];
  const revoked: Observation = {
    kind: 'access',
    devices: [{ device: 1, revoked: true, access }],
  };
  const back: Observation = {
    kind: 'access',
    devices: [{ device: 1, fingerprint: 'reader', revoked: false, access }],
  };
  const look = called(client, 'getattr', [FILE], older);
  expect(await foundBy(staleRead, [...stored, revoked, ...look])).toEqual([]);
  expect(await foundBy(staleRead, [...stored, revoked, back, ...look])).toHaveLength(1);
});

it('the checker ignores a device without access until its Hello', async () => {
  const { client, volumes } = fakeLaptop();
  const taken: Observation = {
    kind: 'access',
    devices: [{ device: 1, revoked: false, access: [] }],
  };
  const look = called(client, 'getattr', [FILE], older);
  expect(await foundBy(staleRead, [...stored, taken, ...look])).toHaveLength(1);
  volumes.set(VOLUME, { isShut: true });
  expect(await foundBy(staleRead, [...stored, taken, ...look])).toEqual([]);
});

it('the checker ignores a laptop that is offline or has its own changes over a file', async () => {
  const away = fakeLaptop();
  away.session.isUp = false;
  const look = called(away.client, 'getattr', [FILE], older);
  expect(await foundBy(staleRead, [...stored, ...look])).toEqual([]);
  const { client } = fakeLaptop();
  const own = called(client, 'getattr', [FILE], attributesOf({}, 'queued'));
  expect(await foundBy(staleRead, [...stored, ...own])).toEqual([]);
});

it('the checker ignores a name whose vnode the laptop itself has removed', async () => {
  const removal = (state: string): Observation[] => {
    const { client, log } = fakeLaptop();
    const queued = { state, update: { op: 'rmdir' } };
    Object.assign(log, { index: { inDirectory: () => [], onVnode: () => [queued] } });
    return called(client, 'lookup', [ROOT, 'doc'], missing);
  };
  expect(await foundBy(staleRead, [...stored, ...removal('queued')])).toEqual([]);
  expect(await foundBy(staleRead, [...stored, ...removal('answered')])).toHaveLength(1);
});
