/** What people who share ask of the product, as real runs: a right that is taken, a path that nobody has looked at, a file that moves into a volume. */
import type { Experiment } from '../real/experiment.ts';
import { limitSeconds, type LineShape } from '../real/line.ts';
import { rateName } from '../real/report.ts';
import { coldPath } from './cold-path.ts';
import { movedIn } from './moved-in.ts';
import { withdrawn } from './withdrawn.ts';

export const CELL_PARTS = ['withdraw', 'cold', 'move'] as const;
export type CellPart = (typeof CELL_PARTS)[number];

export interface CellSettings {
  readonly line: LineShape;
  readonly parts: readonly CellPart[];
  /** Of the upload beside which a right is taken, and of the file that moves. */
  readonly size: number;
  readonly times: number;
}

/** So far is the server on a cold path. */
const FAR_MS = 100;
/** Such a path is asked for over a line that is not slow. */
const FAR_BYTES_PER_SECOND = 1024 * 1024;
const LIMIT_TIMES = 4;
const LIMIT_MORE_SECONDS = 180;

/** Lists the experiments of `godwit bench cells`. */
export function cellExperiments({ line, parts, size, times }: CellSettings): Experiment[] {
  const common = {
    name: 'cells',
    configuration: { scheduling: 'priorities' },
    limitSeconds: LIMIT_TIMES * limitSeconds(size, line) + LIMIT_MORE_SECONDS,
  } as const;
  const far = { ...line, bytesPerSecond: FAR_BYTES_PER_SECOND, roundTripMs: FAR_MS };
  const rate = rateName(line.bytesPerSecond);
  const all: Record<CellPart, Experiment> = {
    withdraw: {
      ...{ ...common, line, title: `a right is taken, ${rate}` },
      workload: (stage) => withdrawn(stage, { upload: size, times }),
    },
    cold: {
      ...{ ...common, line: far, title: `a cold path, ${FAR_MS} ms away` },
      workload: (stage) => coldPath(stage, { times }),
    },
    move: {
      ...{ ...common, line, title: `a file moves into a volume, ${rate}` },
      workload: (stage) => movedIn(stage, { size }),
    },
  };
  return parts.map((part) => all[part]);
}
