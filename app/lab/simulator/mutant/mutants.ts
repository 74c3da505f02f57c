/** Every canary. */
import type { Mutant } from './mutant.ts';
import { collectSnapshots } from './collect-snapshots.ts';
import { collectYoung } from './collect-young.ts';
import { dropConflictCopy } from './drop-conflict-copy.ts';
import { evictPinned } from './evict-pinned.ts';
import { forgetNames } from './forget-names.ts';
import { forgetPastNames } from './forget-past-names.ts';
import { forgetToldLimit } from './forget-told-limit.ts';
import { idleWhileWaiting } from './idle-while-waiting.ts';
import { judgeByName, keepCopiesUnheard } from './judge-by-name.ts';
import { keepOwn } from './keep-own.ts';
import { keepOverReserve } from './keep-over-reserve.ts';
import { freeBrokenLock, grantTakenLock, keepLapsedLock } from './lock-mutants.ts';
import { metadataLater } from './metadata-later.ts';
import { oldAsCurrent } from './old-as-current.ts';
import { renameBeforeSync } from './rename-before-sync.ts';
import { outOfTurn } from './out-of-turn.ts';
import { reuseNumber } from './reuse-number.ts';
import { sendOverLimit } from './send-over-limit.ts';
import {
  digestAlone,
  dropWithdrawn,
  forgetOrder,
  keepLostRight,
  leaveForAll,
  offerToAll,
} from './sharing-mutants.ts';
import { showWithdrawn } from './show-withdrawn.ts';
import { skipBreak } from './skip-break.ts';
import { skipDependency } from './skip-dependency.ts';
import { snapshotOfLater } from './snapshot-of-later.ts';
import { waitWithoutReason } from './wait-without-reason.ts';

export const MUTANTS: readonly Mutant[] = [
  skipDependency,
  skipBreak,
  reuseNumber,
  renameBeforeSync,
  dropConflictCopy,
  keepOwn,
  oldAsCurrent,
  metadataLater,
  evictPinned,
  keepOverReserve,
  idleWhileWaiting,
  waitWithoutReason,
  forgetNames,
  forgetPastNames,
  outOfTurn,
  sendOverLimit,
  forgetToldLimit,
  collectSnapshots,
  snapshotOfLater,
  collectYoung,
  judgeByName,
  keepCopiesUnheard,
  grantTakenLock,
  keepLapsedLock,
  freeBrokenLock,
  showWithdrawn,
  leaveForAll,
  offerToAll,
  forgetOrder,
  digestAlone,
  keepLostRight,
  dropWithdrawn,
];
