/**
 * Maintenance of a running server: contents that no row needs are collected once a day, when the disk runs short, and when an administrator
 * asks; the reserve of the disk is kept or given up; scheduled snapshots are made; and questions of an administrator about quotas are answered.
 *
 * One look at a time, and one collection: what comes up meanwhile is met by the next look. Nothing that fails here ends the server: it is
 * said in the log, and tried again.
 */
import type { WallTime } from '../../shared/model/time.ts';
import type { Digest } from '../../shared/model/vnode.ts';
import type { Clock, TimerHandle, Timers } from '../../shared/ports/clock.ts';
import type { Host } from '../../shared/ports/host.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { Sqlite } from '../../shared/sqlite/database.ts';
import type { FreeDiskSpace } from '../../shared/system/free-disk.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { collectContents, type Collected } from './collect/collect-contents.ts';
import * as requests from './collect/collection-requests.ts';
import { endRemovedVolumes } from './volumes/removed-volumes.ts';
import { makeScheduled } from './volumes/snapshot-schedules.ts';
import { takeQuestion, writeKept, type ReservedQuota } from './quota/quota-questions.ts';
import type { PackedContentStore } from '../adapters/content-packs/content-packs.ts';
import { forgetContents, pagesOfNamed } from '../adapters/meta-sqlite/contents-named.ts';
import { lockMaintenance, type DataFolder } from '../data-folder.ts';
import type { DiskReserve } from './disk-reserve.ts';
import {
  COLLECTION_PERIOD,
  COLLECTION_SPACING,
  HOUSE_POLL,
  LOW_DISK_BYTES,
  LOW_DISK_SHARE,
  READERS_WAIT,
} from '../limits.ts';
import { UNNAMED_DAYS } from './check/check.ts';

export interface SchedulerParts {
  readonly folder: DataFolder;
  /** A connection of its own. The scheduler closes it. */
  readonly database: Sqlite;
  readonly host: Host;
  readonly contents: PackedContentStore;
  /** Contents of stores that are on their way, in this very moment. */
  readonly inUse: () => Iterable<Digest>;
  /** Of quotas, in this very moment. */
  readonly kept: () => readonly ReservedQuota[];
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly reserve: DiskReserve;
  /** Of the disk that the contents are on. */
  readonly room: () => FreeDiskSpace;
}

type Reason = 'daily' | 'disk' | 'asked';

const DAY_MS = 86_400_000;
/** Steps of a collection that follow each other; then others have their turn. */
const TURN = 0;

class Closed extends Error {}

/**
 * Runs the periodic maintenance of a server: collections, the disk reserve, and questions of
 * commands.
 */
export class MaintenanceScheduler {
  readonly #parts: SchedulerParts;
  #timer: TimerHandle | null = null;
  #looking: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** Of the database, as last seen. */
  #dataVersion: number | null = null;
  /** When the last collection began that no administrator had asked for. */
  #lastOwn: number | null = null;
  #isShort = false;
  /** That snapshots can't be made is in the log already. */
  #makesNone = false;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

  /** The first look comes a moment later: a start is not held up. */
  start(): void {
    this.#arm();
  }

  /** When what is under way has come to a point where it may end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#looking;
    this.#parts.database.close();
  }

  #arm(): void {
    if (this.#isClosed) return;
    this.#timer = this.#parts.timers.start(HOUSE_POLL, () => {
      this.#looking = this.look().finally(() => this.#arm());
    });
  }

  /** For tests; otherwise the timer's. */
  async look(): Promise<void> {
    try {
      const room = this.#parts.room();
      await this.#parts.reserve.adapt(room);
      this.#sayHowFull(room);
      this.#makeSnapshots();
      await this.#collectWhatIsDue();
    } catch (error) {
      if (!(error instanceof Closed)) this.#failed('the house could not be kept', error);
    }
  }

