/** The experiments of MFS, in the order of the paper. */
import { FIG2 } from './fig2.ts';
import { FIG3 } from './fig3.ts';
import { FIG4 } from './fig4.ts';
import { FIG5 } from './fig5.ts';
import { FIG6 } from './fig6.ts';
import { FIG7 } from './fig7.ts';
import { FIG8 } from './fig8.ts';
import type { PaperExperiment } from './paper-experiment.ts';
import { TABLE2 } from './table2.ts';

export const EXPERIMENTS: readonly PaperExperiment[] = [
  ...[TABLE2, FIG2, FIG3, FIG4],
  ...[FIG5, FIG6, FIG7, FIG8],
];
