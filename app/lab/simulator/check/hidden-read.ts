/**
 * Checker: a hidden update is never read as current (promise 4, rules S1 to S5).
 *
 * Where the server's database has a mark of a file by a device before another laptop's program opens it, and has it still when that has been
 * answered, the marked update is not committed: the program had to learn that its version is behind. And so where a laptop that is connected has a
 * save in its log that is not on its way, and the server has confirmed all that it told: then it is marked, or under a grant that is to be taken back
 * first (S1).
 *
 * Allowed, and why:
 * - saves of a file whose maker does not know yet that it is committed: it announces them when it does;
 * - saves of a laptop that is revoked (revoked-devices.ts): its marks have ended with that (S4);
 * - saves that a laptop announced in a session with a server that was put back since: the backup may know nothing of them, and hears of them after
 *   the next Hello (S4);
 * - saves of a laptop that is set to tell nothing of what it has hidden (invalidations `no`), as far as nothing is marked;
 * - a file that the laptop was promised when it was asked, or that it had asked about by then and was promised in the answer, which may be of before:
 *   the break is on its way, and nobody waits for it (P3);
 * - anything while there is no session, as in `nothing stale is read under a promise`, and files with own updates over them (P5);
 * - a mark that ends with one of the two next groups: the server's memory is ahead of its database by those (hidden-marks.ts); and all that it did
 *   before it died or was restored.
 */
import type { DeviceId } from '../../../../shared/model/change.ts';
import { volumeOf, type Fid } from '../../../../shared/model/fid.ts';
import type { Instant } from '../../../../shared/model/time.ts';
import type { UpdateSeq } from '../../../../shared/model/update.ts';
import { isUncommitted } from '../../../../daemon/core/log/view.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import { FileReads, type FileRead } from './file-reads.ts';
import { AHEAD, type HiddenMarks } from './hidden-marks.ts';
import type { Laptop } from './laptop.ts';
import { Ledgers } from './ledgers.ts';
import type { Observation } from './observation.ts';
import { RevokedDevices } from './revoked-devices.ts';

export const hiddenRead: CheckerKind = {
  name: 'a hidden update is never read as current',
  make: (report, ledgers = new Ledgers()) => new HiddenRead(report, ledgers),
};

interface Hidden {
  readonly marks: ReadonlyMap<DeviceId, number>;
  /** Saves that were not on their way, each with the session of its laptop. */
  readonly saves: ReadonlyArray<{ laptop: Laptop; seq: UpdateSeq; session: Instant }>;
  /** Its laptop had asked about the file before. */
  readonly wasAskedAbout: boolean;
}

interface Suspect {
  readonly read: FileRead<Hidden>;
  readonly fid: Fid;
  readonly writer: DeviceId;
  readonly since: number;
  readonly judgedAt: number;
}

function isThere(laptop: Laptop): boolean {
  return laptop.running && laptop.daemon.inside.session.isUp;
}

/** By an answer to what was asked before the program was there. */
function isPromisedBefore({ call, shown, about }: FileRead<Hidden>): boolean {
  return about.wasAskedAbout && call.client.daemon.inside.isPromised(shown.fid);
}

class HiddenRead implements Checker {
  readonly #report: Report;
  readonly #marks: HiddenMarks;
  readonly #laptops = new Set<Laptop>();
  readonly #revoked = new RevokedDevices();
  /** Sessions that were there when the server was put back: they are with the one before. */
  readonly #former = new Map<Laptop, Instant>();
  readonly #reads = new FileReads<Hidden>((fid, reader, { client }) => {
    if (client.daemon.inside.isPromised(fid)) return null;
    const hidden = { marks: this.#marks.ofFile(fid, reader), saves: this.#savesOf(fid, reader) };
    return { ...hidden, wasAskedAbout: client.daemon.inside.sharing.questions.isAsked(fid) };
  });
  #suspects: Suspect[] = [];

  constructor(report: Report, { marks }: Ledgers) {
    this.#report = report;
    this.#marks = marks;
  }

  hear(observation: Observation): void {
    this.#marks.hear(observation);
    this.#revoked.hear(observation);
    const { kind } = observation;
    if (kind === 'restored') this.#restored();
    if (kind === 'saved') this.#laptops.add(observation.client);
    if (kind === 'restored' || (kind === 'ended' && observation.who === 'server')) {
      this.#suspects = [];
    }
    if (kind === 'committed') this.#judge();
    const read = this.#reads.hear(observation);
    if (read !== null && read.shown.behind !== true && !isPromisedBefore(read)) this.#suspect(read);
  }

  #restored(): void {
    for (const laptop of this.#laptops) {
      if (isThere(laptop)) this.#former.set(laptop, laptop.daemon.inside.session.downSince);
    }
  }

  #suspect(read: FileRead<Hidden>): void {
    const { fid, version } = read.shown;
    const judgedAt = this.#marks.groups + AHEAD;
    for (const [writer, since] of read.about.marks) {
      this.#suspects.push({ read, fid, writer, since, judgedAt });
    }
    for (const { laptop, seq, session } of read.about.saves) {
      if (!isThere(laptop) || this.#revoked.has(laptop)) continue;
      if (laptop.daemon.inside.session.downSince !== session) continue;
      const entry = laptop.daemon.inside.log.get(seq);
      if (entry?.update.op !== 'store' || entry.state === 'answered') continue;
      if (entry.update.fid !== fid || version > entry.update.base) continue;
      this.#report(
        `${read.call.client.name} opened ${fid} and was shown version ${version} as current, while ${laptop.name}, who was connected all the time, had save ${seq} of it hidden`,
      );
    }
  }

  #savesOf(fid: Fid, reader: DeviceId): Array<Hidden['saves'][number]> {
    const found: Array<Hidden['saves'][number]> = [];
    for (const laptop of this.#laptops) {
      if (!isThere(laptop)) continue;
      const {
        session,
        log: { hidden },
        log,
        meta,
        sharing: { settings: consistency },
      } = laptop.daemon.inside;
      if (consistency.invalidations === 'no') continue;
      if (this.#former.get(laptop) === session.downSince) continue;
      if (meta.get('device') === reader || !hidden.isHeard || hidden.isBeginning) continue;
      if (laptop.daemon.inside.names.volumes.rightsIn(volumeOf(fid)) !== 'write') continue;
      if (hidden.inFlight + hidden.fresh.size > 0) continue;
      for (const indexed of log.index.onVnode(fid)) {
        const isKept = indexed.state === 'queued' || indexed.state === 'blocked';
        if (indexed.update.op !== 'store' || indexed.update.fid !== fid || !isKept) continue;
        if (isUncommitted(laptop.daemon.inside, fid)) continue;
        found.push({ laptop, seq: indexed.seq, session: session.downSince });
      }
    }
    return found;
  }

  #judge(): void {
    const due = this.#suspects.filter(({ judgedAt }) => judgedAt <= this.#marks.groups);
    this.#suspects = this.#suspects.filter((each) => !due.includes(each));
    for (const { read, fid, writer, since } of due) {
      if (this.#marks.ofFile(fid, read.reader).get(writer) !== since) continue;
      const { call, shown } = read;
      this.#report(
        `${call.client.name} opened ${fid} and was shown version ${shown.version} as current, while device ${writer} had told of an update that it had hidden`,
      );
    }
  }
}
