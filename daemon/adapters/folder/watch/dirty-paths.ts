/**
 * Paths that may have changed, each until it has settled and was looked at.
 *
 * A path is due when it has been quiet for the settle time. What is found changed then must also have looked the same a
 * settle time before, or have a change time that far back; else it waits again, and nothing else waits for it.
 *
 * A file that is known and was written in place need not: it is looked at sooner, and has settled where nobody has it open to write. As long as
 * somebody has, it is looked at again, each time after twice as long, so that it waits no longer than it took to write. It is taken so once in a
 * while only: one that is written in several goes is taken when it rests. What was quiet for the settle time since is no further go, but another save.
 *
 * A new file that is too large for a step of a safe save, and that nobody has open to write, is taken sooner as well.
 *
 * A new file that somebody still has open to write is no use to anybody as it is: it waits for longer, though not for ever.
 *
 * Who flushes says that what is there is meant: a large file that nobody has open to write has settled then, too.
 */
import {
  elapsed,
  milliseconds,
  type Duration,
  type Instant,
  type WallTime,
} from '../../../../shared/model/time.ts';
import { tickOf, type DiskFacts } from '../disk/disk-facts.ts';
import type { FolderLimits } from '../folder-limits.ts';

export type SettleLimits = Pick<
  FolderLimits,
  'settle' | 'settleOpen' | 'openMost' | 'rest' | 'tick' | 'restNew' | 'restPause' | 'restPaths'
>;

interface Dirty {
  due: number;
  /** What was seen when it was last looked at and had not settled, and since when. */
  seen: { readonly what: string; readonly since: Instant } | null;
  /** The watcher saw it happen: a removal of it is meant. */
  live: boolean;
  /** What is beneath may have changed too. */
  deep: boolean;
  /** It is a file that was known when something happened to it. */
  known: boolean;
  /** The number of the last hint. */
  hint: number;
  /** The inode that stands there; null: none. undefined: nobody has asked since the last hint. */
  stands: string | null | undefined;
  /** It is new, has waited for its writer since then, and would have settled else. */
  openSince: Instant | null;
}

/** How what is at a path is looked at. */
interface Look {
  readonly now: Instant;
  readonly wall: WallTime;
  /** Nobody writes it, as far as can be told. */
  readonly rests: () => boolean;
  /** Who flushes means it: that it rests is enough. */
  readonly isWanted?: boolean;
  /** It is new, and no step of something. */
  readonly isLarge?: boolean;
  /** Of a new file: somebody has it open to write, as is known. Left out: that does not count. */
  readonly isOpen?: (() => boolean) | undefined;
}

/** A path that is looked at soon. */
interface Soon {
  /** When something of it happened last that counts. */
  at: number;
  /** When it was written last, as far as is known. */
  hinted: number;
  /** It is looked at then at the earliest, and so long after that if it is still being written. */
  next: number;
  pause: number;
  taken: boolean;
}

/** Milliseconds. No timer rings earlier. */
const SOONEST = 1;

/** Keeps the paths that may have changed, and tells when each is due. */
export class DirtyPaths {
  readonly #limits: SettleLimits;
  readonly #paths = new Map<string, Dirty>();
  /** The one of which something happened longest ago first. */
  readonly #soon = new Map<string, Soon>();
  #hints = 0;
  /** How many are files that were known. */
  #known = 0;
  /** How many are directly in a directory. */
  readonly #in = new Map<string, number>();
  /** Nobody has asked yet what stands there. */
  readonly #unasked = new Set<string>();
  /** By inode: the paths at which it stands. */
  readonly #standing = new Map<string, Set<string>>();

  constructor(limits: SettleLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#paths.size;
  }

