/** Which acts of this device are taken back already, by `godwit undo`, by another laptop or by hand: what they changed is as it was before them. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { OwnCommit, VnodeChange } from '../../../shared/model/history.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import {
  AGAIN,
  placeKey,
  planUndo,
  type Act,
  type PresentState,
  type UndoPlan,
  type UndoStep,
} from './plan-undo.ts';

/** Whether there is nothing left to take back of the act. `commits`: those of this device, newest first; `present`: what they touched. */
export function isTakenBack(
  act: Act,
  commits: readonly OwnCommit[],
  present: PresentState,
): boolean {
  const { names, vnodes } = act.commit;
  switch (act.kind) {
    case 'removed': {
      const plan = planUndo(commits, { act: act.commit.commit }, present);
      const changesNothing = (step: UndoStep): boolean => isDone(step, plan, present);
      return plan.steps.every(changesNothing) && plan.refused.every(({ why }) => why === AGAIN);
    }
    case 'renamed':
    case 'replaced':
      return names.every(({ dir, name, was, now }) => {
        const there = present.names.get(placeKey({ dir, name }));
        return was === null ? there !== now : isAsBefore(was, there, act, present);
      });
    case 'wrote':
      return vnodes.every((change) => hasBefore(change, present, 'digest'));
    case 'mode':
      return vnodes.every((change) => hasBefore(change, present, 'mode'));
  }
}

/** What was made again right after its removal looks like the save of an editor: it has the contents that it would get. */
function isDone(step: UndoStep, { inPlaceOf }: UndoPlan, { vnodes }: PresentState): boolean {
  if (step.do !== 'contents') return false;
  return vnodes.get(inPlaceOf.get(step.fid) ?? step.fid)?.digest === step.status.digest;
}

/** The name stands for the same vnode again, or for one that is like it was. */
function isAsBefore(was: Fid, now: Fid | undefined, act: Act, present: PresentState): boolean {
  if (now === undefined) return false;
  if (now === was) return true;
  const before = act.commit.vnodes.find(({ after }) => after.fid === was)?.before;
  const status = present.vnodes.get(now);
  if (before === undefined || before === null || status === undefined) return false;
  return status.kind === before.kind && status.digest === before.digest;
}

function hasBefore(
  { before, after }: VnodeChange,
  { vnodes }: PresentState,
  what: keyof Pick<VnodeStatus, 'digest' | 'mode'>,
): boolean {
  return before === null || vnodes.get(after.fid)?.[what] === before[what];
}
