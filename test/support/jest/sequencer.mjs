/**
 * Which test files begin first: the longest, so that all cores end together. Jest knows how long each took the last time here; where it has run none
 * yet (CI), the longest of this list would come last, as small files, and run alone at the end.
 */
import { join } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/** More than ten seconds of processor time, or of waiting; the longest first. */
export const LONGEST = [
  'test/sequences/two-steps.test.ts',
  'test/process/backup.test.ts',
  'test/process/disk-calls.test.ts',
  'test/process/beside.test.ts',
  'test/process/bad-input.test.ts',
  'test/process/bench-real.test.ts',
  'test/process/endings.test.ts',
  'test/process/replay.test.ts',
  'app/lab/simulator/simulation.test.ts',
  'app/lab/simulator/hunt/every-sequence.test.ts',
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path, context }) => {
      const place = LONGEST.findIndex(
        (file) => path === join(context.config.rootDir, ...file.split('/')),
      );
      return place < 0 ? LONGEST.length : place;
    };
    return super.sort(tests).sort((a, b) => rank(a) - rank(b));
  }
}
