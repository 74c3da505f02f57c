import { expect, it } from '@jest/globals';
import { listLog } from '../../test/support/list-log.ts';
import { gauge, type Figure } from './figure.ts';
import { ProgramMetrics } from './program-metrics.ts';

/** A program that starts, and then tells what it counts. */
function program(): { metrics: ProgramMetrics<{ count: number | null }>; asked: () => number } {
  let asked = 0;
  const own = ({ count }: { count: number | null }): Figure[] | null => {
    asked += 1;
    return count === null ? null : [gauge('p_count', 'Counted.', count)];
  };
  const metrics = new ProgramMetrics({ prefix: 'p', dataDir: import.meta.dirname, own });
  return { metrics, asked: () => asked };
}

it('the metrics are empty before the program has any', () => {
  const { metrics, asked } = program();
  expect([metrics.figures(), metrics.text(), asked()]).toEqual([null, null, 0]);
  metrics.of({ count: null });
  expect([metrics.figures(), metrics.text(), asked()]).toEqual([null, null, 2]);
});

it('the metrics of the program come first, then those of link, disk and process', async () => {
  const { metrics, asked } = program();
  const told = { count: 1 };
  metrics.of(told);
  expect(asked()).toBe(0);
  const names = (metrics.figures() ?? []).map(({ name }) => name);
  const places = ['p_count', 'p_link_connections_total', 'p_disk_free_bytes', 'process_open_fds'];
  const at = places.map((name) => names.indexOf(name));
  expect(at).toEqual([...at].sort((a, b) => a - b));
  expect(at[0]).toBe(0);
  expect(new Set(names).size).toBe(names.length);

  expect(await metrics.text()).toContain('\np_count 1\n');
  told.count = 2;
  expect(await metrics.text()).toContain('\np_count 2\n');
});

it('the metrics are served at a given port from the start', async () => {
  const { metrics } = program();
  const log = listLog([]);
  expect(await metrics.served({ log })).toBeNull();
  const endpoint = await metrics.served({ metricsPort: 0, log });
  const get = async (): Promise<[number, string]> => {
    const answer = await fetch(endpoint?.url ?? '', { headers: { connection: 'close' } });
    return [answer.status, await answer.text()];
  };
  expect(await get()).toEqual([503, 'starting\n']);
  metrics.of({ count: 7 });
  const [status, text] = await get();
  expect(status).toBe(200);
  expect(text).toContain('\np_count 7\n');
  await endpoint?.close();
});
