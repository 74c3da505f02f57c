import { describe, expect, it } from '@jest/globals';
import { readExposition } from '../test/support/exposition.ts';
import { BUSY, busyDaemon, counting } from '../test/support/told-metrics.ts';
import { CallMeter } from '../shared/metrics/call-meter.ts';
import { daemonMetrics } from './metrics.ts';
import { DAEMON_STATES } from '../shared/model/daemon-state.ts';

async function told(status = BUSY): Promise<Map<string, Map<string, number>>> {
  const metrics = readExposition((await busyDaemon(status).text()) ?? '');
  return new Map([...metrics].map(([name, { samples }]) => [name, samples]));
}

const only = (value: number): Array<[string, number]> => [['', value]];

describe('the metrics of a daemon', () => {
  it.each<[string, Array<[string, number]>]>([
    ['godwit_info', [['{version="1.2.3"}', 1]]],
    ['godwit_connected', only(1)],
    ['godwit_paused', only(1)],
    ['godwit_conflicts', only(1)],
    [
      'godwit_errors',
      [
        ['{code="over-quota"}', 1],
        ['{code="sync-blocked"}', 2],
      ],
    ],
    [
      'godwit_queue_updates',
      [
        ['{queue="metadata"}', 5],
        ['{queue="data"}', 3],
      ],
    ],
    [
      'godwit_queue_in_flight_updates',
      [
        ['{queue="metadata"}', 4],
        ['{queue="data"}', 2],
      ],
    ],
    [
      'godwit_queue_bytes',
      [
        ['{queue="metadata"}', 0],
        ['{queue="data"}', 3000],
      ],
    ],
    [
      'godwit_queue_sent_bytes',
      [
        ['{queue="metadata"}', 0],
        ['{queue="data"}', 1000],
      ],
    ],
    ['godwit_unsettled_paths', only(8)],
    ['godwit_unsettled_commits', only(9)],
    ['godwit_fetches_running', only(6)],
    ['godwit_fetch_bytes', only(700)],
    ['godwit_fetch_received_bytes', only(77)],
    ['godwit_cache_files', only(10)],
    ['godwit_cache_bytes', only(11_000)],
    [
      'godwit_volume_head_commit',
      [
        ['{volume="1"}', 13],
        ['{volume="2"}', 3],
      ],
    ],
    [
      'godwit_volume_applied_commit',
      [
        ['{volume="1"}', 12],
        ['{volume="2"}', 3],
      ],
    ],
    ['godwit_volume_quota_limit_bytes', [['{volume="1"}', 100]]],
    ['godwit_volume_quota_used_bytes', [['{volume="1"}', 40]]],
    ['godwit_volume_quota_free_bytes', [['{volume="1"}', 50]]],
    ['godwit_link_round_trip_seconds', only(0.25)],
    ['godwit_link_base_round_trip_seconds', only(0.125)],
    ['godwit_link_connections_total', only(1)],
    ['godwit_link_sent_bytes_total', only(900)],
    ['godwit_link_received_bytes_total', only(800)],
    ['godwit_link_lost_packets_total', only(7)],
    ['godwit_link_requests_total', [['{class="FETCH"}', 1]]],
    [
      'godwit_writeback_spared_bytes_total',
      [
        ['{how="overwritten"}', 500],
        ['{how="removed"}', 0],
        ['{how="merged"}', 0],
      ],
    ],
  ])('include the figure %s', async (name, samples) => {
    expect([...((await told()).get(name) ?? [])]).toEqual(samples);
  });

  it.each(DAEMON_STATES)('have godwit_state 1 for %s alone', async (state) => {
    const states = (await told({ ...BUSY, state })).get('godwit_state') ?? new Map();
    expect(states.size).toBe(DAEMON_STATES.length);
    expect([...states].filter(([, value]) => value === 1)).toEqual([[`{state="${state}"}`, 1]]);
  });

  it('include looks by how they ended, and calls by their names', async () => {
    const metrics = await told();
    const looks = metrics.get('godwit_looks_total');
    expect(looks?.get('{by="program",of="status",end="asked"}')).toBe(1);
    const calls = metrics.get('godwit_rpc_total');
    expect(calls?.get('{rpc="GetTime",side="received",end="failed"}')).toBe(1);
  });

  it('omit the round trip without a connection', async () => {
    const away = await told({ ...BUSY, connected: false });
    expect(away.has('godwit_link_round_trip_seconds')).toBe(false);
    expect([...(away.get('godwit_connected') ?? [])]).toEqual(only(0));
    expect(away.has('godwit_link_bulk_bytes_per_second')).toBe(false);
    const nothing = { ...BUSY.link, rttMs: null, bulkBytesPerSecond: null };
    const unknown = await told({ ...BUSY, link: nothing });
    expect(unknown.has('godwit_link_round_trip_seconds')).toBe(false);
    expect(unknown.has('godwit_link_bulk_bytes_per_second')).toBe(false);
  });

  it('include the rate of contents when it is known', async () => {
    const busy = await told(BUSY);
    expect([...(busy.get('godwit_link_bulk_bytes_per_second') ?? [])]).toEqual(only(64_000));
  });

  it('omit errors and volumes when there are none', async () => {
    const calm = await told({ ...BUSY, errors: [], volumes: [], conflicts: [] });
    expect(calm.has('godwit_errors')).toBe(false);
    expect(calm.has('godwit_volume_head_commit')).toBe(false);
    expect([...(calm.get('godwit_conflicts') ?? [])]).toEqual(only(0));
  });

  it('name no file, folder, person or server', async () => {
    const text = await busyDaemon().text();
    expect(text).not.toMatch(/secret|large|ann|laptop|127\.0|10\.0|ffff|\/home/);
  });

  it('exist while the daemon does and are computed at each request', async () => {
    const metrics = daemonMetrics(import.meta.dirname);
    expect(metrics.text()).toBeNull();
    let asked = 0;
    const snapshot = () => ({ ...BUSY, unsettled: { paths: ++asked, commits: 0 } });
    metrics.of({ snapshot, calls: new CallMeter(() => 0), core: counting() });
    expect(asked).toBe(0);
    expect(await metrics.text()).toContain('godwit_unsettled_paths 1\n');
    expect(await metrics.text()).toContain('godwit_unsettled_paths 2\n');
  });
});
