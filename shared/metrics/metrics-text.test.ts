import { describe, expect, it } from '@jest/globals';
import { readExposition } from '../../test/support/exposition.ts';
import { counter, each, gauge, type Figure } from './figure.ts';
import { metricsText } from './program-metrics.ts';
import { diskFigure, processFigures } from './process-figures.ts';

const QUEUES = new Map([
  ['metadata', 2],
  ['data', 0],
]);
const byQueue = each(
  'queue',
  QUEUES,
  ([name]) => name,
  ([, updates]) => updates,
);

describe('the text of the metrics', () => {
  it('has help, type and samples of each figure', async () => {
    const text = await metricsText([
      gauge('godwit_connected', 'Whether it is.', true),
      gauge('godwit_queue_updates', 'Queued.', byQueue),
      counter('godwit_sent_bytes_total', 'Sent.', 12.5),
    ]);
    expect(text).toBe(
      '# HELP godwit_connected Whether it is.\n# TYPE godwit_connected gauge\ngodwit_connected 1\n\n' +
        '# HELP godwit_queue_updates Queued.\n# TYPE godwit_queue_updates gauge\n' +
        'godwit_queue_updates{queue="metadata"} 2\ngodwit_queue_updates{queue="data"} 0\n\n' +
        '# HELP godwit_sent_bytes_total Sent.\n# TYPE godwit_sent_bytes_total counter\n' +
        'godwit_sent_bytes_total 12.5\n',
    );
    expect([...readExposition(text).keys()]).toHaveLength(3);
  });

  it('omits unknown figures and samples', async () => {
    const some = each('volume', [1, 2], String, (id) => (id === 1 ? null : id));
    const text = await metricsText([
      gauge('unknown', 'U.', null),
      gauge('nobody', 'N.', []),
      gauge('some', 'S.', some),
      counter('zero_total', 'Z.', 0),
    ]);
    expect([...readExposition(text)].map(([name, { samples }]) => [name, ...samples])).toEqual([
      ['some', ['{volume="2"}', 2]],
      ['zero_total', ['', 0]],
    ]);
  });

  it('can contain any label', async () => {
    const samples = [{ labels: { code: 'a"b\\c\nd' }, value: 1 }];
    const text = await metricsText([gauge('errors', 'E.', samples)]);
    expect([...(readExposition(text).get('errors')?.samples ?? [])]).toEqual([
      ['{code="a\\"b\\\\c\\nd"}', 1],
    ]);
  });

  it('is separate for two simultaneous requests', async () => {
    const texts = await Promise.all([1, 2].map((n) => metricsText([gauge('n', 'N.', n)])));
    expect(texts.map((text) => text.split('\n')[2])).toEqual(['n 1', 'n 2']);
  });

  it.each<[string, Figure[]]>([
    ['a name', [gauge('no name', 'N.', 1)]],
    ['a figure that is there twice', [gauge('n', 'N.', 1), gauge('n', 'N.', 2)]],
    ['a counter below zero', [counter('n_total', 'N.', -1)]],
    ['what is no number', [gauge('n', 'N.', NaN)]],
  ])('is refused with %s that breaks the rules', async (what, figures) => {
    if (what === 'what is no number') {
      const text = await metricsText(figures);
      expect(() => readExposition(text)).toThrow('not of the format');
    } else await expect(metricsText(figures)).rejects.toThrow();
  });
});

describe('the use of resources by the process', () => {
  it('is given in base units', async () => {
    const metrics = readExposition(await metricsText(processFigures()));
    const value = (name: string): number => metrics.get(name)?.samples.get('') ?? NaN;
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(value('process_cpu_seconds_total')).toBeLessThan(100_000);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect(Math.abs(Date.now() / 1000 - value('process_start_time_seconds'))).toBeLessThan(1e5);
    expect(value('nodejs_heap_size_used_bytes')).toBeLessThanOrEqual(
      value('nodejs_heap_size_total_bytes'),
    );
  });

  it('omits its disk when that does not exist', () => {
    expect(diskFigure('free_bytes', import.meta.dirname).samples[0]?.value).toBeGreaterThan(0);
    expect(diskFigure('free_bytes', `${import.meta.dirname}/none`).samples).toEqual([]);
  });
});
