/** Metrics of a daemon and a server in which every figure has a value. */
import { makeState, type ServerState } from '../../server/core/state.ts';
import type { ConnectionState } from '../../server/core/device/device.ts';
import { Activity } from '../../server/runtime/activity.ts';
import { serverMetrics, type ServerMetrics } from '../../server/metrics.ts';
import { Spared } from '../../daemon/core/log/spared.ts';
import type { ClientState } from '../../daemon/core/state.ts';
import { LookCounts } from '../../daemon/core/waits/look-counts.ts';
import { daemonMetrics, type DaemonMetrics } from '../../daemon/metrics.ts';
import type { StatusSnapshot } from '../../shared/control/snapshot.ts';
import { CallMeter } from '../../shared/metrics/call-meter.ts';
import type { NamedCalls } from '../../shared/metrics/named-calls.ts';
import type { TransportMeter } from '../../shared/metrics/transport-meter.ts';
import type { DeviceId } from '../../shared/model/change.ts';
import type { Fid, VolumeId } from '../../shared/model/fid.ts';
import type { DaemonInstance } from '../../shared/model/stored.ts';
import { instant } from '../../shared/model/time.ts';
import type { CommitNumber } from '../../shared/model/vnode.ts';
import { PRIORITY_CLASSES, type PriorityClass } from '../../shared/model/priority-class.ts';
import type { Transport, TransportHandler } from '../../shared/ports/transport.ts';
import { encodeFailure, encodeRequest } from '../../shared/wire/codec.ts';
import { IDLE } from './fake-daemon.ts';

const error = (code: string, path: string | null) => ({ code, message: 'm', remedy: 'r', path });

const NOTHING = { up: 0, down: 0 };
const STILL = Object.fromEntries(PRIORITY_CLASSES.map((name) => [name, NOTHING])) as Record<
  PriorityClass,
  typeof NOTHING
>;

/** The status of a busy daemon. */
export const BUSY: StatusSnapshot = {
  ...IDLE,
  version: '1.2.3',
  state: 'error',
  paused: true,
  queues: {
    metadata: { ...IDLE.queues.metadata, updates: 5, inFlight: 4 },
    data: { ...IDLE.queues.data, updates: 3, inFlight: 2, bytes: 3000, sentBytes: 1000 },
  },
  fetches: { running: 6, bytes: 700, receivedBytes: 77 },
  unsettled: { paths: 8, commits: 9 },
  cache: { files: 10, bytes: 11_000 },
  volumes: [
    {
      id: 1,
      name: 'home of ann',
      rights: 'write',
      head: 13,
      applied: 12,
      quota: { limit: 100, used: 40, free: 50 },
    },
    { id: 2, name: 'other', rights: 'read', head: 3, applied: 3, quota: null },
  ],
  conflicts: [
    { id: 1, when: '2026-01-01T00:00:00Z', path: '/secret', copy: '/secret (c)', kind: 'k' },
  ],
  errors: [
    error('sync-blocked', '/secret'),
    error('over-quota', '/large'),
    error('sync-blocked', '/b'),
  ],
  link: {
    rttMs: 250,
    baseRttMs: 125,
    bulkBytesPerSecond: 64_000,
    sentBytes: 0,
    receivedBytes: 0,
    rates: { up: 8, down: 2, classes: { ...STILL, STORE_DATA: { up: 7, down: 1 } } },
  },
};

/** The metrics of a busy daemon. */
export function busyDaemon(status = BUSY): DaemonMetrics {
  const metrics = daemonMetrics(import.meta.dirname);
  somethingPasses(metrics.meter);
  somebodyCalls(metrics.named);
  metrics.of({ snapshot: () => status, calls: new CallMeter(() => 0), core: counting() });
  return metrics;
}

/** The metrics of a busy server. */
export function busyServer(): ServerMetrics {
  const metrics = serverMetrics(import.meta.dirname);
  somethingPasses(metrics.meter);
  somebodyCalls(metrics.named);
  const told = { now: () => instant(1000), takesContents: () => false };
  const runtime = { inside: busyState(), sessions: 1, activity: new Activity() };
  metrics.of({ runtime, kinds: () => new Map(), ...told });
  return metrics;
}

function busyState(): ServerState {
  const lease = { device: 7 as DeviceId, run: 'r' as DaemonInstance };
  const volume = { lastUniquifier: 1, head: 21 as CommitNumber, used: 600 };
  const stored = {
    epoch: 'e',
    cuts: [],
    volumes: [
      { ...volume, id: 1 as VolumeId, name: 'home of ann', limit: 1000 },
      { ...volume, id: 2 as VolumeId, name: 'other', limit: null },
    ],
    dirty: [],
    leases: [lease],
    sharing: [],
    nextDevice: 8 as DeviceId,
    newestDevices: [],
  };
  const start = { stored, boot: 'b', software: 'godwit-server 1.2.3' };
  const state = makeState(start, instant(0));
  const connection = {} as ConnectionState;
  state.connections.set(1, connection).set(2, connection);
  state.calls.set(1, connection).set(2, connection).set(3, connection);
  state.waitingUpdates = 4;
  state.lapsedLeases = 6;
  state.volumes.limits.waitingFetches.count = 5;
  state.volumes.of(1 as VolumeId).quota.setBegun(70);
  return state;
}

/** The counters of a core in which somebody looked, and something was spared. */
export function counting(): Pick<ClientState, 'looks' | 'spared'> {
  const [looks, spared] = [new LookCounts(), new Spared()];
  const what = { op: 'getattr', fid: '1.1.1' as Fid } as const;
  looks.ended({ what, byProgram: true, waitedFor: 1 }, null);
  spared.add('overwritten', { op: 'store', size: 500 });
  return { looks, spared };
}

/** One call of the other side, which is answered. */
function somebodyCalls(named: NamedCalls): void {
  const quiet = new Proxy({}, { get: () => () => undefined });
  let told: TransportHandler | null = null;
  const link = named.around((handler) => {
    told = handler;
    return quiet as Transport;
  })(quiet as TransportHandler);
  const request = { priorityClass: 'VALIDATE', contentLength: 0 } as const;
  (told as TransportHandler | null)?.incoming(1, 1, {
    ...request,
    header: encodeRequest('GetTime', {}),
  });
  link.reply(1, { header: encodeFailure('no-right', 'd'), content: null });
}

function somethingPasses(meter: TransportMeter): void {
  const quiet = new Proxy({}, { get: () => () => undefined }) as TransportHandler;
  const handler = meter.over(quiet);
  handler.connected(1, { peer: 'ab', address: '10.0.0.1:1', inbound: true });
  const request = { priorityClass: 'FETCH', header: new Uint8Array(), contentLength: 0 } as const;
  handler.incoming(1, 1, request);
  const path = { rttMs: 1, minRttMs: 1, bytesInFlight: 0, congestionWindow: 1 };
  const about = { ...path, bulkBytesPerSecond: null };
  handler.statistics(1, { ...about, sentBytes: 900, receivedBytes: 800, lostPackets: 7 });
}
