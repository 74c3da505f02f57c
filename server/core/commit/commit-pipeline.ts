/**
 * Group commit: the rows of many steps become durable in one transaction. The server has one pipeline, for the rows of all volumes.
 *
 * Invariants
 * 1. One group is committing at a time, and groups become durable in the order of their ids. An id is never used twice.
 * 2. A group closes when none is committing and every load of updates that had begun when its first row was staged is answered: what came in together
 *    is written together, and nothing waits for what comes later. Where somebody waits for the group after it (`full`), it waits for no load,
 *    but for those of devices that add little (`waitsFor`), if they had begun when it could have closed.
 * 3. A load under way when a group fails was perhaps decided upon with rows that are void: it is begun again.
 * 4. Rows of a durable group stay in the overlays while a load is under way that began before (overlay.ts).
 */
import type { RowKey, RowWrite } from '../../../shared/model/stored.ts';
import { assert, present } from '../../../shared/util/assert.ts';
import { MAX_GROUP_WRITES } from '../../limits.ts';
import type { Overlay } from './overlay.ts';

/** Rows that become durable together. */
export interface CommitGroup {
  readonly id: number;
  readonly writes: RowWrite[];
  /** The newest load when its first row was staged: it waits for those that may add to it. */
  closeAfter: number;
  /** The newest load when it could have closed first: it lets those of devices that add little in, up to this one. null: it could not yet. */
  letsIn: number | null;
  /** Where its rows are to be seen. */
  readonly overlays: Set<Overlay>;
}

/** Rows that are asked for, and what they are for. */
export interface Load<Job> {
  readonly keys: readonly RowKey[];
  readonly job: Job;
}

/** A durable group whose rows a load under way may lack: `ticket` is the newest such load. */
interface Retiring extends Pick<CommitGroup, 'id' | 'overlays'> {
  readonly ticket: number;
}

/** Collects staged rows into groups, and says which group is to be committed next. */
export class CommitPipeline<Job, Group extends CommitGroup> {
  readonly #makeGroup: (id: number) => Group;
  #collecting: Group;
  #committing: Group | null = null;
  #durable = 0;
  #lastTicket = 0;
  /** In the order in which they began. */
  readonly #loads = new Map<number, Load<Job>>();
  /** Those of them whose rows will be staged, about in that order, without those that rest. */
  readonly #adding = new Set<number>();
  /** Those of them whose devices add little. */
  readonly #small = new Set<number>();
  readonly #retiring: Retiring[] = [];

  constructor(makeGroup: (id: number) => Group) {
    this.#makeGroup = makeGroup;
    this.#collecting = makeGroup(1);
  }

  /** Takes the rows of this step. */
  get collecting(): Group {
    return this.#collecting;
  }

  get committing(): Group | null {
    return this.#committing;
  }

  /** The newest durable group. */
  get durable(): number {
    return this.#durable;
  }

  /** The newest group that has rows; 0: there was none. */
  get newest(): number {
    if (this.#collecting.writes.length > 0) return this.#collecting.id;
    return this.#committing?.id ?? this.#durable;
  }

  /** Nothing is staged that is not durable. */
  get isIdle(): boolean {
    return this.#committing === null && this.#collecting.writes.length === 0;
  }

  /** Loads that are not answered, and durable groups that wait for some of them. */
  get left(): { readonly loads: number; readonly retiring: number } {
    return { loads: this.#loads.size, retiring: this.#retiring.length };
  }

  /** The group to wait for, so that what this one stages is durable; null: it is. */
  notDurable(id: number): Group | null {
    if (id <= this.#durable) return null;
    return this.#committing?.id === id ? this.#committing : this.#collecting;
  }

  /** Adds a row to the group that is being collected. */
  stage(write: RowWrite): void {
    const group = this.#collecting;
    if (group.writes.length === 0) group.closeAfter = this.#lastTicket;
    group.writes.push(write);
  }

  /** `adds`: what it brings is staged, so it makes a group longer. Its ticket. */
  beginLoad(load: Load<Job>, adds: boolean): number {
    this.#lastTicket += 1;
    this.#loads.set(this.#lastTicket, load);
    if (adds) this.#adding.add(this.#lastTicket);
    return this.#lastTicket;
  }

  /** The load that a ticket stands for, or null where it was begun again since. */
  endLoad(ticket: number): Load<Job> | null {
    const load = this.#loads.get(ticket) ?? null;
    this.#loads.delete(ticket);
    this.#adding.delete(ticket);
    this.#small.delete(ticket);
    return load;
  }

  /** The device of this load adds little: the next group to close lets its rows in. */
  waitsFor(ticket: number): void {
    if (this.#adding.has(ticket)) this.#small.add(ticket);
  }

  /** This load waits for the turn of its device, or does so no more. Meanwhile no group waits for it. */
  rests(ticket: number, isResting: boolean): void {
    if (isResting) {
      this.#adding.delete(ticket);
      this.#small.delete(ticket);
    } else if (this.#loads.has(ticket)) this.#adding.add(ticket);
  }

  /** A device waits for the group after this one, so this one closes without waiting for loads. `held`: the load that waits for that. */
  full(id: number, held?: number): void {
    if (held !== undefined) this.#small.delete(held);
    if (this.#collecting.id === id) this.#collecting.closeAfter = 0;
  }

  /** The end of a step: lets go of rows that every load will show. The group that is to be committed now; null: none. */
  settle(): Group | null {
    this.#retire();
    const group = this.#collecting;
    if (this.#committing !== null || group.writes.length === 0) return null;
    const adding = first(this.#adding) ?? Number.POSITIVE_INFINITY;
    const isLong = group.writes.length >= MAX_GROUP_WRITES;
    if (group.closeAfter >= adding && !isLong) return null;
    group.letsIn ??= this.#lastTicket;
    if ((first(this.#small) ?? Number.POSITIVE_INFINITY) <= group.letsIn && !isLong) return null;
    this.#committing = group;
    this.#collecting = this.#makeGroup(group.id + 1);
    return group;
  }

  #retire(): void {
    const oldest = first(this.#loads.keys()) ?? Number.POSITIVE_INFINITY;
    for (let next = this.#retiring[0]; next !== undefined && next.ticket < oldest;) {
      for (const overlay of next.overlays) overlay.retire(next.id);
      this.#retiring.shift();
      next = this.#retiring[0];
    }
  }

  /** The group that was committing is durable. */
  becameDurable(id: number): Group {
    const group = this.#underWay(id);
    this.#committing = null;
    this.#durable = id;
    this.#retiring.push({ id, overlays: group.overlays, ticket: this.#lastTicket });
    return group;
  }

  /** The group that was committing failed, and with it the one that was decided upon it. Both, in their order; nothing is changed yet (`dropFailed`). */
  failing(id: number): Group[] {
    return [this.#underWay(id), this.#collecting];
  }

  /** The groups that failed are void, with all rows that were staged. The loads that are to be begun again. */
  dropFailed(): Array<Load<Job>> {
    this.#committing = null;
    // Rows of the failed ones must not be taken for new ones.
    this.#collecting = this.#makeGroup(this.#collecting.id + 1);
    this.#durable = this.#collecting.id - 1;
    this.#retiring.length = 0;
    const loads = [...this.#loads.values()];
    this.#loads.clear();
    this.#adding.clear();
    this.#small.clear();
    return loads;
  }

  #underWay(id: number): Group {
    const group = present(this.#committing, 'a group is committing');
    assert(group.id === id, 'groups end in order', { id, committing: group.id });
    return group;
  }
}

function first<T>(items: Iterable<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}
