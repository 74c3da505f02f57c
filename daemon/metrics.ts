/** What a daemon tells of itself in figures: its status snapshot. */
import type { StatusSnapshot } from '../shared/control/snapshot.ts';
import { DAEMON_STATES } from '../shared/model/daemon-state.ts';
import { PRIORITY_CLASSES } from '../shared/model/priority-class.ts';
import { counter, each, gauge, type Figure } from '../shared/metrics/figure.ts';
import type { CallMeter } from '../shared/metrics/call-meter.ts';
import { ProgramMetrics } from '../shared/metrics/program-metrics.ts';
import { sparedCounts } from './core/log/spared.ts';
import type { ClientState } from './core/state.ts';
import { lookCounts } from './core/waits/look-counts.ts';
import { MOST_SHOWN } from './limits.ts';

/** What a daemon that runs is asked for. */
export interface DaemonMetricsSource {
  readonly snapshot: () => StatusSnapshot;
  readonly calls: CallMeter;
  readonly core: Pick<ClientState, 'looks' | 'spared'>;
}

export type DaemonMetrics = ProgramMetrics<DaemonMetricsSource>;

/** Makes the metrics of a daemon: its status snapshot, its calls and what it counts, with the prefix `godwit`. */
export function daemonMetrics(dataDir: string): DaemonMetrics {
  const own = ({ snapshot, calls, core }: DaemonMetricsSource): Figure[] => [
    ...daemonFigures(snapshot()),
    ...countedFigures(core),
    ...calls.figures('godwit'),
  ];
  return new ProgramMetrics({ prefix: 'godwit', dataDir, own });
}

function daemonFigures(status: StatusSnapshot): Figure[] {
  return [
    ...stateFigures(status),
    ...linkFigures(status),
    ...queueFigures(status),
    ...contentFigures(status),
    ...volumeFigures(status),
  ];
}

function stateFigures(status: StatusSnapshot): Figure[] {
  const errors = new Map<string, number>();
  for (const { code } of status.errors) errors.set(code, (errors.get(code) ?? 0) + 1);
  const version = [{ labels: { version: status.version }, value: 1 }];
  const isIn = (state: string): number => Number(state === status.state);
  return [
    gauge('godwit_info', 'Which version runs; always 1.', version),
    gauge(
      'godwit_state',
      '1 for the state that `godwit status` shows, 0 for the others.',
      each('state', DAEMON_STATES, String, isIn),
    ),
    gauge('godwit_connected', '1 while the server answers.', status.connected),
    gauge('godwit_paused', '1 after `godwit pause`.', status.paused),
    gauge(
      'godwit_conflicts',
      `Conflicts that are listed, ${MOST_SHOWN} at most.`,
      status.conflicts.length,
    ),
    gauge(
      'godwit_errors',
      `Errors and notes that \`godwit status\` shows, by code; ${MOST_SHOWN} at most.`,
      each(
        'code',
        [...errors].sort(([a], [b]) => (a < b ? -1 : 1)),
        ([code]) => code,
        ([, count]) => count,
      ),
    ),
  ];
}

function linkFigures({ connected, link }: StatusSnapshot): Figure[] {
  const { rttMs, baseRttMs = null, bulkBytesPerSecond = null, rates } = link;
  const seconds = (ms: number | null): number | null =>
    connected && ms !== null ? ms / 1000 : null;
  const moving = PRIORITY_CLASSES.flatMap((name) =>
    (['up', 'down'] as const).map((direction) => ({
      labels: { class: name, direction },
      value: rates?.classes[name][direction] ?? 0,
    })),
  );
  return [
    gauge('godwit_link_round_trip_seconds', 'Round trip to the server, smoothed.', seconds(rttMs)),
    gauge(
      'godwit_link_base_round_trip_seconds',
      'The shortest round trip of this connection.',
      seconds(baseRttMs),
    ),
    gauge(
      'godwit_link_bulk_bytes_per_second',
      'How fast contents leave while there are some, as measured on the line, headers counted.',
      connected ? bulkBytesPerSecond : null,
    ),
    gauge(
      'godwit_link_bytes_per_second',
      'Headers and contents that moved in the last five seconds, by priority class and direction.',
      rates === undefined ? null : moving,
    ),
  ];
}

