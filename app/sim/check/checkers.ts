/** Every checker of a run. */
import type { CheckerKind } from './checker.ts';
import { convergence } from './convergence.ts';
import { dependencyOrder } from './dependency-order.ts';
import { exactlyOnce } from './exactly-once.ts';
import { neverBackwards } from './never-backwards.ts';
import { nothingLost } from './nothing-lost.ts';
import { staleRead } from './stale-read.ts';

export const CHECKERS: readonly CheckerKind[] = [
  convergence,
  dependencyOrder,
  exactlyOnce,
  neverBackwards,
  nothingLost,
  staleRead,
];
