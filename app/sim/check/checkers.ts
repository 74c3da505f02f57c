/** Every checker of a run. */
import { accounting } from './accounting.ts';
import type { CheckerKind } from './checker.ts';
import { convergence } from './convergence.ts';
import { dependencyOrder } from './dependency-order.ts';
import { exactlyOnce } from './exactly-once.ts';
import { neverBackwards } from './never-backwards.ts';
import { noLeaks } from './no-leaks.ts';
import { nothingDropped } from './nothing-dropped.ts';
import { nothingLost } from './nothing-lost.ts';
import { staleRead } from './stale-read.ts';
import { synced } from './synced.ts';

export const CHECKERS: readonly CheckerKind[] = [
  accounting,
  convergence,
  dependencyOrder,
  exactlyOnce,
  neverBackwards,
  noLeaks,
  nothingDropped,
  nothingLost,
  staleRead,
  synced,
];
