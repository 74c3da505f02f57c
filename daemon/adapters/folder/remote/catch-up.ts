/**
 * When to look again at what the feed left over: rows that were held back, repairs that conflicts ask for, and, when all
 * of it is done, the audit that holds the folder against the volume.
 *
 * Invariants
 * 1. Each of these is done by one at a time, and who needs it done waits for the one under way, if it is not begun after.
 * 2. Nothing of it waits for a flush that waits for it: the audit's own flush ends without us (`Audit.isOwnFlush`).
 * 3. What the audit found counts as unsettled until it is in place; and so does what is held when all was taken, until an audit was made.
 */
import type { WaitingStatus } from '../../../../shared/control/snapshot.ts';
import { after, milliseconds } from '../../../../shared/model/time.ts';
import type { VolumeInfo } from '../../../../shared/model/change.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Feed } from '../../../../shared/ports/feed.ts';
import { OneAtATime } from '../../../../shared/concurrency/one-at-a-time.ts';
import type { Background } from '../background.ts';
import type { RootPresence } from '../disk/root-presence.ts';
import type { FolderEvents } from '../folder-events.ts';
import type { FolderLimits } from '../folder-limits.ts';
import type { LookSchedule } from '../local/look-schedule.ts';
import type { Unfinished } from '../local/unfinished.ts';
import type { HeldRows } from '../records/held-rows.ts';
import type { ApplyPlan } from './apply-plan.ts';
import { PATIENCE, type Audit } from './audit.ts';
import type { RemoteCommits } from './remote-commits.ts';
import type { RepairDisk } from './repair-disk.ts';
import type { TakeOut } from './take-out.ts';
import type { Unplaced } from './unplaced.ts';

export interface CatchUpParts {
  readonly feed: Feed;
  readonly volume: VolumeInfo;
  readonly held: HeldRows;
  readonly remote: RemoteCommits;
  readonly apply: ApplyPlan;
  readonly unplaced: Unplaced;
  readonly audit: Audit;
  readonly repair: RepairDisk;
  readonly unfinished: Unfinished;
  readonly takeOut: Pick<TakeOut, 'run' | 'isWanted'>;
  readonly presence: Pick<RootPresence, 'usable'>;
  readonly looks: Pick<LookSchedule, 'lookNow'>;
  readonly background: Background;
  readonly events: FolderEvents;
  readonly clock: Clock;
  readonly limits: FolderLimits;
}

type Audited = 'found' | 'nothing' | 'busy';

/** Decides when held rows, conflict repairs and the audit are taken up again. */
export class CatchUp {
  readonly #parts: CatchUpParts;
  readonly #background: Background;
  readonly #looking: OneAtATime;
  #repairing: Promise<boolean> | null = null;
  #auditing: Promise<Audited> | null = null;
  #isOpen = false;
  #isPlacing = false;
  /** Rows are held after all was taken, and nobody has looked whether they wait for good reason. */
  #isLeftOver = false;
  #lookedAgain = 0;

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
    this.#background = parts.background;
    this.#looking = new OneAtATime(() => this.#look());
    parts.events.on('heldMayGo', () => this.lookAgainSoon());
    parts.events.on('namesForgotten', () => parts.audit.want());
    parts.events.on('commitsTaken', () => this.#lookAtLeft());
  }

  /** What the audit found is one thing, whatever it is; where its contents are on their way they are counted there. */
  get unsettled(): number {
    return this.#isUnsure && this.#parts.remote.unsettled === 0 ? 1 : 0;
  }

  waiting(): WaitingStatus[] {
    if (!this.#isUnsure) return [];
    return [{ path: null, reason: 'what differs from the volume is being put right' }];
  }

  get #isUnsure(): boolean {
    return this.#isPlacing || (this.#isLeftOver && this.#parts.audit.isWanted);
  }

  /** The folder was looked at whole: from now on things may be put in place. */
  open(): void {
    this.#isOpen = true;
    this.repairSoon();
  }

