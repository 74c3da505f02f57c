/** Every checker of a run. */
import { accounting } from './accounting.ts';
import { cacheKept } from './cache-kept.ts';
import type { CheckerKind } from './checker.ts';
import { conflictsListed } from './conflicts-listed.ts';
import { convergence } from './convergence.ts';
import { dependencyOrder } from './dependency-order.ts';
import { exactlyOnce } from './exactly-once.ts';
import { hiddenRead } from './hidden-read.ts';
import { limitsKept } from './limits-kept.ts';
import { locksKept } from './locks-kept.ts';
import { losersKept } from './losers-kept.ts';
import { mountsShown } from './mounts-shown.ts';
import { namesKept } from './names-kept.ts';
import { neverBackwards } from './never-backwards.ts';
import { noInversion } from './no-inversion.ts';
import { noLeaks } from './no-leaks.ts';
import { nothingDropped } from './nothing-dropped.ts';
import { nothingLost } from './nothing-lost.ts';
import { reasons } from './reasons.ts';
import { reserveKept } from './reserve-kept.ts';
import { rights } from './rights.ts';
import { sharingKept } from './sharing-kept.ts';
import { snapshotsKept } from './snapshots-kept.ts';
import { staleRead } from './stale-read.ts';
import { synced } from './synced.ts';
import { reportedBehind } from './reported-behind.ts';

export const CHECKERS: readonly CheckerKind[] = [
  accounting,
  cacheKept,
  conflictsListed,
  convergence,
  dependencyOrder,
  exactlyOnce,
  hiddenRead,
  limitsKept,
  locksKept,
  losersKept,
  mountsShown,
  namesKept,
  neverBackwards,
  noInversion,
  noLeaks,
  nothingDropped,
  nothingLost,
  reasons,
  reserveKept,
  rights,
  sharingKept,
  snapshotsKept,
  staleRead,
  synced,
  reportedBehind,
];
