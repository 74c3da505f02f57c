/** Puts together what a server tells its administrator, when it is asked. Nothing of it goes to a device. */
import { callCounts, STEPS_MS } from '../shared/metrics/named-calls.ts';
import type {
  DeviceStatistics,
  ServerStatistics,
  VolumeKind,
  VolumeStatistics,
} from '../shared/control/server-statistics.ts';
import type { VolumeId } from '../shared/model/fid.ts';
import type { Instant } from '../shared/model/time.ts';
import type { ServerState } from './core/state.ts';
import type { ServerMetrics } from './metrics.ts';
import { activeOf, kindOf } from './active-users.ts';
import type { Activity } from './runtime/activity.ts';
import type { ServerRuntime } from './runtime/server-runtime.ts';

export interface StatisticsSource {
  readonly runtime: Pick<ServerRuntime, 'inside' | 'sessions' | 'activity'>;
  readonly metrics: Pick<ServerMetrics, 'named' | 'meter'>;
  readonly now: () => Instant;
  readonly takesContents: () => boolean;
  /** Free on the disk of the data folder, bytes. */
  readonly free: () => number;
  /** The kind of each volume, as the accounts have it. */
  readonly kinds: () => ReadonlyMap<VolumeId, VolumeKind>;
}

/** Null: the server is starting. */
export function serverStatistics(source: StatisticsSource): ServerStatistics | null {
  const { runtime, metrics, takesContents, free } = source;
  const { inside: state, sessions, activity } = runtime;
  if (state === null) return null;
  const now = source.now();
  const kinds = source.kinds();
  const cpu = process.cpuUsage();
  return {
    software: state.software,
    atMs: now,
    uptimeMs: Math.round(process.uptime() * 1000),
    cpuMs: (cpu.user + cpu.system) / 1000,
    memoryBytes: process.memoryUsage.rss(),
    diskFreeBytes: free(),
    takesContents: takesContents(),
    connections: state.connections.size,
    sessions,
    openCalls: state.calls.size,
    receivingStores: state.receiving.size,
    waitingUpdates: state.waitingUpdates,
    unacknowledgedBreaks: state.breaks.size,
    ...metrics.meter.bytes,
    stepsMs: STEPS_MS,
    calls: callCounts(metrics.named.values),
    active: activeOf(activity.active(now), kinds),
    devices: devicesOf(state, source, now),
    volumes: volumesOf(state, activity, kinds),
  };
}

function devicesOf(
  state: ServerState,
  { runtime, metrics }: StatisticsSource,
  now: Instant,
): DeviceStatistics[] {
  return [...state.connections.values()].flatMap(({ id, device, calls }) => {
    if (device === null) return [];
    const used = runtime.activity.lastUse(device.id, now);
    return [
      {
        ...{ id: device.id, name: device.name, user: device.userName, openCalls: calls.size },
        ...metrics.meter.bytesOf(id),
        usedMs: used === null ? null : now - used,
      },
    ];
  });
}

function volumesOf(
  state: ServerState,
  activity: Activity,
  kinds: ReadonlyMap<VolumeId, VolumeKind>,
): VolumeStatistics[] {
  return [...state.volumes].map(({ id, name, head, quota }) => ({
    ...{ id, name, kind: kindOf(kinds, id) },
    ...{ head: head.committed, usedBytes: quota.usedCommitted },
    ...activity.of(id),
  }));
}
