import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RuntimeServer, WireClient } from '../test/support/runtime-server.ts';
import { MemoryMetaStore } from '../app/lab/simulator/store/memory-meta-store.ts';
import type { VolumeKind } from '../shared/control/server-statistics.ts';
import type { VolumeId } from '../shared/model/fid.ts';
import type { WallTime } from '../shared/model/time.ts';
import { activeOf } from './active-users.ts';
import { serverMetrics } from './metrics.ts';
import type { ServerRuntime } from './runtime/server-runtime.ts';
import { serverStatistics } from './statistics.ts';

const HOME = 1 as VolumeId;

let server: RuntimeServer;
let meta: MemoryMetaStore;
let runtime: ServerRuntime;

beforeEach(async () => {
  server = new RuntimeServer();
  meta = new MemoryMetaStore();
  runtime = await server.start(meta);
});
afterEach(() => server.kill());

const told = () =>
  serverStatistics({
    ...{ runtime, metrics: serverMetrics(import.meta.dirname) },
    ...{ now: () => server.world.time.now(), takesContents: () => true, free: () => 77 },
    kinds: () => new Map([[HOME, 'home']]),
  });

describe('the statistics of a server', () => {
  it('name devices that are connected, and volumes with what was done in them', async () => {
    const client = new WireClient(server, 'laptop');
    const invitation = { id: '1'.repeat(32), secret: '2'.repeat(32) };
    meta.invite({ ...invitation, user: 'owner', rights: 'write', expires: 9e15 as WallTime });
    await client.connect();
    await client.hello(null, 1, invitation);
    await client.makeFile(1);
    expect(told()).toMatchObject({
      ...{ connections: 1, sessions: 1, diskFreeBytes: 77, openCalls: 0 },
      devices: [{ name: 'laptop', user: 'owner', openCalls: 0, usedMs: expect.any(Number) }],
      volumes: [{ id: HOME, kind: 'home', head: 2, calls: 1 }],
    });
    expect(told()?.active).toEqual([
      { kind: null, users: 1, devices: 1 },
      { kind: 'home', users: 1, devices: 1 },
      { kind: 'shared', users: 0, devices: 0 },
      { kind: 'single', users: 0, devices: 0 },
    ]);
  });

  it('name no device before one is connected', () => {
    expect(told()).toMatchObject({ sessions: 0, devices: [], volumes: [{ id: HOME, calls: 0 }] });
  });
});

it('people and devices count once for each kind of volume, and once in all', () => {
  const use = (device: number, user: number, volume: number) => {
    return { device: device, user, volume: volume as VolumeId };
  };
  const kinds = new Map<VolumeId, VolumeKind>([
    [1 as VolumeId, 'home'],
    [2 as VolumeId, 'shared'],
    [3 as VolumeId, 'shared'],
  ]);
  const uses = [use(1, 9, 1), use(2, 9, 2), use(2, 9, 3), use(3, 8, 2), use(3, 8, 4)];
  expect(activeOf(uses, kinds)).toEqual([
    { kind: null, users: 2, devices: 3 },
    { kind: 'home', users: 1, devices: 1 },
    { kind: 'shared', users: 2, devices: 2 },
    { kind: 'single', users: 1, devices: 1 },
  ]);
});
