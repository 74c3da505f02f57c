/** How soon, and how, one laptop sees what another has saved: each part with each front end, as real runs. */
import type { Experiment } from '../real/experiment.ts';
import { limitSeconds, type LineShape } from '../real/line.ts';
import { rateName } from '../real/report.ts';
import type { Stage } from '../real/stage.ts';
import type { Figure } from '../figures.ts';
import type { Scheduling } from '../../../../shared/model/scheduling.ts';
import { besideBulk } from './beside-bulk.ts';
import { pulled } from './pulled.ts';
import type { Through } from '../real/through.ts';
import { saves } from './saves.ts';
import { smallEdit } from './small-edit.ts';

export const PARTS = ['saves', 'edit', 'pull', 'bulk'] as const;
export type Part = (typeof PARTS)[number];

export interface PropagateSettings {
  readonly lines: readonly LineShape[];
  readonly scheduling: Scheduling;
  readonly parts: readonly Part[];
  readonly through: readonly Through[];
  /** Of the small file, of the upload beside it, and of the large file that is edited. */
  readonly size: number;
  readonly upload: number;
  readonly large: number;
  /** Bytes inserted in the large one. */
  readonly inserted: number;
  /** Saves on idle lines, and as many beside the upload. */
  readonly times: number;
  /** The same where the other follows the upload, which is of so many files. */
  readonly besideTimes: number;
  readonly files: number;
  readonly awayMs: number;
}

const LIMIT_TIMES = 4;
const LIMIT_MORE_SECONDS = 180;

/** Lists the experiments of `godwit bench propagate`, for each line, part and front end. */
export function propagateExperiments(settings: PropagateSettings): Experiment[] {
  const { lines, parts, through, scheduling } = settings;
  const both = (line: LineShape, part: Part): Experiment[] => {
    const ways = waysOf(part, through);
    return ways.map((way) => ({
      name: 'propagate',
      title: `${part} through the ${way}, ${rateName(line.bytesPerSecond)}, ${scheduling}`,
      line,
      configuration: { scheduling },
      limitSeconds: mostSeconds(settings, line),
      workload: (stage) => workload(stage, settings, part, way),
    }));
  };
  return lines.flatMap((line) => parts.flatMap((part) => both(line, part)));
}

/** A folder can't make a reader wait, so only the port is pulled through; and only a folder fetches contents before a program asks for them. */
function waysOf(part: Part, through: readonly Through[]): readonly Through[] {
  if (part === 'pull') return ['port'];
  return part === 'bulk' ? ['folder'] : through;
}

function workload(
  stage: Stage,
  settings: PropagateSettings,
  part: Part,
  through: Through,
): Promise<Figure[]> {
  const { size, upload, files, large, inserted, times, besideTimes, awayMs } = settings;
  switch (part) {
    case 'saves':
      return saves(stage, { through, size, upload, times });
    case 'edit':
      return smallEdit(stage, { through, size: large, inserted });
    case 'pull':
      return pulled(stage, { size, upload, awayMs });
    case 'bulk':
      return besideBulk(stage, { size, upload, files, times: besideTimes });
  }
}

function mostSeconds(settings: PropagateSettings, line: LineShape): number {
  const { size, upload, times, besideTimes, awayMs } = settings;
  const bytes = upload + 4 * Math.max(times, besideTimes) * size;
  return LIMIT_TIMES * limitSeconds(bytes, line) + LIMIT_MORE_SECONDS + awayMs / 1000;
}
