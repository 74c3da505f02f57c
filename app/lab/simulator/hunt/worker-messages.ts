/** What the hunt and its workers say to each other. All of it is plain data: it is copied between threads. */
import type { Report } from '../run/run-plan.ts';
import type { SequencesReport } from '../run/run-sequences.ts';
import type { Failure } from '../shorten/failure.ts';
import type { ShortenedFolder } from './folder-world.ts';

export interface WorkerData {
  /** The folder engine on simulated disks; left out: the protocol, with replicas in memory. */
  readonly world?: 'folder';
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
    }
  /** Runs so many of the sequences of this depth, from one on; 0 is the first. Fewer: there are no more. */
  | {
      readonly do: 'sequences';
      readonly depth: number;
      readonly from: number;
      readonly count: number;
    };

export type Answer =
  | { readonly did: 'run'; readonly report: Report }
  /** Of a hunt in the folder's world: a plan of that. */
  | { readonly did: 'examine'; readonly failure: Failure | ShortenedFolder }
  | { readonly did: 'sequences'; readonly report: SequencesReport };
