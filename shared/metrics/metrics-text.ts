/**
 * Figures as the text that Prometheus reads (exposition format 0.0.4). A registry is made for each answer: two that are asked for
 * at once have nothing in common, and a label that is gone leaves no sample behind.
 */
import type { Figure } from './figure.ts';

/** The library is loaded at the first request. Rejects if a figure breaks the rules of the format, which is a bug of ours. */
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
    } else {
      const metric = new Gauge(about);
      for (const { labels, value } of samples) metric.set(labels, value);
    }
  }
  return registry.metrics();
}
