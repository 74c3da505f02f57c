/** `roam`, as one of all: the breaks of `godwit bench roam` at its own sizes. */
import { DEFAULT_BREAKS, DEFAULT_ROAM_SIZE, roamExperiments } from '../roam/roam.ts';
import { outcomeReport } from '../real/report.ts';
import { runExperiments } from '../real/run-experiments.ts';
import type { MeasuredExperiment } from './measured-experiment.ts';

const KB = 1024;
const RATES = [1024];
const QUEUE_MS = 100;

export const ROAM: MeasuredExperiment = {
  name: 'roam',
  about: 'what a laptop that changes networks is told, and how soon its transfers go on',
  measure: async ({ options, runs, signal, onStep }) => {
    const lines = (options.bandwidths ?? RATES).map((kilobytes) => {
      return { bytesPerSecond: kilobytes * KB, queueMs: QUEUE_MS, roundTripMs: 0 };
    });
    const once = roamExperiments({ lines, breaks: DEFAULT_BREAKS, size: DEFAULT_ROAM_SIZE });
    const all = Array.from({ length: runs }, () => once).flat();
    const outcomes = await runExperiments(all, { tbf: false, signal, onStep });
    return { ...outcomeReport(outcomes), raw: { experiments: outcomes } };
  },
};
