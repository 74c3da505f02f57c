/** Every checker of a run. */
import type { CheckerKind } from './checker.ts';
import { convergence } from './convergence.ts';
import { nothingLost } from './nothing-lost.ts';

export const CHECKERS: readonly CheckerKind[] = [convergence, nothingLost];
