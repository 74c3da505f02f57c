/**
 * Reads the text that Prometheus scrapes (exposition format 0.0.4), more strictly than Prometheus does: each metric has its help and its
 * type, in this order and once, and no sample stands alone or twice.
 */
export interface ReadMetric {
  readonly help: string;
  readonly type: string;
  /** By the text of the labels, such as `{queue="data"}`; empty where there are none. */
  readonly samples: Map<string, number>;
}

const NAME = '[a-z][a-z0-9_]*';
const HELP = new RegExp(`^# HELP (${NAME}) (\\S.*)$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`);
const LABEL = `${NAME}="(?:[^"\\\\\\n]|\\\\["\\\\n])*"`;
const SAMPLE = new RegExp(
  `^(${NAME})((?:\\{${LABEL}(?:,${LABEL})*\\})?) (-?[0-9.]+(?:e[+-]?[0-9]+)?)$`,
);

/** Parses the text. Throws at the first invalid line. */
export function readExposition(text: string): Map<string, ReadMetric> {
  if (!text.endsWith('\n')) throw new Error('the last line is cut');
  const metrics = new Map<string, ReadMetric>();
  for (const block of text.slice(0, -1).split('\n\n')) {
    const [help = '', type = '', ...samples] = block.split('\n');
    const [, name = '', meaning = ''] = HELP.exec(help) ?? fail(help);
    const [, same, kind = ''] = TYPE.exec(type) ?? fail(type);
    if (same !== name || metrics.has(name) || samples.length === 0) fail(block);
    if (name.endsWith('_total') !== (kind === 'counter')) fail(type);
    metrics.set(name, { help: meaning, type: kind, samples: readSamples(name, samples, kind) });
  }
  return metrics;
}

/** Of a histogram, the part comes before the labels: `bucket{le="1"}`. */
function readSamples(name: string, lines: readonly string[], kind: string): Map<string, number> {
  const samples = new Map<string, number>();
  for (const line of lines) {
    const [, same = '', labels = '', value = ''] = SAMPLE.exec(line) ?? fail(line);
    const part = kind === 'histogram' ? partOf(name, same) : '';
    const isIts = kind === 'histogram' ? part !== null : same === name;
    const key = `${part ?? ''}${labels}`;
    if (!isIts || samples.has(key) || !Number.isFinite(Number(value))) fail(line);
    samples.set(key, Number(value));
  }
  return samples;
}

const partOf = (name: string, full: string): string | null =>
  ['bucket', 'sum', 'count'].find((part) => full === `${name}_${part}`) ?? null;

function fail(text: string): never {
  throw new Error(`not of the format: ${text}`);
}

/** Fetches metrics from an address. Returns a lookup by name and labels. */
export async function scrape(url: string): Promise<(name: string, labels?: string) => number> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`);
  const metrics = readExposition(await response.text());
  return (name, labels = '') => metrics.get(name)?.samples.get(labels) ?? NaN;
}
