import { beforeEach, describe, expect, it } from '@jest/globals';
import { makeFid, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import type { DeviceId } from '../../shared/model/change.ts';
import type { AnyRow, KeyOf, RowKey } from '../../shared/model/stored.ts';
import type { CommitNumber } from '../../shared/model/vnode.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import { LOADING_MOMENT, LOAD_PART, PART_TIME } from '../limits.ts';
import { FairLoads, type LoadCallbacks } from './load-turns.ts';

const [BAD, GOOD] = [1, 2] as DeviceId[] as [DeviceId, DeviceId];
const HOME = 1 as VolumeId;

/** A store in which each row takes so long, and a clock that moves by that alone. */
class World {
  now = 0;
  rowTime = 0.01;
  readonly asked: Array<readonly RowKey[]> = [];
  readonly loaded: Array<{ ticket: number; rows: readonly AnyRow[]; at: number }> = [];
  readonly failed: number[] = [];
  readonly came: Array<[DeviceId, number]> = [];
  /** What making the answer to a ticket does. */
  readonly answers = new Map<number, () => void>();
  /** What the event loop does when it has its turn. */
  readonly between: Array<() => void> = [];
  group = { id: 1, isFull: false };
  readonly waits: number[] = [];
  /** Devices whose turn has not come. */
  readonly resting = new Set<DeviceId>();
  readonly rested: Array<[number, boolean]> = [];
  readonly madeBefore: number[] = [];
  pauses: number[] = [];
  fails = false;
  rowOf: (key: RowKey) => AnyRow = () => null;
  /** A group is being written. */
  writing: Promise<void> | null = null;
  readonly turns: FairLoads;

  constructor() {
    const metaStore = {
      load: (keys: readonly RowKey[]) => {
        if (this.fails) return Promise.reject(new Error('unreadable'));
        this.asked.push(keys);
        const rows = keys.reduce((sum, key) => sum + ('limit' in key ? key.limit : 1), 0);
        this.now += rows * this.rowTime;
        return Promise.resolve(keys.map((key) => this.rowOf(key)));
      },
    } as unknown as MetaStore;
    const hooks: LoadCallbacks = {
      loaded: ({ ticket }, rows) => {
        this.loaded.push({ ticket, rows, at: this.now });
        this.answers.get(ticket)?.();
      },
      notLoaded: (ticket) => this.failed.push(ticket),
      group: () => this.group,
      writing: () => this.writing,
      waitsForGroup: (ticket) => this.waits.push(ticket),
      mayAdd: (device) => !this.resting.has(device),
      rests: (...its) => this.rested.push(its),
      comes: (device, rows) => this.came.push([device, rows]),
    };
    const goOn = (then: () => void): void => {
      this.pauses.push(this.now);
      this.between.shift()?.();
      setImmediate(then);
    };
    const clock = { now: () => this.now, wall: () => 0 } as never;
    this.turns = new FairLoads({ clock, metaStore, goOn }, hooks);
  }

  ask(ticket: number, whose: DeviceId, keys: readonly RowKey[], adds = false): void {
    this.turns.begin({ kind: 'load', ticket, whose, keys, adds });
  }

  async settle(): Promise<void> {
    for (let n = 0; n < 10_000; n++) await new Promise((resolve) => setImmediate(resolve));
  }

  get order(): number[] {
    return this.loaded.map(({ ticket }) => ticket);
  }
}

const vnodes = (count: number): RowKey[] =>
  Array.from({ length: count }, (_, n) => ({ kind: 'vnode', fid: makeFid(HOME, n + 2, 1) }));

let world: World;
beforeEach(() => {
  world = new World();
});

describe('the turns of loads', () => {
  it('let a small load wait for one part of a large one', async () => {
    for (let ticket = 1; ticket <= 50; ticket++) world.ask(ticket, BAD, vnodes(256));
    world.between.push(() => world.ask(100, GOOD, vnodes(1)));
    await world.settle();
    const [begun] = world.pauses;
    const answered = world.loaded.find(({ ticket }) => ticket === 100);
    expect((answered?.at ?? NaN) - (begun ?? NaN)).toBeLessThanOrEqual(2 * PART_TIME);
    expect(world.loaded).toHaveLength(51);
    expect(world.loaded.every(({ rows }) => rows.length === 256 || rows.length === 1)).toBe(true);
  });

  it('return to the event loop after a moment', async () => {
    for (let ticket = 1; ticket <= 20; ticket++) world.ask(ticket, BAD, vnodes(256));
    await world.settle();
    const apart = world.pauses.map((at, n) => at - (world.pauses[n - 1] ?? 0));
    expect(Math.max(...apart)).toBeLessThanOrEqual(LOADING_MOMENT + PART_TIME + 1e-9);
    expect(world.pauses.length).toBeGreaterThan(20);
  });

  it('take parts of few rows when each row takes long', async () => {
    world.rowTime = 0.5;
    for (let ticket = 1; ticket <= 20; ticket++) world.ask(ticket, BAD, vnodes(256));
    await world.settle();
    const lengths = world.asked.map((keys) => keys.length);
    expect(Math.max(...lengths.slice(-100))).toBe(1);
    expect(lengths.length).toBeGreaterThan(1000);
    world.asked.length = 0;
    world.rowTime = 0.001;
    for (let ticket = 21; ticket <= 60; ticket++) world.ask(ticket, BAD, vnodes(256));
    await world.settle();
    expect(Math.max(...world.asked.map((keys) => keys.length))).toBe(LOAD_PART);
    expect(world.loaded).toHaveLength(60);
  });

  it('make a long answer in pieces and put a short one between two of them', async () => {
    let made = 0;
    function* pieces(): Generator<void, void> {
      for (; made < 100; made++) {
        world.now += 0.2;
        yield;
      }
    }
    world.answers.set(1, () => world.turns.inPieces(pieces()));
    world.answers.set(100, () => world.madeBefore.push(made));
    world.ask(1, BAD, vnodes(1));
    world.ask(2, BAD, vnodes(1));
    world.between.push(() => world.ask(100, GOOD, vnodes(1)));
    await world.settle();
    expect(made).toBe(100);
    expect(world.madeBefore[0]).toBeLessThan(5);
  });

  it('take the long loads of a device one after the other, each with its answer', async () => {
    const told: string[] = [];
    function* pieces(ticket: number): Generator<void, void> {
      yield;
      yield;
      told.push(`answer ${ticket}`);
    }
    world.rowTime = 0.013;
    world.rowOf = (key) => {
      const { volume, since, limit } = key as KeyOf<'changes'>;
      if (since === 0) told.push(`load ${volume}`);
      const commits = Array.from({ length: limit }, (_, n) => ({ commit: since + n + 1 }));
      return { commits, upTo: since + limit } as unknown as AnyRow;
    };
    const since = 0 as CommitNumber;
    for (const ticket of [1, 2, 3, 4]) {
      world.answers.set(ticket, () => world.turns.inPieces(pieces(ticket)));
      const volume = ticket as VolumeId;
      world.ask(ticket, BAD, [{ kind: 'changes', volume, since, limit: 200 }]);
    }
    await world.settle();
    expect(told).toEqual([1, 2, 3, 4].flatMap((n) => [`load ${n}`, `answer ${n}`]));
    expect(world.asked.every((keys) => keys.length === 1)).toBe(true);
  });

  it('put a load of another device between two pieces of a message that is decoded', async () => {
    let decoded = 0;
    function* pieces(): Generator<void, void> {
      for (; decoded < 16; decoded++) {
        world.now += 0.1;
        yield;
      }
    }
    for (let message = 0; message < 10; message++) world.turns.inPiecesOf(BAD, pieces());
    world.answers.set(100, () => world.madeBefore.push(decoded));
    world.between.push(() => world.ask(100, GOOD, vnodes(1)));
    await world.settle();
    expect(decoded).toBe(16);
    expect(world.madeBefore[0]).toBeLessThan(8);
    const apart = world.pauses.map((at, n) => at - (world.pauses[n - 1] ?? at));
    expect(Math.max(...apart)).toBeLessThanOrEqual(LOADING_MOMENT + 0.1 + 1e-9);
  });

  it('begin no part while a group is being written', async () => {
    const written = Promise.withResolvers<void>();
    world.writing = written.promise;
    world.ask(1, GOOD, vnodes(1));
    await world.settle();
    expect(world.asked).toEqual([]);
    world.writing = null;
    written.resolve();
    await world.settle();
    expect(world.order).toEqual([1]);
  });

  it('make an answer at once when no load has brought it', () => {
    let made = 0;
    function* pieces(): Generator<void, void> {
      for (; made < 100; made++) yield;
    }
    world.turns.inPieces(pieces());
    expect(made).toBe(100);
  });

  it('combine short loads of one turn', async () => {
    const count = Math.ceil(LOADING_MOMENT / world.rowTime) - 1;
    for (let ticket = 1; ticket <= count; ticket++) world.ask(ticket, BAD, vnodes(1));
    await world.settle();
    expect(count).toBeGreaterThan(3);
    expect(world.order).toEqual(Array.from({ length: count }, (_, n) => n + 1));
    expect(world.pauses).toEqual([]);
  });

  it('report a failed load, and the others go on', async () => {
    world.fails = true;
    world.ask(1, BAD, vnodes(1));
    await world.settle();
    world.fails = false;
    world.ask(2, BAD, []);
    await world.settle();
    expect([world.failed, world.loaded.map(({ rows }) => rows)]).toEqual([[1], [[]]]);
  });

  it('load nothing after a stop', async () => {
    for (let ticket = 1; ticket <= 20; ticket++) world.ask(ticket, BAD, vnodes(256));
    world.between.push(() => world.turns.stop());
    await world.settle();
    expect(world.pauses).toHaveLength(1);
  });
});

describe('a full group of commits', () => {
  it('is waited for by devices that have added to it and by no others', async () => {
    world.ask(1, BAD, vnodes(1), true);
    await world.settle();
    world.group.isFull = true;
    world.ask(2, BAD, vnodes(1), true);
    world.ask(3, BAD, vnodes(1));
    world.ask(4, GOOD, vnodes(1), true);
    world.ask(5, GOOD, vnodes(1), true);
    await world.settle();
    expect(world.order).toEqual([1, 3, 4]);
    expect(world.waits).toEqual([2, 5]);
    expect(world.came).toEqual([
      [BAD, 1],
      [BAD, 1],
      [GOOD, 1],
      [GOOD, 1],
    ]);
    world.group = { id: 2, isFull: false };
    world.turns.groupBegins();
    await world.settle();
    expect(world.order).toEqual([1, 3, 4, 2, 5]);
  });
});

describe('the turn of a device', () => {
  beforeEach(async () => {
    world.resting.add(BAD);
    for (const ticket of [1, 2, 3]) world.ask(ticket, BAD, vnodes(20), true);
    world.ask(4, GOOD, vnodes(1), true);
    world.ask(5, BAD, vnodes(1));
    await world.settle();
  });

  it('is waited for by its loads that add and by no others', () => {
    expect(world.order.toSorted((a, b) => a - b)).toEqual([4, 5]);
    expect(world.rested).toEqual([
      [1, true],
      [2, true],
      [3, true],
    ]);
  });

  it('lets in one load of a heavy device, and all when it is heavy no more, in their order', async () => {
    world.resting.clear();
    [world.loaded.length, world.rested.length] = [0, 0];
    expect(world.turns.turnComes((device) => device === BAD)).toBe(true);
    await world.settle();
    expect(world.order).toEqual([1]);
    expect(world.turns.turnComes(() => false)).toBe(false);
    await world.settle();
    expect(world.order).toEqual([1, 2, 3]);
    expect(world.rested).toEqual([
      [1, false],
      [2, false],
      [3, false],
    ]);
    expect(world.turns.turnComes(() => true)).toBe(false);
  });
});

describe('a listing in parts', () => {
  const COUNT = 3 * LOAD_PART + 5;

  it.each([
    ['has as many as were asked for', 2 * LOAD_PART + 1, true],
    ['has all that there are', 1000, false],
  ])('covers a volume in parts and %s', async (_, limit, more) => {
    const all = Array.from({ length: COUNT }, (__, n) => makeFid(HOME, n + 2, 1));
    world.rowOf = (key) => {
      const { after, limit: most } = key as KeyOf<'snapshot'>;
      const from = after === null ? 0 : all.indexOf(after) + 1;
      const vnodes = all.slice(from, from + most).map((fid) => ({ status: { fid }, names: [] }));
      return { vnodes, more: from + most < COUNT } as unknown as AnyRow;
    };
    const at = 7 as CommitNumber;
    world.ask(1, BAD, [{ kind: 'snapshot', volume: HOME, at, after: null, limit }]);
    await world.settle();
    const [row] = world.loaded[0]?.rows as unknown as [{ vnodes: Array<{ status: { fid: Fid } }> }];
    expect(row.vnodes.map(({ status }) => status.fid)).toEqual(all.slice(0, limit));
    expect(row).toMatchObject({ more });
    expect(world.asked.every(([key]) => (key as KeyOf<'snapshot'>).at === at)).toBe(true);
    const asked = world.asked.map(([key]) => (key as KeyOf<'snapshot'>).limit);
    expect(Math.max(...asked)).toBeLessThanOrEqual(LOAD_PART);
    expect(asked.length).toBeGreaterThan(2);
  });

  it('is current for a directory if all parts were, and has the status of the first', async () => {
    let parts = 0;
    world.rowOf = (key) => {
      const { after, limit } = key as KeyOf<'directory'>;
      const from = after === null ? 0 : Number(after) + 1;
      const entries = Array.from({ length: Math.min(limit, COUNT - from) }, (__, n) => ({
        name: String(from + n),
      }));
      const current = parts++ !== 1;
      return { status: parts, entries, more: from + limit < COUNT, current } as unknown as AnyRow;
    };
    const at = 7 as CommitNumber;
    const fid = makeFid(HOME, 1, 1);
    world.ask(1, BAD, [{ kind: 'directory', fid, at, after: null, limit: 1000 }]);
    await world.settle();
    expect(world.loaded[0]?.rows[0]).toMatchObject({ status: 1, current: false, more: false });
    const { entries } = world.loaded[0]?.rows[0] as unknown as { entries: unknown[] };
    expect(entries).toHaveLength(COUNT);
  });

  it('continues a feed after its last part and ends with the feed', async () => {
    world.rowOf = (key) => {
      const { since, limit } = key as KeyOf<'changes'>;
      const length = Math.min(limit, COUNT - since);
      const commits = Array.from({ length }, (__, n) => ({ commit: since + n + 1 }));
      return { commits, upTo: length < limit ? COUNT + 3 : since + length } as unknown as AnyRow;
    };
    const since = 0 as CommitNumber;
    world.ask(1, BAD, [{ kind: 'changes', volume: HOME, since, limit: 500 }]);
    await world.settle();
    const [row] = world.loaded[0]?.rows as unknown as [{ commits: unknown[]; upTo: number }];
    expect([row?.commits.length, row?.upTo]).toEqual([COUNT, COUNT + 3]);
  });
});