  hint(
    path: string,
    now: Instant,
    how: {
      readonly live: boolean;
      readonly deep?: boolean;
      readonly known?: boolean;
      readonly delay?: Duration;
    },
  ): void {
    const { live, deep = false, known = false, delay = this.#limits.settle } = how;
    const dirty = this.#paths.get(path);
    this.#hints += 1;
    // Set anew, so that the order is that of the last events.
    this.#remove(path);
    this.#set(path, {
      stands: undefined,
      due: now + delay,
      seen: dirty?.seen ?? null,
      live: live || dirty?.live === true,
      deep: deep || dirty?.deep === true,
      known: known || dirty?.known === true,
      hint: this.#hints,
      openSince: dirty?.openSince ?? null,
    });
  }

  /**
   * How soon after a hint a known file is looked at; now and then before it has settled, but not where many known files wait. New ones don't count: who
   * copies many into the folder keeps no save waiting.
   */
  delayOf(path: string, now: Instant): Duration {
    const { settle, rest, restPause, restPaths } = this.#limits;
    const soon = this.#soon.get(path);
    if (soon !== undefined && now - soon.at < restPause && !isSavedAnew(soon, now, settle)) {
      soon.hinted = now;
      return soon.taken ? settle : milliseconds(Math.max(rest, soon.next - now));
    }
    if (this.#known >= restPaths) return settle;
    for (const [other, { at }] of this.#soon) {
      if (now - at < restPause) break;
      this.#soon.delete(other);
    }
    this.#happened(path, { at: now, hinted: now, next: now + rest, pause: rest, taken: false });
    return rest;
  }

  /** The same of a name that is not known. */
  delayOfNew(): Duration {
    const { settle, restNew, restPaths } = this.#limits;
    return this.#paths.size < restPaths && restNew < settle ? restNew : settle;
  }

  #happened(path: string, soon: Soon): void {
    this.#soon.delete(path);
    this.#soon.set(path, soon);
  }

  /** Stands for now: hints after it are not forgotten by `done`. */
  mark(): number {
    return this.#hints;
  }

  /** Paths that are due now, the longest quiet first. They stay until `done` or hinted anew. */
  due(now: Instant, count: number): string[] {
    const due: string[] = [];
    for (const [path, dirty] of this.#paths) {
      if (due.length >= count) break;
      if (dirty.due <= now) due.push(path);
    }
    return due;
  }

  /** When the next path is due; null: there is none. */
  nextDue(): number | null {
    let next: number | null = null;
    for (const { due } of this.#paths.values()) if (next === null || due < next) next = due;
    return next;
  }

  paths(): string[] {
    return [...this.#paths.keys()];
  }

  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /** The path was looked at after `mark`. */
  done(path: string, mark: number): void {
    if ((this.#paths.get(path)?.hint ?? 0) <= mark) this.#remove(path);
  }

  /**
   * Whether the inode stands at one of the paths, but for those of `besides`. `factsAt` is asked once after each hint of a path, so a pass
   * costs what has happened since the one before, and not all that waits.
   */
  standsElsewhere(
    inode: string,
    besides: ReadonlySet<string>,
    factsAt: (path: string) => DiskFacts | null,
  ): boolean {
    for (const path of this.#unasked) this.#ask(path, factsAt);
    for (const path of this.#standing.get(inode) ?? []) if (!besides.has(path)) return true;
    return false;
  }

  #ask(path: string, factsAt: (path: string) => DiskFacts | null): void {
    this.#unasked.delete(path);
    const dirty = this.#paths.get(path);
    if (dirty === undefined) return;
    dirty.stands = factsAt(path)?.inode ?? null;
    if (dirty.stands === null) return;
    const paths = this.#standing.get(dirty.stands) ?? new Set();
    this.#standing.set(dirty.stands, paths.add(path));
  }

  /** How many of the paths are directly in a directory. */
  countIn(directory: string): number {
    return this.#in.get(directory) ?? 0;
  }

  /** In which time one of them is due; as soon as that is within the settle time, that is told. */
  delayIn(directory: string, now: Instant): Duration {
    const { settle } = this.#limits;
    let next = Number.POSITIVE_INFINITY;
    for (const [path, { due }] of this.#paths) {
      if (path === '' || due >= next || directoryOf(path) !== directory) continue;
      next = due;
      if (next <= now + settle) return settle;
    }
    return next === Number.POSITIVE_INFINITY ? settle : milliseconds(next - now);
  }

  #set(path: string, dirty: Dirty): void {
    const before = this.#paths.get(path);
    if (before === undefined && path !== '') this.#countIn(directoryOf(path), 1);
    this.#known += Number(dirty.known) - Number(before?.known ?? false);
    this.#paths.set(path, dirty);
    if (dirty.stands === undefined) this.#unasked.add(path);
  }

  #remove(path: string): void {
    const dirty = this.#paths.get(path);
    if (dirty === undefined) return;
    this.#paths.delete(path);
    this.#unasked.delete(path);
    this.#known -= Number(dirty.known);
    if (path !== '') this.#countIn(directoryOf(path), -1);
    if (typeof dirty.stands !== 'string') return;
    const paths = this.#standing.get(dirty.stands);
    paths?.delete(path);
    if (paths?.size === 0) this.#standing.delete(dirty.stands);
  }

  #countIn(directory: string, by: 1 | -1): void {
    const count = this.countIn(directory) + by;
    if (count === 0) this.#in.delete(directory);
    else this.#in.set(directory, count);
  }

  isDeep(path: string): boolean {
    return this.#paths.get(path)?.deep === true;
  }

  /** The path, or something it lies in, was seen to change. */
  isLive(path: string): boolean {
    for (let at = path; ; at = at.slice(0, at.lastIndexOf('/'))) {
      if (this.#paths.get(at)?.live === true) return true;
      if (!at.includes('/')) return false;
    }
  }

  /** Has what is at the path settled? Where not, it is due again in a settle time. */
  isStable(path: string, facts: DiskFacts, look: Look): boolean {
    const { now, wall, rests, isWanted = false, isLarge = false } = look;
    const { settle, rest, restNew, tick } = this.#limits;
    const age = wall - Number(BigInt(facts.ctime) / 1000n) / 1000;
    const coarse = tickOf(facts);
    // What changes in the same tick of the disk's clock would not show: it is looked at when that is over.
    if (age >= 0 && age < coarse) return this.#lookLater(path, now, { due: now + coarse - age });
    if (age >= settle) return !this.#waitsForWriter(path, age, look);
    // As old as that, for a change in the same tick of the clock would not show.
    if (isWanted && age >= rest && rests()) return true;
    if (isLarge && age >= restNew && rests()) return true;
    const soon = this.#soon.get(path);
    if (soon !== undefined && age >= tick && rests()) {
      const hinted = Math.max(soon.hinted, now - age);
      this.#happened(path, { ...soon, at: now, hinted, taken: true });
      return true;
    }
    const what = `${facts.inode} ${facts.size} ${facts.mtime} ${facts.ctime}`;
    const dirty = this.#paths.get(path);
    const before = dirty?.seen ?? null;
    const seen = before?.what === what ? before : { what, since: now };
    const isQuiet = elapsed(seen.since, now) >= settle;
    if (dirty !== undefined && isQuiet && dirty.due <= now) return true;
    const looked = Math.max(seen.since + settle, seen === before ? (dirty?.due ?? 0) : 0);
    // A new name, and who flushes, is looked at before that: its age tells sooner.
    const old = isLarge && age < restNew ? restNew : settle;
    const quiet = Math.min(looked, now + old - age);
    const isSoon = soon !== undefined && !soon.taken;
    const due = isSoon ? Math.min(this.#lookAgain(path, soon, now), quiet) : quiet;
    return this.#lookLater(path, now, { due, seen });
  }

  /** It has not settled: it is due at that moment, but never in this one, so no pass finds the same paths for ever. */
  #lookLater(path: string, now: Instant, again: Pick<Dirty, 'due'> & Partial<Dirty>): false {
    const { seen = null, live = false, deep = false } = this.#paths.get(path) ?? {};
    const { known = false } = this.#paths.get(path) ?? {};
    const { hint = this.#hints, openSince = null, stands } = this.#paths.get(path) ?? {};
    const due = Math.max(again.due, now + SOONEST);
    this.#set(path, { seen, live, deep, known, hint, openSince, stands, ...again, due });
    return false;
  }

  /** Not where it was quiet for long, or has waited for too long: `age`, since when nothing has happened to it. */
  #waitsForWriter(path: string, age: number, { now, isOpen }: Look): boolean {
    const { settle, settleOpen, openMost } = this.#limits;
    if (isOpen === undefined || age >= settleOpen) return false;
    const dirty = this.#paths.get(path);
    const openSince = dirty?.openSince ?? now;
    if (elapsed(openSince, now) >= openMost || !isOpen()) return false;
    this.#lookLater(path, now, { due: now + settle, openSince });
    return true;
  }

  /** It is being written still. Gives when it is looked at again. */
  #lookAgain(path: string, { pause }: Soon, now: Instant): number {
    const longer = Math.min(2 * pause, this.#limits.settle);
    const next = now + longer;
    this.#happened(path, { at: now, hinted: now, next, pause: longer, taken: false });
    return next;
  }
}

/** It was taken, and then nothing happened to it for as long as what is at any path must be quiet to have settled. */
function isSavedAnew({ taken, hinted }: Soon, now: Instant, settle: Duration): boolean {
  return taken && now - hinted >= settle;
}

/** Of a path; '' is the root. */
export function directoryOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}
