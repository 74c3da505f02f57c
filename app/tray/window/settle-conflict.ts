/** Keeps a side of a conflict, and offers to bring the other one back. */
import type { RestoreReport } from '../../../shared/control/history.ts';
import type { ResolutionReport, SideToKeep } from '../../../shared/control/resolution.ts';
import type { Api } from '../view/api.ts';
import { lineText } from '../view/format.ts';
import { restoredText } from '../view/history-view.ts';
import { TEXT } from '../view/text.ts';
import type { Said, Tell } from './toast.tsx';

/** Resolves it, and says what came of it. */
export function settleConflict(api: Api, tell: Tell, id: number, keep: SideToKeep): void {
  const call = api.command<ResolutionReport>('resolve', { id, keep });
  void tell(call, (report) => outcome(api, tell, report));
}

function outcome(api: Api, tell: Tell, report: ResolutionReport): Said {
  const words = TEXT.conflict;
  const { keep, path, removed, volume } = report;
  if (keep === 'both') return words.resolvedBoth;
  const side = keep === 'mine' ? words.mine : words.theirs;
  const text = path === null ? words.resolvedNothing : words.resolved(side, lineText(path));
  if (removed === null || volume === null) return text;
  const run = (): void => {
    const order = { volume, path: removed.split('/'), version: null, at: null, to: null };
    void tell(api.command<RestoreReport>('restore', order), restoredText);
  };
  return { text, act: { label: words.otherBack, run } };
}
