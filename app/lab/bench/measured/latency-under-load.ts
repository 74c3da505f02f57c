/** `latency-under-load`: what an urgent message waits beside bulk, one way and both, before short and long queues, as bandwidth grows. */
import { runDelayBench } from '../delay/run-delay-bench.ts';
import { cellsOf, type Direction } from '../delay/delay-cells.ts';
import { MOST_DELAY_MS, type CellFigure } from '../delay/delay-figures.ts';
import { atMost, meanOf, shown, type Check } from '../../replay/bench/paper-experiment.ts';
import type { Section } from '../../replay/report/html-report.ts';
import type { MeasuredExperiment } from './measured-experiment.ts';

const KB = 1024;
const RATES = [64, 128, 256, 512, 1024];
const QUEUES_MS = [50, 1000];
const DIRECTIONS: readonly Direction[] = ['up', 'down', 'both'];
const WARM_UP_MS = 3000;
const MS = 10_000;

/** Lines are near, as those of the paper's experiments. */
const ROUND_TRIPS_MS = [0];

export const LATENCY_UNDER_LOAD: MeasuredExperiment = {
  name: 'latency-under-load',
  about: 'how long an urgent message waits beside bulk, one way and both ways',
  measure: async ({ options, runs, signal, onStep }) => {
    const rates = (options.bandwidths ?? RATES).map((kilobytes) => kilobytes * KB);
    const lines = { rates, queuesMs: QUEUES_MS, roundTripsMs: ROUND_TRIPS_MS };
    const once = DIRECTIONS.flatMap((direction) =>
      cellsOf({ ...lines, direction, changing: false, ms: WARM_UP_MS + MS }),
    );
    const cells = once.flatMap((cell) => Array.from({ length: runs }, () => cell));
    const settings = { cells, scheduling: 'priorities', warmUpMs: WARM_UP_MS, ms: MS } as const;
    const figures = await runDelayBench(settings, signal, onStep);
    return { ...latencyReport(figures, runs), raw: { figures, settings: { runs, ms: MS } } };
  },
};

/** `runs` figures of each line, one after the other. */
export function latencyReport(
  figures: readonly CellFigure[],
  runs: number,
): { sections: Section[]; checks: Check[] } {
  const lines = Array.from({ length: figures.length / runs }, (_, index) =>
    figures.slice(index * runs, (index + 1) * runs),
  );
  const of = (line: readonly CellFigure[], value: (figure: CellFigure) => number): string =>
    shown(line.map(value));
  const rows = lines.map((line) => [
    ...titleOf(line),
    of(line, ({ idleMs }) => idleMs),
    ...[
      ({ p50Ms }: CellFigure) => p50Ms,
      ({ p95Ms }: CellFigure) => p95Ms,
      ({ mostMs }: CellFigure) => mostMs,
    ].map((value) => `+${of(line, value)}`),
    filled(line),
  ]);
  const head = ['KB/s', 'queue', 'bulk', 'idle, ms', '50 in 100', '95 in 100', 'longest'];
  const section: Section = {
    heading: 'Latency under load: round trips of 200 bytes, over those on an idle line',
    table: [[...head, 'of the line'], ...rows],
  };
  const checks = lines.map((line) => {
    const [rate, queue, direction] = titleOf(line);
    const bound = MOST_DELAY_MS[line[0]?.direction ?? 'up'];
    const p95 = meanOf(line.map(({ p95Ms }) => p95Ms));
    const what = `${rate} KB/s, queue of ${queue}, bulk ${direction}: 95 in 100 wait longer by`;
    return atMost(what, p95, bound, 'ms');
  });
  return { sections: [section], checks };
}

function titleOf([first]: readonly CellFigure[]): [rate: string, queue: string, way: string] {
  const { rate = [], queueMs = 0, direction = 'up' } = first ?? {};
  const kilobytes = Math.round(((rate[0]?.bytesPerSecond ?? 0) / KB) * 10) / 10;
  return [String(kilobytes), `${queueMs} ms`, direction];
}

/** What bulk filled of it, each way that it went. */
function filled(line: readonly CellFigure[]): string {
  const ways = [line.map(({ up }) => up), line.map(({ down }) => down)];
  const told = ways.map((all) => all.filter((share) => share !== null));
  const shares = told.filter((all) => all.length > 0).map((all) => meanOf(all) * 100);
  return shares.map((share) => `${share.toFixed(1)} %`).join(', ');
}
