/** Why not everything is synced: what waits, each with its reason. */
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { shownWaiting } from '../../../shared/control/waiting.ts';
import { lineText } from './format.ts';
import { TEXT } from './text.ts';

export interface WaitingView {
  /** A path of '' is of no one path: the reason stands for itself. */
  readonly rows: ReadonlyArray<{ readonly path: string; readonly reason: string }>;
  /** '' where all is shown. */
  readonly more: string;
}

/** null: nothing waits, or errors say all of it. */
export function waitingView(
  status: Pick<StatusSnapshot, 'waiting' | 'errors'>,
): WaitingView | null {
  const { rows, more } = shownWaiting(status);
  if (rows.length === 0) return null;
  return {
    rows: rows.map(({ path, reason }) => ({
      path: lineText(path ?? ''),
      reason: lineText(reason),
    })),
    more: more === 0 ? '' : TEXT.moreWaiting(more),
  };
}
