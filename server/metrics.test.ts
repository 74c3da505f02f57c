import { describe, expect, it } from '@jest/globals';
import { readExposition } from '../test/support/exposition.ts';
import { RuntimeServer, WireClient } from '../test/support/runtime-server.ts';
import { busyServer } from '../test/support/told-metrics.ts';
import { MemoryMetaStore } from '../app/lab/simulator/store/memory-meta-store.ts';
import { instant, type WallTime } from '../shared/model/time.ts';
import { serverMetrics, type ServerMetrics } from './metrics.ts';

async function told(metrics: ServerMetrics): Promise<Map<string, Map<string, number>>> {
  const read = readExposition((await metrics.text()) ?? '');
  return new Map([...read].map(([name, { samples }]) => [name, samples]));
}

const only = (value: number): Array<[string, number]> => [['', value]];

describe('the metrics of a server', () => {
  it.each<[string, Array<[string, number]>]>([
    ['info', [['{version="1.2.3"}', 1]]],
    ['connections', only(2)],
    ['sessions', only(1)],
    ['leases_awaited', only(1)],
    ['open_calls', only(3)],
    ['receiving_stores', only(0)],
    ['waiting_updates', only(4)],
    ['waiting_fetches', only(5)],
    ['unacknowledged_breaks', only(0)],
    ['lapsed_leases_total', only(6)],
    [
      'volume_head_commit',
      [
        ['{volume="1"}', 21],
        ['{volume="2"}', 21],
      ],
    ],
    [
      'volume_used_bytes',
      [
        ['{volume="1"}', 600],
        ['{volume="2"}', 600],
      ],
    ],
    ['volume_quota_limit_bytes', [['{volume="1"}', 1000]]],
    [
      'volume_uploads_bytes',
      [
        ['{volume="1"}', 70],
        ['{volume="2"}', 0],
      ],
    ],
    [
      'volume_granted_bytes',
      [
        ['{volume="1"}', 0],
        ['{volume="2"}', 0],
      ],
    ],
    ['takes_contents', only(0)],
    ['link_connections_total', only(1)],
    ['link_sent_bytes_total', only(900)],
    ['link_received_bytes_total', only(800)],
    ['link_lost_packets_total', only(7)],
    ['link_requests_total', [['{class="FETCH"}', 1]]],
  ])('include godwit_server_%s', async (name, samples) => {
    expect([...((await told(busyServer())).get(`godwit_server_${name}`) ?? [])]).toEqual(samples);
  });

  it('name no volume and no address', async () => {
    expect(await busyServer().text()).not.toMatch(/ann|10\.0|other"/);
  });

  it('describe the server at the time of the request', async () => {
    const server = new RuntimeServer();
    const meta = new MemoryMetaStore();
    const metrics = serverMetrics(import.meta.dirname);
    expect(metrics.text()).toBeNull();
    const runtime = await server.start(meta);
    metrics.of({
      runtime,
      now: () => instant(0),
      takesContents: () => true,
      kinds: () => new Map(),
    });
    const figure = async (name: string): Promise<number | undefined> =>
      [...((await told(metrics)).get(`godwit_server_${name}`) ?? [])][0]?.[1];
    expect([await figure('sessions'), await figure('volume_head_commit')]).toEqual([0, 1]);
    const client = new WireClient(server, 'laptop');
    const invitation = { id: '1'.repeat(32), secret: '2'.repeat(32) };
    meta.invite({ ...invitation, user: 'owner', rights: 'write', expires: 9e15 as WallTime });
    await client.connect();
    await client.hello(null, 1, invitation);
    const file = await client.makeFile(1);
    await client.store(file, 2, 0, new TextEncoder().encode('twelve bytes'));
    expect([await figure('sessions'), await figure('connections')]).toEqual([1, 1]);
    expect([await figure('volume_head_commit'), await figure('volume_used_bytes')]).toEqual([
      3, 12,
    ]);
    await server.close();
  });
});
