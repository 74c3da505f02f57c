/** What several checkers of one run look up: heard once for all of them, by whichever of them hears an observation first. */
import { ClientUpdates } from './client-updates.ts';
import { CommitHistory } from './commit-history.ts';
import { HiddenMarks } from './hidden-marks.ts';

/** Shares the histories that several checkers need among the checkers of one run. */
export class Ledgers {
  readonly history = new CommitHistory();
  readonly updates = new ClientUpdates();
  readonly marks = new HiddenMarks();
}
