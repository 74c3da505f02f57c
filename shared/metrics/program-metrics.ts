/**
 * The metrics of a program, available before it runs: where they are served, as data and as text. The program gives its own figures; those of its
 * connections, its disk and its process are added here, for all programs alike.
 */
import type { Metric } from 'prom-client';
import type { Figure } from './figure.ts';
import { NamedCalls } from './named-calls.ts';
import { TransportMeter } from './transport-meter.ts';
import {
  startMetricsEndpoint,
  type MetricsEndpoint,
  type MetricsOptions,
} from './metrics-endpoint.ts';
import { diskFigure, processFigures } from './process-figures.ts';

export interface ProgramMetricsOptions<Source> {
  /** The prefix of the names of figures. */
  readonly prefix: string;
  readonly dataDir: string;
  /** The program's own figures now; null: it is starting. */
  readonly own: (source: Source) => Figure[] | null;
}

/** `Source`: the source of the program's own figures, once it runs. Nothing is computed before a request. */
export class ProgramMetrics<Source extends object> {
  readonly meter = new TransportMeter();
  readonly named = new NamedCalls(() => performance.now());
  readonly #options: ProgramMetricsOptions<Source>;
  #source: Source | null = null;

  constructor(options: ProgramMetricsOptions<Source>) {
    this.#options = options;
  }

  /** From now on there is something to tell. */
  of(source: Source): void {
    this.#source = source;
  }

  /** Serves them, where a port is given for it. Rejects as the endpoint does. */
  async served({ metricsPort: port, log }: MetricsOptions): Promise<MetricsEndpoint | null> {
    if (port === undefined) return null;
    return startMetricsEndpoint({ port, text: () => this.text(), log });
  }

  /** Null: the program is starting. */
  text(): Promise<string> | null {
    const figures = this.figures();
    return figures === null ? null : metricsText(figures);
  }

  /** Likewise. */
  figures(): Figure[] | null {
    const { prefix, dataDir, own } = this.#options;
    const figures = this.#source === null ? null : own(this.#source);
    if (figures === null) return null;
    return [
      ...figures,
      ...this.meter.figures(prefix),
      ...this.named.figures(prefix),
      diskFigure(`${prefix}_disk_free_bytes`, dataDir),
      ...processFigures(),
    ];
  }
}

/**
 * Figures as the text that Prometheus reads (exposition format 0.0.4). A registry is made for each answer: two answers at once have nothing in common,
 * and a label that is gone leaves no sample behind. The library is loaded at the first request. Rejects if a figure breaks the rules of the format.
 */
export async function metricsText(figures: readonly Figure[]): Promise<string> {
  const { Counter, Gauge, Registry } = await import('prom-client');
  const registry = new Registry();
  for (const { kind, name, help, samples } of figures) {
    const [first] = samples;
    if (first === undefined) continue;
    const about = { name, help, labelNames: Object.keys(first.labels), registers: [registry] };
    if (kind === 'counter') {
      const metric = new Counter(about);
      for (const { labels, value } of samples) metric.inc(labels, value);
    } else if (kind === 'histogram') {
      registry.registerMetric(made({ name, help, samples }) as Metric);
    } else {
      const metric = new Gauge(about);
      for (const { labels, value } of samples) metric.set(labels, value);
    }
  }
  return registry.metrics();
}

/** The library counts values by itself, one by one; these are counted already. */
function made({ name, help, samples }: Pick<Figure, 'name' | 'help' | 'samples'>): object {
  const values = samples.map(({ part, labels, value }) => {
    return { metricName: `${name}_${part ?? ''}`, labels, value };
  });
  const about = { name, help, type: 'histogram', aggregator: 'sum', values };
  return { name, get: () => Promise.resolve(about) };
}
