/** What the hunt and its workers say to each other. All of it is plain data: it is copied between threads. */
import type { Report } from '../run/run-plan.ts';
import type { Failure } from '../shorten/failure.ts';

export interface WorkerData {
  /** Null: the usual number. */
  readonly steps: number | null;
  /** Names of families. */
  readonly faults: readonly string[];
}

export type Request =
  | { readonly do: 'run'; readonly seed: number }
  /** Shortens what the seed shows, in so many runs and until then at the latest (as `Date.now` counts). */
  | {
      readonly do: 'examine';
      readonly seed: number;
      readonly mostRuns: number;
      readonly until: number | null;
    };

export type Answer =
  | { readonly did: 'run'; readonly report: Report }
  | { readonly did: 'examine'; readonly failure: Failure };
