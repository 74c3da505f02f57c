/**
 * The metrics of a program, available before it runs: where they are served, as data and as text. The program says what it
 * tells of itself; what passed its link, its disk and its process are added here, for all programs alike.
 */
import type { Figure } from './figure.ts';
import { LinkMeter } from './link-meter.ts';
import {
  startMetricsEndpoint,
  type MetricsEndpoint,
  type MetricsOptions,
} from './metrics-endpoint.ts';
import { metricsText } from './metrics-text.ts';
import { diskFigure, processFigures } from './process-figures.ts';

export interface ProgramMetricsOptions<Told> {
  /** The prefix of the names of figures. */
  readonly prefix: string;
  readonly dataDir: string;
  /** What the program tells of itself now; null: it is starting. */
  readonly own: (told: Told) => Figure[] | null;
}

/** `Told`: the source of the program's own figures, once it runs. Nothing is computed before a request. */
export class ProgramMetrics<Told extends object> {
  readonly meter = new LinkMeter();
  readonly #options: ProgramMetricsOptions<Told>;
  #told: Told | null = null;

  constructor(options: ProgramMetricsOptions<Told>) {
    this.#options = options;
  }

  /** From now on there is something to tell. */
  of(told: Told): void {
    this.#told = told;
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
    const figures = this.#told === null ? null : own(this.#told);
    if (figures === null) return null;
    return [
      ...figures,
      ...this.meter.figures(prefix),
      diskFigure(`${prefix}_disk_free_bytes`, dataDir),
      ...processFigures(),
    ];
  }
}