  #sayHowFull({ free, total }: FreeDiskSpace): void {
    const isShort = free < Math.min(LOW_DISK_BYTES, total * LOW_DISK_SHARE);
    if (isShort && !this.#isShort) {
      const { path } = this.#parts.folder;
      this.#parts.log.warn('the disk runs short', { folder: path, free, total });
    }
    this.#isShort = isShort;
  }

  /** As the schedules of the volumes say. What can't be written now is tried again at the next look. */
  #makeSnapshots(): void {
    const { database, clock, log } = this.#parts;
    try {
      const { made, failed } = makeScheduled(database, clock.wall());
      for (const snapshot of made) log.info('a snapshot was made', { snapshot });
      for (const snapshot of failed) log.warn('a snapshot could not be made', { snapshot });
      this.#makesNone = false;
    } catch (error) {
      if (!this.#makesNone) this.#failed('snapshots could not be made', error);
      this.#makesNone = true;
    }
  }

  async #collectWhatIsDue(): Promise<void> {
    const request = this.#request();
    if (request !== null) await this.#collectFor(request);
    else if (this.#mayBeginAnother()) {
      if (this.#isShort) await this.#collectByItself('disk');
      else if (this.#isDayOver()) await this.#collectByItself('daily');
    }
  }

  #request(): requests.CollectionRequest | null {
    const { database } = this.#parts;
    const version = database.pragma('data_version', { simple: true }) as number;
    if (version === this.#dataVersion) return null;
    this.#dataVersion = version;
    const question = takeQuestion(database);
    if (question !== null) writeKept(database, question, this.#parts.kept());
    return requests.takeRequest(database);
  }

  async #collectFor({ id, days }: requests.CollectionRequest): Promise<void> {
    const { database } = this.#parts;
    requests.writeOutcome(database, { id, state: 'taken' });
    try {
      const collected = await this.#collect('asked', days);
      requests.writeOutcome(database, { id, state: 'done', collected });
    } catch (error) {
      const code = error instanceof GodwitError ? error.code : 'internal';
      const message = error instanceof Error ? error.message : String(error);
      requests.writeOutcome(database, { id, state: 'failed', code, message });
      if (code === 'internal') throw error;
    }
  }

  #mayBeginAnother(): boolean {
    const now = this.#parts.clock.now();
    return this.#lastOwn === null || now - this.#lastOwn >= COLLECTION_SPACING;
  }

  /** A server that never collected begins to count. */
  #isDayOver(): boolean {
    const { database, clock } = this.#parts;
    const last = requests.lastCollection(database);
    if (last === null) requests.rememberCollection(database, clock.wall());
    // A clock that went back collects once too often rather than not for years.
    return last !== null && Math.abs(clock.wall() - last) >= COLLECTION_PERIOD;
  }

  async #collectByItself(reason: Reason): Promise<void> {
    this.#lastOwn = this.#parts.clock.now();
    try {
      await this.#collect(reason, UNNAMED_DAYS);
    } catch (error) {
      // A backup is made just now: the next time, then.
      if (!(error instanceof GodwitError && error.code === 'upkeep-running')) throw error;
    }
  }

  async #collect(reason: Reason, days: number): Promise<Collected> {
    const { folder, host, database, contents, inUse, clock, log } = this.#parts;
    const maintenance = lockMaintenance(folder, host);
    const began = clock.now();
    try {
      const now = clock.wall();
      const ended = await endRemovedVolumes(database, now, () => this.#pause(TURN));
      if (ended.length > 0) log.info('removed volumes have ended', { volumes: ended.join(', ') });
      const collected = await collectContents(contents, {
        forget: (digests) => forgetContents(database, digests),
        named: () => pagesOfNamed(database, now),
        inUse,
        before: now - days * DAY_MS,
        breathe: () => this.#pause(TURN),
        readersAreIn: () => this.#pause(READERS_WAIT),
      });
      log.info('contents were collected', { reason, ...collected, ms: clock.now() - began });
      this.#remember(now);
      return collected;
    } finally {
      maintenance.release();
    }
  }

  /** It is done, whether that can be written or not. */
  #remember(now: WallTime): void {
    try {
      requests.rememberCollection(this.#parts.database, now);
    } catch (error) {
      this.#failed('a collection could not be remembered', error);
    }
  }

  /** Rejects when the server closes. */
  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#parts.timers.start(ms as typeof HOUSE_POLL, resolve);
    await promise;
    if (this.#isClosed) throw new Closed('the server closes');
  }

  #failed(what: string, error: unknown): void {
    const code = error instanceof GodwitError ? error.code : '';
    this.#parts.log.error(what, { code, error: String(error) });
  }
}
