/** The queue of a fake volume as people see it, and what they ask of it (shared/control/queue.ts). What a test sets is told instead. */
import { QUEUE_PAGE } from '../../daemon/limits.ts';
import { pathQueueOf } from '../../daemon/core/log/path-queue.ts';
import type {
  PathQueue,
  QueueRequest,
  QueueEntry,
  QueueOrder,
  QueueOutcome,
  QueueReport,
} from '../../shared/control/queue.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { namedVolume } from './fake-checks.ts';
import type { Queued } from './fake-queue.ts';
import type { FakeVolume } from './fake-volume.ts';

const LISTINGS_KEPT = 4;

/** The queue commands of a fake volume. */
export class FakeQueueReport {
  /** The queue that a test sets; null computes it. */
  set: QueueReport | null = null;
  readonly #volume: FakeVolume;
  readonly #listings = new Map<number, readonly QueueEntry[]>();
  #last = 1000;

  constructor(volume: FakeVolume) {
    this.#volume = volume;
  }

  get now(): QueueReport {
    if (this.set !== null) return this.set;
    const { queue, connected, paused } = this.#volume;
    const entries = queue.map((queued, at) => this.#entry(queued, queue.slice(0, at)));
    return { total: queue.length, entries, why: paused ? 'paused' : connected ? null : 'away' };
  }

  /** Throws `listing-gone`. */
  page({ most, from = 0, of, listing = this.#begin() }: QueueRequest): QueueReport {
    const listed = this.#listings.get(listing);
    if (listed === undefined) throw new GodwitError('listing-gone');
    const { total, entries, why } = this.now;
    const part = listed.filter(
      ({ kind }) => of === undefined || (kind === 'store') === (of === 'data'),
    );
    const page = part.slice(from, from + Math.min(most, QUEUE_PAGE));
    const present = new Map(page.map(({ number }) => [number, null as QueueEntry | null]));
    for (const entry of entries) if (present.has(entry.number)) present.set(entry.number, entry);
    const end = from + page.length;
    return {
      total: of === undefined ? Math.max(total, listed.length) : part.length,
      entries: [...present.values()].filter((entry) => entry !== null),
      ...{ why, listing, next: end < part.length ? end : null },
    };
  }

  /** Throws `no-such-volume`. */
  at(volume: string, path: readonly string[]): PathQueue {
    namedVolume(volume);
    return pathQueueOf(
      this.now.entries.filter(
        (entry) => entry.volume === volume && isUnder(entry.path, path.join('/')),
      ),
    );
  }

  /** Throws `not-queued`, `no-such-volume`, `update-needed`. */
  order({ act, target, withDependents }: QueueOrder): QueueOutcome {
    const { entries, why } = this.now;
    const found = entries.filter(({ number, path }) => {
      if ('number' in target) return number === target.number;
      return isUnder(path, target.path.join('/'));
    });
    if ('volume' in target) namedVolume(target.volume);
    if (found.length === 0) throw new GodwitError('not-queued');
    const named = found.map(({ number }) => number);
    const others = act === 'cancel' ? dependents(entries, named) : prerequisites(entries, named);
    if (act === 'cancel' && others.size > 0 && !withDependents) {
      throw new GodwitError('update-needed');
    }
    const all = new Set([...named, ...(act === 'later' ? [] : others)]);
    this.#stand(all, act);
    return { updates: named.length, others: all.size - named.length, underWay: 0, why };
  }

  /** Ends all delays. */
  hurry(): void {
    for (const queued of this.#volume.queue) queued.delayed = false;
    this.#volume.goOn();
  }

  #stand(numbers: ReadonlySet<number>, act: QueueOrder['act']): void {
    const { queue } = this.#volume;
    const meant = queue.filter(({ number }) => numbers.has(number));
    const rest = queue.filter(({ number }) => !numbers.has(number));
    for (const queued of meant) {
      queued.aside = act === 'cancel';
      queued.turn = act === 'cancel' ? null : act;
    }
    const ordered = { now: [...meant, ...rest], later: [...rest, ...meant], cancel: [...queue] };
    queue.splice(0, queue.length, ...ordered[act]);
    this.#volume.goOn();
  }

  #begin(): number {
    this.#last += 1;
    this.#listings.set(this.#last, this.now.entries);
    this.#listings.delete(this.#last - LISTINGS_KEPT);
    return this.#last;
  }

  #entry({ update, number, aside, delayed, turn }: Queued, before: readonly Queued[]): QueueEntry {
    const dirs = 'dir' in update ? [update.dir] : update.op === 'rename' ? [update.toDir] : [];
    const needs = new Set([update.fid, ...dirs]);
    const waitsFor = before.filter((earlier) => needs.has(earlier.update.fid));
    const isStore = update.op === 'store';
    const waits = waitsFor.length > 0 ? 'waiting' : delayed ? 'delayed' : 'ready';
    return {
      ...{ number, volume: this.#volume.info.name, path: this.#volume.pathOf(update.fid) },
      ...{ kind: update.op, priorityClass: isStore ? 'STORE_DATA' : 'STORE_ATTR' },
      ...{ bytes: isStore ? update.size : 0, sentBytes: 0, turn, reason: null, seconds: null },
      state: aside ? 'cancelled' : waits,
      waitsFor: waitsFor.map((earlier) => earlier.number),
      until: delayed ? new Date().toISOString() : null,
    };
  }
}

const isUnder = (path: string, above: string): boolean =>
  above === '' || path === above || path.startsWith(`${above}/`);

/** The updates that these depend on, directly or not. */
function prerequisites(entries: readonly QueueEntry[], named: readonly number[]): Set<number> {
  const found = new Set<number>();
  for (const { number, waitsFor } of [...entries].reverse()) {
    if (named.includes(number) || found.has(number)) for (const each of waitsFor) found.add(each);
  }
  return new Set([...found].filter((number) => !named.includes(number)));
}

/** The updates that depend on these, directly or not. */
function dependents(entries: readonly QueueEntry[], named: readonly number[]): Set<number> {
  const found = new Set(named);
  for (const { number, waitsFor } of entries) {
    if (waitsFor.some((each) => found.has(each))) found.add(number);
  }
  return new Set([...found].filter((number) => !named.includes(number)));
}