  lookAgainSoon(): void {
    if (this.#background.isWaiting('held')) return;
    const { held, takeOut } = this.#parts;
    if (held.size === 0 && !takeOut.isWanted) return this.#parts.remote.tellWaiters();
    const since = this.#parts.clock.now() - this.#lookedAgain;
    const pause = milliseconds(Math.max(0, this.#parts.limits.heldPause - since));
    this.#background.after('held', pause, () => this.#lookAgain());
  }

  /** Resolves when all that is held, and all that is to leave the disk, was looked at after this call. */
  lookedAgain(): Promise<void> {
    this.#background.cancel('held');
    return this.#lookAgain();
  }

  repairSoon(): void {
    this.#background.after('repair', milliseconds(0), async () => {
      await this.#repairAll();
    });
  }

  /**
   * Until no conflict asks for anything and the audit has nothing to say, or never seems to: others go on working meanwhile,
   * and who waits here asked for what was before. What conflicts asked for before is waited for, however long it takes.
   */
  async settled(): Promise<void> {
    const { limits, clock } = this.#parts;
    const { signal } = this.#background;
    const end = after(clock.now(), PATIENCE);
    const asked = new Set(this.#asked());
    for (let round = 0; !signal.aborted; round++) {
      const did = await this.#settleOne();
      if (did === 'nothing') return;
      const isLate = round + 1 >= limits.settleRounds || clock.now() >= end;
      if (isLate && !this.#asked().some((id) => asked.has(id))) return;
      await this.#background.delay(did === 'waits' ? limits.settle : limits.heldPause);
      // What is in the way may be a change that nobody has looked at yet: our own on the disk, too.
      if (did === 'waits') await this.#parts.looks.lookNow();
    }
  }

  /** What is not in place is tried once more. Rejects with why something can not be. */
  async placed(): Promise<void> {
    const { unplaced, limits } = this.#parts;
    for (let round = 0; round < limits.settleRounds && unplaced.size > 0; round++) {
      this.#parts.apply.forgive(round === 0 ? 'asked' : 'asked again');
      await this.#lookAgain();
      await this.#parts.remote.come();
      if (unplaced.isDecided || this.#background.signal.aborted) break;
      // It may be a change of its user's that nobody has looked at yet.
      await this.#background.delay(limits.settle);
      await this.#parts.looks.lookNow();
    }
    if (this.#background.signal.aborted) return;
    const error = unplaced.error ?? unplaced.undecided;
    if (error !== null) throw error;
  }

  #asked(): number[] {
    const { feed, volume } = this.#parts;
    return feed.adjustments(volume.id).map(({ id }) => id);
  }

  async #settleOne(): Promise<'did' | 'waits' | 'nothing'> {
    const { feed, volume } = this.#parts;
    if (feed.adjustments(volume.id).length > 0) {
      return (await this.#repairAll()) ? 'did' : 'waits';
    }
    if (this.#auditing !== null) {
      return (await this.#auditing) === 'busy' ? 'waits' : 'did';
    }
    if (this.#looking.isRunning || this.#background.isWaiting('held')) {
      this.#background.cancel('held');
      await this.#lookAgain();
      await this.#parts.remote.come();
      return 'did';
    }
    if (!this.#parts.audit.isWanted) return 'nothing';
    const outcome = await this.#auditAll();
    if (outcome === 'busy') return 'waits';
    return outcome === 'found' ? 'did' : 'nothing';
  }

  async #lookAgain(): Promise<void> {
    if (!this.#isOpen) return;
    await this.#looking.run();
    this.#auditSoon();
  }

  async #look(): Promise<void> {
    try {
      await this.#parts.remote.lookAgain();
      await this.#parts.unfinished.takeAway();
      await this.#parts.takeOut.run();
    } finally {
      this.#lookedAgain = this.#parts.clock.now();
    }
  }

  /** False: something has to wait. */
  #repairAll(): Promise<boolean> {
    if (!this.#isOpen) return Promise.resolve(false);
    this.#repairing ??= this.#repairEach().finally(() => (this.#repairing = null));
    return this.#repairing;
  }

  async #repairEach(): Promise<boolean> {
    const { feed, volume, limits } = this.#parts;
    while (await this.#repairNext());
    const isDone = feed.adjustments(volume.id).length === 0;
    if (!isDone) {
      const pause = this.#parts.repair.isRefused ? limits.retry : limits.settle;
      this.#background.after('repair', pause, async () => {
        await this.#repairAll();
      });
    }
    this.lookAgainSoon();
    this.#auditSoon();
    return isDone;
  }

  /** False: there is none, or it has to wait. */
  async #repairNext(): Promise<boolean> {
    const { feed, volume } = this.#parts;
    const [next] = feed.adjustments(volume.id);
    if (next === undefined || this.#background.signal.aborted) return false;
    await this.#parts.presence.usable();
    // Before anything of it is durable; and once more, for an audit may have come in between.
    this.#parts.audit.want();
    const isDone = await this.#parts.repair.run(next);
    this.#parts.audit.want();
    return isDone;
  }

  /** Nothing else may ever come that they wait for. What is said to fail explains what is held, and is tried again by itself. */
  #lookAtLeft(): void {
    const { audit, held, unplaced } = this.#parts;
    this.#isLeftOver = unplaced.size === 0 && audit.isWanted && held.hasStored;
    if (this.#isLeftOver) this.#auditSoon();
  }

  #auditSoon(): void {
    if (!this.#isOpen || !this.#parts.audit.isWanted) return;
    this.#background.after('audit', this.#parts.limits.audit, async () => {
      await this.#auditAll();
    });
  }

  #auditAll(): Promise<Audited> {
    this.#auditing ??= this.#audit().finally(() => (this.#auditing = null));
    return this.#auditing;
  }

  async #audit(): Promise<Audited> {
    const { audit } = this.#parts;
    if (!audit.isWanted) return 'nothing';
    const outcome = await audit.run();
    if (outcome === 'found') await this.#placeFindings();
    if (outcome === 'busy') this.#auditSoon();
    else this.#judged();
    return outcome;
  }

  /** What is held now waits for good reason. */
  #judged(): void {
    this.#parts.audit.settled();
    this.#isLeftOver = false;
    this.#parts.events.emit('statusChanged');
  }

  async #placeFindings(): Promise<void> {
    const { events } = this.#parts;
    this.#isPlacing = true;
    events.emit('statusChanged');
    try {
      await this.#lookAgain();
      await this.#parts.remote.come();
    } finally {
      this.#isPlacing = false;
      events.emit('statusChanged');
    }
  }
}
