import { expect, it } from '@jest/globals';
import { MemoryClientStore } from '../../app/lab/simulator/store/memory-client-store.ts';
import { World } from '../../app/lab/simulator/world.ts';
import { VirtualClock, VirtualTimers } from '../../app/lab/simulator/clock/virtual-clock.ts';
import { Machine } from '../../app/lab/simulator/clock/machine.ts';
import { MemoryLog } from '../../app/lab/simulator/process/memory-log.ts';
import type { RowChange } from '../../shared/ports/client-store.ts';
import type { Client } from '../core/client.ts';
import type { Effect } from '../core/effects.ts';
import type { Event } from '../core/events.ts';
import { EventLoop } from './event-loop.ts';

/** Calls below this are of programs. */
const OTHERS = 100;
/** Calls from this on are of programs too, and change nothing. */
const LOOKS = 200;

/** A loop over a core that logs each call, answers it and sends it on; what happened, in order. */
async function begun({ sync = () => Promise.resolve() }: { sync?: () => Promise<void> } = {}) {
  const world = new World(1);
  const machine = new Machine(world.time);
  const commits: Array<() => void> = [];
  const records: Array<() => void> = [];
  const store = new MemoryClientStore({
    delay: (run) => commits.push(run),
    recordDelay: (run) => records.push(run),
  });
  const told: string[] = [];
  const step = (event: Event) => {
    const { call } = event as { call: number };
    const row = { table: 'meta', key: `call ${call}`, value: call } as RowChange;
    const rows = call >= LOOKS ? [] : [row];
    const effects = [
      { kind: 'answer', call, value: null },
      { kind: 'stop', request: call },
    ] as unknown as Effect[];
    return { rows, effects, changed: false };
  };
  const loop = new EventLoop({
    client: { step, nextWake: () => null } as unknown as Client,
    store,
    clock: new VirtualClock(machine),
    timers: new VirtualTimers(machine, 'loop'),
    log: new MemoryLog(world, 'loop'),
    breathe: () => Promise.resolve(),
    carryOut: (effect) => told.push(`${effect.kind} ${String(Object.values(effect)[1])}`),
    isEarly: (effect) => effect.kind === 'answer' && (effect.call < OTHERS || effect.call >= LOOKS),
    contents: () => ({ unsynced: 0, sync }),
    committed: () => undefined,
    diskFull: () => undefined,
    gaveUp: () => undefined,
    fatal: (error) => told.push(`fatal ${String(error)}`),
  });
  const loading = store.load();
  for (const run of commits.splice(0)) run();
  await loading;
  const settle = (): Promise<void> => world.settle();
  const call = async (...calls: number[]): Promise<void> => {
    for (const each of calls) loop.post({ kind: 'call', call: each } as unknown as Event);
    await settle();
  };
  /** Lets what waits for the disk go on. */
  const done = async (waiting: Array<() => void>): Promise<void> => {
    for (const run of waiting.splice(0)) run();
    await settle();
  };
  const recorded = (): Promise<void> => done(records);
  const committed = (): Promise<void> => done(commits);
  const left = async (): Promise<string[]> => {
    const found = store.recorded();
    for (const run of commits.splice(0)) run();
    return (await found).flatMap(({ changes }) => changes.map(({ key }) => key));
  };
  return { told, call, recorded, committed, left, store };
}

it('the event loop answers a program when its rows are recorded, and others when they are durable', async () => {
  const { told, call, recorded, committed } = await begun();
  await call(1);
  expect(told).toEqual([]);
  await recorded();
  expect(told).toEqual(['answer 1']);
  await committed();
  expect(told).toEqual(['answer 1', 'stop 1']);
});

it('the event loop answers everybody else when the rows are durable', async () => {
  const { told, call, recorded, committed } = await begun();
  await call(OTHERS);
  await recorded();
  expect(told).toEqual([]);
  await committed();
  expect(told).toEqual(['answer 100', 'stop 100']);
});

it('the event loop serves programs while the disk works, and does the rest in order', async () => {
  const { told, call, recorded, committed } = await begun();
  await call(1);
  await recorded();
  await call(OTHERS);
  await call(2);
  await recorded();
  expect(told).toEqual(['answer 1', 'answer 2']);
  await committed();
  expect(told.slice(2)).toEqual(['stop 1']);
  await committed();
  expect(told.slice(3)).toEqual(['answer 100', 'stop 100', 'stop 2']);
});

it('the event loop records unrecorded rows of a running commit together with later ones', async () => {
  const { told, call, recorded, left } = await begun({ sync: () => new Promise(() => {}) });
  await call(OTHERS);
  await call(1);
  await recorded();
  expect(told).toEqual(['answer 1']);
  expect(await left()).toEqual(['call 100', 'call 1']);
});

it('the event loop leaves no recorded rows when all are committed', async () => {
  const { call, recorded, committed, left } = await begun();
  await call(1, 2);
  await recorded();
  await call(3);
  await recorded();
  await committed();
  await committed();
  expect(await left()).toEqual([]);
});

it('the event loop drops no rows that are being recorded', async () => {
  const { told, call, recorded, committed, left } = await begun();
  await call(1);
  await recorded();
  await call(2);
  // The first is durable, and the second waits for its record.
  await committed();
  expect(told).toEqual(['answer 1', 'stop 1']);
  await recorded();
  await committed();
  expect(told.slice(2)).toEqual(['answer 2', 'stop 2']);
  expect(await left()).toEqual([]);
});

it('the event loop leaves no recorded rows of a commit that ran when they were recorded', async () => {
  const { told, call, recorded, committed, left } = await begun();
  await call(OTHERS);
  await call(LOOKS);
  await recorded();
  expect(told).toEqual(['answer 200']);
  await committed();
  // Newer rows over it: a start that found the record would put the older ones over them.
  await call(OTHERS + 1);
  await committed();
  expect(told.slice(1, 4)).toEqual(['answer 100', 'stop 100', 'stop 200']);
  expect(await left()).toEqual([]);
});

it('the event loop makes programs wait for the disk when nothing can be recorded', async () => {
  const { told, call, recorded, committed, store } = await begun();
  store.troubles.add((method) => (method === 'record' ? new Error('no room') : null));
  await call(1);
  await recorded();
  expect(told).toEqual([]);
  await committed();
  expect(told).toEqual(['answer 1', 'stop 1']);
});

it('the event loop syncs contents before the rows that name them', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { told, call, recorded, committed } = await begun({ sync: () => promise });
  await call(1);
  await recorded();
  await committed();
  expect(told).toEqual(['answer 1']);
  resolve();
  await committed();
  await committed();
  expect(told).toEqual(['answer 1', 'stop 1']);
});
