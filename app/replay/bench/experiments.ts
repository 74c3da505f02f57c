/** The experiments of MFS, in the order of the paper. */
import { FIG2 } from './fig2.ts';
import { FIG3 } from './fig3.ts';
import { FIG4 } from './fig4.ts';
import { FIG5 } from './fig5.ts';
import { FIG8 } from './fig8.ts';
import type { PaperExperiment } from './paper-experiment.ts';
import { TABLE2 } from './table2.ts';

export const EXPERIMENTS: readonly PaperExperiment[] = [TABLE2, FIG2, FIG3, FIG4, FIG5, FIG8];

export interface Missing {
  readonly name: string;
  readonly about: string;
  /** What this version has not. */
  readonly needs: string;
}

/** What can't be run yet, and why. */
export const MISSING: readonly Missing[] = [
  {
    name: 'fig6',
    about: 'tests of prefetching (MFS, figure 6)',
    needs: 'replays that make the file groups of a trace',
  },
  {
    name: 'fig7',
    about: 'prefetching as bandwidth falls (MFS, figure 7 and table 4)',
    needs: 'replays that make the file groups of a trace',
  },
];
