/**
 * Checker: what wins a conflict, and what is kept of one, has a name that a person gave it (rules C1, C3).
 *
 * "unnamed" is what a laptop calls contents of which it knows no name. No program of the simulator gives that name, and all of them find their
 * files by name: who saves one has known what it is called.
 */
import type { Checker, CheckerKind, Report } from './checker.ts';
import type { Observation } from './observation.ts';

export const namesKept: CheckerKind = {
  name: 'no file is called unnamed',
  make: (report) => new NamesKept(report),
};

const NAMELESS = /^unnamed( \(conflict, .*\))?$/;

class NamesKept implements Checker {
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  hear(observation: Observation): void {
    if (observation.kind !== 'committed') return;
    for (const write of observation.writes) {
      if (write.kind !== 'entry' || write.fid === null || !NAMELESS.test(write.name)) continue;
      this.#report(`commit ${write.commit} calls ${write.fid} “${write.name}” in ${write.dir}`);
    }
  }
}
