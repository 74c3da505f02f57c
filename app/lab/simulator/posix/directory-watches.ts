/**
 * Watches of directories on the simulated kernel, as inotify has them, and what goes wrong with those: events that come late, those that are merged
 * or told in another order, a queue that runs over (told, or without a word), and no more watches. They come by simulated time, never from inside of
 * a call. Of one directory the order stays.
 */
import type {
  DirectoryEvent,
  DirectoryEvents,
  DirectoryWatches,
} from '../../../../shared/ports/host.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { Schedule } from '../clock/virtual-time.ts';
import type { Inode } from './inode.ts';
import type { ChangeObserver, Kernel } from './kernel.ts';
import { fail } from './kernel-error.ts';
import { READ, requireAccess } from './access-rights.ts';
import { shownName, takenPath } from './path-bytes.ts';
import { PathWalk } from './path-walk.ts';
import type { SimulatedProgramCalls } from './simulated-program-calls.ts';

/** What is wrong with watches for now, as plain data. Faults change it while they last. */
export interface WatchTroubles {
  /** Milliseconds that events take at most; they take less by chance. */
  mostDelay: number;
  /** What happened in different directories is told in another order. */
  isReordered: boolean;
  /** Events that wait at most. */
  mostQueued: number;
  /** Whether a loss is told. */
  isLossTold: boolean;
  /** Of an event: that it is lost without a word. */
  lossChance: number;
  /** Watches that the user may have; ENOSPC beyond. */
  mostWatches: number;
  /** Sets of watches that the user may have; EMFILE beyond. */
  mostSets: number;
}

/** As a healthy system has it. */
export function noWatchTroubles(): WatchTroubles {
  return {
    mostDelay: 5,
    isReordered: false,
    mostQueued: 16_384,
    isLossTold: true,
    lossChance: 0,
    mostWatches: 65_536,
    mostSets: 128,
  };
}

export interface WatchWorld {
  readonly schedule: Pick<Schedule, 'in'>;
  readonly random: SeededRandom;
  readonly troubles: WatchTroubles;
}

/** The watches of all processes of a user: they share what the system gives. */
export class WatchSystem {
  readonly world: WatchWorld;
  readonly sets = new Set<SimulatedWatches>();

  constructor(world: WatchWorld) {
    this.world = world;
  }

  get count(): number {
    return [...this.sets].reduce((sum, set) => sum + set.count, 0);
  }

  /** Throws EMFILE. They end with the process, which closes them then. */
  open(calls: SimulatedProgramCalls, events: DirectoryEvents): SimulatedWatches {
    if (this.sets.size >= this.world.troubles.mostSets) fail('EMFILE');
    return new SimulatedWatches(this, calls, events);
  }

  /** The process is gone, and nothing is told to it. */
  endOf(calls: SimulatedProgramCalls): void {
    for (const set of [...this.sets]) if (set.calls === calls) set.close();
  }
}

/** Fulfils the contract of `DirectoryWatches`. */
export class SimulatedWatches implements DirectoryWatches, ChangeObserver {
  readonly calls: SimulatedProgramCalls;
  readonly #system: WatchSystem;
  readonly #events: DirectoryEvents;
  readonly #kernel: Kernel;
  readonly #numbers = new Map<Inode, number>();
  #next = 1;
  #queue: DirectoryEvent[] = [];
  #isLost = false;
  #isDue = false;
  #isClosed = false;

  constructor(system: WatchSystem, calls: SimulatedProgramCalls, events: DirectoryEvents) {
    this.calls = calls;
    this.#system = system;
    this.#events = events;
    this.#kernel = calls.kernel;
    system.sets.add(this);
    this.#kernel.observers.add(this);
  }

  get count(): number {
    return this.#numbers.size;
  }

  add(path: string, follow: boolean): number {
    return this.calls.call('inotify_add_watch', () => this.#add(path, follow), path);
  }

  #add(path: string, follow: boolean): number {
    const caller = this.calls.process;
    if (this.#isClosed) return fail('EBADF');
    const place = new PathWalk(this.#kernel, caller).place(takenPath(path), follow);
    const { inode } = place;
    if (inode.kind !== 'directory') return fail('ENOTDIR');
    this.#kernel.meet('watch', place);
    requireAccess(caller, inode, READ);
    const known = this.#numbers.get(inode);
    if (known !== undefined) return known;
    if (this.#system.count >= this.#system.world.troubles.mostWatches) return fail('ENOSPC');
    const number = this.#next++;
    this.#numbers.set(inode, number);
    return number;
  }

  remove(watch: number): void {
    for (const [inode, number] of this.#numbers) {
      if (number === watch) this.ended(inode);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#numbers.clear();
    this.#queue = [];
    this.#kernel.observers.delete(this);
    this.#system.sets.delete(this);
  }

  named(directory: Inode, name: string, isDirectory: boolean): void {
    const watch = this.#numbers.get(directory);
    if (watch === undefined) return;
    this.#tell({ watch, name: shownName(name), isDirectory, isEnded: false });
  }

  self(inode: Inode): void {
    const watch = this.#numbers.get(inode);
    if (watch !== undefined) this.#tell({ watch, name: null, isDirectory: true, isEnded: false });
  }

  ended(inode: Inode): void {
    const watch = this.#numbers.get(inode);
    if (watch === undefined) return;
    this.#numbers.delete(inode);
    this.#tell({ watch, name: null, isDirectory: false, isEnded: true });
  }

  #tell(event: DirectoryEvent): void {
    const { troubles, random } = this.#system.world;
    if (troubles.lossChance > 0 && random.chance(troubles.lossChance)) return;
    const last = this.#queue.at(-1);
    const isSame =
      last?.watch === event.watch && last.name === event.name && last.isEnded === event.isEnded;
    if (isSame) return;
    if (this.#queue.length >= troubles.mostQueued) {
      this.#isLost ||= troubles.isLossTold;
      if (!this.#isLost) return;
    } else this.#queue.push(event);
    this.#plan();
  }

  #plan(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const { schedule, random, troubles } = this.#system.world;
    schedule.in(random.fraction() * troubles.mostDelay, 'watches tell', () => this.#deliver());
  }

  #deliver(): void {
    this.#isDue = false;
    const queue = this.#ordered();
    this.#queue = [];
    const isLost = this.#isLost;
    this.#isLost = false;
    for (const event of queue) {
      if (this.#isClosed) return;
      this.#events.happened(event);
    }
    if (isLost && !this.#isClosed) this.#events.lost();
  }

  #ordered(): readonly DirectoryEvent[] {
    const { random, troubles } = this.#system.world;
    if (!troubles.isReordered) return this.#queue;
    const byWatch = Map.groupBy(this.#queue, ({ watch }) => watch);
    return random.shuffled([...byWatch.keys()]).flatMap((watch) => byWatch.get(watch) ?? []);
  }
}
