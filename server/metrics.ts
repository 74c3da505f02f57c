/** What a server tells of itself in figures: what its core keeps in memory, which is only read. */
import type { ActiveStatistics, VolumeKind } from '../shared/control/server-statistics.ts';
import type { VolumeId } from '../shared/model/fid.ts';
import type { Instant } from '../shared/model/time.ts';
import { counter, each, gauge, type Figure } from '../shared/metrics/figure.ts';
import { ProgramMetrics } from '../shared/metrics/program-metrics.ts';
import { activeOf } from './active-users.ts';
import type { ServerState } from './core/state.ts';
import type { VolumeState } from './core/volume-state.ts';
import { reservedSpace } from './runtime/reserved-space.ts';
import type { ServerRuntime } from './runtime/server-runtime.ts';

interface MetricsSource {
  readonly runtime: Pick<ServerRuntime, 'inside' | 'sessions' | 'activity'>;
  readonly kinds: () => ReadonlyMap<VolumeId, VolumeKind>;
  readonly now: () => Instant;
  /** Contents may be put: the disk has room for them. */
  readonly takesContents: () => boolean;
}

export type ServerMetrics = ProgramMetrics<MetricsSource>;

export function serverMetrics(dataDir: string): ServerMetrics {
  return new ProgramMetrics({ prefix: 'godwit_server', dataDir, own: serverFigures });
}

/** Null: the server is starting. */
function serverFigures({ runtime, now, takesContents, kinds }: MetricsSource): Figure[] | null {
  const { inside: state, sessions } = runtime;
  if (state === null) return null;
  return [
    ...workFigures(state, sessions),
    changeFigure(state),
    ...activeFigures(activeOf(runtime.activity.active(now()), kinds())),
    ...volumeFigures(state, now()),
    gauge(
      'godwit_server_takes_contents',
      '0 while the disk is so full that contents are refused.',
      takesContents(),
    ),
  ];
}

function workFigures(state: ServerState, sessions: number): Figure[] {
  // The name goes before it.
  const version = [{ labels: { version: state.software.split(' ').at(-1) ?? '' }, value: 1 }];
  return [
    gauge('godwit_server_info', 'Which version runs; always 1.', version),
    gauge('godwit_server_connections', 'Connections that are open.', state.connections.size),
    gauge('godwit_server_sessions', 'Devices that are connected.', sessions),
    gauge(
      'godwit_server_leases_awaited',
      'Leases of the process before this one that are waited for.',
      state.leases.awaited.length,
    ),
    gauge('godwit_server_open_calls', 'RPCs that are not answered yet.', state.calls.size),
    gauge('godwit_server_receiving_stores', 'Stores being received.', state.receiving.size),
    gauge(
      'godwit_server_waiting_updates',
      'Updates that wait for another update.',
      state.waitingUpdates,
    ),
    gauge(
      'godwit_server_waiting_fetches',
      'Fetches that wait for a store.',
      state.volumes.limits.waitingFetches.count,
    ),
    gauge(
      'godwit_server_unacknowledged_breaks',
      'Break messages that no device has acknowledged yet.',
      state.breaks.size,
    ),
    counter(
      'godwit_server_lapsed_leases_total',
      'Leases that ran out while a change waited for them: a device was away and had not ended in order.',
      state.lapsedLeases,
    ),
  ];
}

function volumeFigures(state: ServerState, now: Instant): Figure[] {
  const kept = reservedSpace(state, now);
  const by = (valueOf: (volume: VolumeState) => number | null) =>
    each('volume', state.volumes, ({ id }) => id, valueOf);
  return [
    gauge(
      'godwit_server_volume_head_commit',
      'The newest durable commit.',
      by(({ head }) => head.committed),
    ),
    gauge(
      'godwit_server_volume_used_bytes',
      'What the files of the volume take, as its quota counts them.',
      by(({ quota }) => quota.usedCommitted),
    ),
    gauge(
      'godwit_server_volume_quota_limit_bytes',
      'What the files of the volume may take together.',
      by(({ quota }) => quota.limit),
    ),
    gauge(
      'godwit_server_volume_uploads_bytes',
      'Kept of the quota for uploads under way.',
      each(
        'volume',
        kept,
        ({ volume }) => volume,
        ({ uploads }) => uploads,
      ),
    ),
    gauge(
      'godwit_server_volume_granted_bytes',
      'Kept of the quota for devices that were told of it.',
      each(
        'volume',
        kept,
        ({ volume }) => volume,
        ({ granted }) => granted,
      ),
    ),
  ];
}

function changeFigure({ breakCounts }: ServerState): Figure {
  return counter(
    'godwit_server_breaks_per_change_total',
    'Changes by kind and by how many devices had to be told: with a promise for the file or folder (vnode), or for the volume, as each laptop with a folder has.',
    breakCounts.all().map(({ change, promise, devices, count }) => {
      return { labels: { change, promise, devices }, value: count };
    }),
  );
}

function activeFigures(active: readonly ActiveStatistics[]): Figure[] {
  const by = (of: 'users' | 'devices') =>
    each(
      'volumes',
      active,
      ({ kind }) => kind ?? 'any',
      (each) => each[of],
    );
  return [
    gauge(
      'godwit_server_active_users',
      'People whose devices used volumes of a kind in the last quarter of an hour: a home, a shared one, another that is not shared, or any. What a device asks by itself is no use.',
      by('users'),
    ),
    gauge('godwit_server_active_devices', 'The same of devices.', by('devices')),
  ];
}
