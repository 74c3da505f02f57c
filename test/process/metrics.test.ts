/** The metrics of a real server and a real daemon, as Prometheus on the same machine scrapes them. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Bench, firstLine, outputOf, type RunningServer } from '../support/bench.ts';
import { readExposition, scrape } from '../support/exposition.ts';

let bench: Bench;
let server: RunningServer;

beforeAll(async () => {
  bench = new Bench();
  server = await bench.server();
});
afterAll(() => bench.close());

const isServed = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

it('metrics are served at the requested port and describe the real state', async () => {
  const [data, folder] = [bench.path('ann'), bench.path('Ann')];
  const first = ['up', '--data', data, '--folder', folder, '--invite', await bench.invite(server)];
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const refused = await bench.godwit([...first, '--metrics', String(port)]);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(
    /^godwit: metrics: 127\.0\.0\.1:\d+ is in use [^\n]+--metrics [^\n]+\n$/,
  );
  taken.close();
  await once(taken, 'close');

  // The invitation is not used up, and the same setting in the environment works as well.
  const up = await bench.godwit([...first, '--json'], { env: { GODWIT_METRICS: String(port) } });
  const { metrics } = JSON.parse(up.stdout) as { metrics: string };
  expect(metrics).toBe(`http://127.0.0.1:${port}/metrics`);
  expect((await bench.status(data)).metrics).toBe(metrics);
  const before = await scrape(server.metrics);
  writeFileSync(join(folder, 'file'), 'x'.repeat(100_000));
  await bench.flush({ data });
  // The watcher may report the same change again.
  await bench.until(data, ({ state }) => state === 'idle');

  const daemon = await scrape(metrics);
  expect(daemon('godwit_connected')).toBe(1);
  expect(daemon('godwit_state', '{state="idle"}')).toBe(1);
  expect(daemon('godwit_queue_updates', '{queue="data"}')).toBe(0);
  expect(daemon('godwit_link_connections_total')).toBe(1);
  const after = await scrape(server.metrics);
  expect(after('godwit_server_sessions')).toBe(1);
  expect(after('godwit_server_volume_used_bytes', '{volume="1"}')).toBe(100_000);
  for (const name of ['link_received_bytes_total', 'link_sent_bytes_total'])
    expect(after(`godwit_server_${name}`)).toBeGreaterThan(before(`godwit_server_${name}`));

  const top = await bench.json(['server', 'top', '--data', server.data, '--every', '0.1s']);
  expect(top).toMatchObject({
    server: { sessions: 1 },
    devices: [{ user: 'owner' }],
    volumes: [{ usedBytes: 100_000 }],
  });
  const stats = await bench.json(['stats', '--data', data]);
  expect(JSON.stringify(stats)).toContain('"rpc":"Store');
});

it('metrics can be printed without a port, which ends with the daemon', async () => {
  const data = bench.path('ann');
  const { metrics = '' } = await bench.status(data);
  const printed = await bench.godwit(['metrics', '--data', data]);
  expect(readExposition(printed.stdout).get('godwit_connected')?.samples.get('')).toBe(1);
  await bench.json(['down', '--data', data]);
  expect(await isServed(metrics)).toBe(false);

  // Nobody asks for them any more: nothing is served, and they are told all the same.
  expect(await bench.json(['up', '--data', data])).not.toHaveProperty('metrics');
  expect(await isServed(metrics)).toBe(false);
  expect(await bench.json(['metrics', '--data', data])).toHaveProperty('metrics');
});

it('a second server on the same metrics port is refused and leaves nothing behind', async () => {
  const { port } = new URL(server.metrics);
  const data = bench.path('second');
  const place = ['server', '--data', data, '--listen', '127.0.0.1:0'];
  const run = await bench.godwit([...place, '--metrics', port]);
  expect(run.code).toBe(1);
  expect(run.stderr).toMatch(/^godwit: metrics: 127\.0\.0\.1:\d+ is in use by another program; /);
  const child = bench.start([...place, '--json']);
  const said = JSON.parse(await firstLine(child)) as Record<string, unknown>;
  expect(said).toEqual({ listening: expect.any(String) });
  child.kill('SIGTERM');
  expect((await outputOf(child)).code).toBe(0);
});

it('metrics of a server end with it', async () => {
  expect(await isServed(server.metrics)).toBe(true);
  await bench.stop(server);
  expect(await isServed(server.metrics)).toBe(false);
});