function queueFigures({ queues, unsettled }: StatusSnapshot): Figure[] {
  const by = (valueOf: (queue: StatusSnapshot['queues']['data']) => number) =>
    each(
      'queue',
      ['metadata', 'data'] as const,
      (name) => name,
      (name) => valueOf(queues[name]),
    );
  return [
    gauge(
      'godwit_queue_updates',
      'Updates in the log that the server has not answered.',
      by(({ updates }) => updates),
    ),
    gauge(
      'godwit_queue_in_flight_updates',
      'Of these, updates on their way.',
      by(({ inFlight }) => inFlight),
    ),
    gauge(
      'godwit_queue_bytes',
      'Contents of the stores in the queue.',
      by(({ bytes }) => bytes),
    ),
    gauge(
      'godwit_queue_sent_bytes',
      'Of these, bytes that the server has of stores on their way.',
      by(({ sentBytes }) => sentBytes),
    ),
    gauge(
      'godwit_unsettled_paths',
      'Changes in the folder that are not logged yet.',
      unsettled.paths,
    ),
    gauge('godwit_unsettled_commits', 'Commits that are not in the folder yet.', unsettled.commits),
  ];
}

function contentFigures({ fetches, cache }: StatusSnapshot): Figure[] {
  return [
    gauge('godwit_fetches_running', 'Fetches of contents under way.', fetches.running),
    gauge(
      'godwit_fetch_bytes',
      'Whole size of the fetches under way, as far as known.',
      fetches.bytes,
    ),
    gauge(
      'godwit_fetch_received_bytes',
      'Received so far of the fetches under way.',
      fetches.receivedBytes,
    ),
    gauge('godwit_cache_files', 'Contents in the cache.', cache.files),
    gauge('godwit_cache_bytes', 'Bytes of the contents in the cache.', cache.bytes),
  ];
}

function volumeFigures({ volumes }: StatusSnapshot): Figure[] {
  const by = (valueOf: (volume: StatusSnapshot['volumes'][number]) => number | null) =>
    each('volume', volumes, ({ id }) => id, valueOf);
  return [
    gauge(
      'godwit_volume_head_commit',
      'The newest commit known of.',
      by(({ head }) => head),
    ),
    gauge(
      'godwit_volume_applied_commit',
      'The newest commit that is shown here.',
      by(({ applied }) => applied),
    ),
    gauge(
      'godwit_volume_quota_limit_bytes',
      'What the files of the volume may take together.',
      by(({ quota }) => quota?.limit ?? null),
    ),
    gauge(
      'godwit_volume_quota_used_bytes',
      'What the files of the volume take, as last told by the server.',
      by(({ quota }) => quota?.used ?? null),
    ),
    gauge(
      'godwit_volume_quota_free_bytes',
      'What may still be written here.',
      by(({ quota }) => quota?.free ?? null),
    ),
  ];
}

function countedFigures({ looks, spared }: DaemonMetricsSource['core']): Figure[] {
  const looked = lookCounts(looks.values).map(({ by, of, end, count }) => {
    return { labels: { by, of, end }, value: count };
  });
  const all = sparedCounts(spared.values);
  return [
    counter(
      'godwit_looks_total',
      'Looks at files and folders by who looked, at what, and how it ended: answered from here, after a question to the server, after a fetch of contents, or in vain while the server was away.',
      looked,
    ),
    counter(
      'godwit_writeback_spared_updates_total',
      'Updates that never had to be sent, by why: overwritten or removed before, or merged with another.',
      each(
        'how',
        all,
        ({ by }) => by,
        ({ updates }) => updates,
      ),
    ),
    counter(
      'godwit_writeback_spared_bytes_total',
      'Contents of these updates.',
      each(
        'how',
        all,
        ({ by }) => by,
        ({ bytes }) => bytes,
      ),
    ),
  ];
}
