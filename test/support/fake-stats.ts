/** What a daemon that is none has counted. */
import type { MetricsService } from '../../daemon/adapters/control/control-services.ts';
import type { StatsReport } from '../../shared/control/stats.ts';

const UNTIL = Date.parse('2026-01-02T10:00:00Z');
const HOUR = 3_600_000;

/** A report of some calls, looks and spared updates; null: since its start, five hours ago. */
export function fakeStats(sinceMs: number | null): StatsReport {
  const some = { failures: 1, broken: 0, bytesOut: 2_400_000, bytesIn: 900 };
  return {
    since: new Date(UNTIL - (sinceMs ?? 5 * HOUR)).toISOString(),
    until: new Date(UNTIL).toISOString(),
    forMs: sinceMs ?? 5 * HOUR,
    isSinceStart: sinceMs === null,
    stepsMs: [1, 100],
    calls: [
      { rpc: 'Store', side: 'began', calls: 12, ...some, ms: 1200, steps: [6, 5, 1] },
      {
        ...{ rpc: 'BreakCallback', side: 'received', calls: 3, failures: 0, broken: 1 },
        ...{ bytesOut: 30, bytesIn: 90, ms: 3, steps: [3, 0, 0] },
      },
    ],
    looks: [
      { by: 'program', of: 'open', end: 'here', count: 97 },
      { by: 'program', of: 'open', end: 'fetched', count: 3 },
      { by: 'folder', of: 'name', end: 'in-vain', count: 2 },
    ],
    spared: [
      { by: 'overwritten', updates: 2, bytes: 5_000_000 },
      { by: 'merged', updates: 4, bytes: 0 },
    ],
  };
}

/** The figures of such a daemon. `url`: where they are served. */
export function fakeMetrics(text = '', url: string | null = null): MetricsService {
  return { url, text: () => Promise.resolve(text), stats: fakeStats };
}
