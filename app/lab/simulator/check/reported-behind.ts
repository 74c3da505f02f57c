/**
 * Checker: a pull leads to the newest version or to a told exception (rules S3 to S5).
 *
 * Who opens a file of which somebody has something hidden waits for that. An old version that comes of it without a word is found by `a hidden update
 * is never read as current`. Here it is checked that the report is true: if a file is reported to be behind, a device had a mark of it, or of
 * what it has for its own in the volume, at some time between question and answer; else it was pulled, and is the newest.
 *
 * Allowed: a mark that begins with one of the two groups by which the server's memory is ahead of its database (hidden-marks.ts), and what a server did
 * before it died.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import { FileReads, type FileRead } from './file-reads.ts';
import { AHEAD, type HiddenMarks } from './hidden-marks.ts';
import { Ledgers } from './ledgers.ts';
import type { Observation } from './observation.ts';

export const reportedBehind: CheckerKind = {
  name: 'a pull leads to the newest version or to a told exception',
  make: (report, ledgers = new Ledgers()) => new ReportedBehind(report, ledgers),
};

/** Whether something was hidden when it was asked, and how many groups were durable. */
interface HiddenAtCall {
  readonly isHidden: boolean;
  readonly groups: number;
}

interface Suspect {
  readonly read: FileRead<HiddenAtCall>;
  readonly fid: Fid;
  readonly judgedAt: number;
}

class ReportedBehind implements Checker {
  readonly #report: Report;
  readonly #marks: HiddenMarks;
  readonly #reads = new FileReads<HiddenAtCall>((fid, reader) => {
    return { isHidden: this.#marks.mayHide(fid, reader), groups: this.#marks.groups };
  });
  #suspects: Suspect[] = [];

  constructor(report: Report, { marks }: Ledgers) {
    this.#report = report;
    this.#marks = marks;
  }

  hear(observation: Observation): void {
    this.#marks.hear(observation);
    const { kind } = observation;
    if (kind === 'restored' || (kind === 'ended' && observation.who === 'server')) {
      this.#suspects = [];
    }
    if (kind === 'committed') this.#judge();
    const read = this.#reads.hear(observation);
    if (read?.shown.behind !== true || read.about.isHidden) return;
    this.#suspects.push({ read, fid: read.shown.fid, judgedAt: this.#marks.groups + AHEAD });
  }

  #judge(): void {
    const due = this.#suspects.filter(({ judgedAt }) => judgedAt <= this.#marks.groups);
    this.#suspects = this.#suspects.filter((each) => !due.includes(each));
    for (const { read, fid } of due) {
      const { call, shown, about } = read;
      if (this.#marks.lastMarked(fid) >= about.groups) continue;
      this.#report(
        `${call.client.name} opened ${fid} and was told that version ${shown.version} is behind, and no device had anything of it hidden`,
      );
    }
  }
}
