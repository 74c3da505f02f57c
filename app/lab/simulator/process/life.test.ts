import { expect, it } from '@jest/globals';
import { milliseconds } from '../../../../shared/model/time.ts';
import { World } from '../world.ts';
import { ProcessLife, portOf, whileAlive } from './life.ts';

class Counter {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(by: number): Promise<number> {
    if (by < 0) return Promise.reject(new Error('less'));
    this.#count += by;
    return Promise.resolve(this.#count);
  }
}

it('a port passes calls, answers and refusals through while its process lives', async () => {
  const port = portOf(new Counter(), 'counter', new ProcessLife());
  expect(await port.add(2)).toBe(2);
  await expect(port.add(-1)).rejects.toThrow('less');
  expect(port.count).toBe(2);
});

it('a port finishes a call without an answer when its process ends, and takes no others', async () => {
  const world = new World(1);
  const life = new ProcessLife();
  const counter = new Counter();
  const ended: string[] = [];
  life.atEnd(() => ended.push('first opened'));
  life.atEnd(() => ended.push('last opened'));
  const port = portOf(counter, 'counter', life);
  let answers = 0;
  void port.add(1).then(() => answers++);
  life.end();
  life.end();
  void port.add(1).then(() => answers++);
  await world.settle();
  expect([counter.count, answers]).toEqual([1, 0]);
  expect(ended).toEqual(['last opened', 'first opened']);
});

it('a port answers late when the machine is slow', async () => {
  const world = new World(1);
  const life = new ProcessLife();
  const slowness = { time: world.time, delayMs: () => 7 };
  const port = portOf(new Counter(), 'counter', life, { slowness });
  expect(await world.runFor(port.add(1), 'the answer')).toBe(1);
  expect(world.time.now()).toBe(7);
  let answered = false;
  void port.add(1).then(() => (answered = true));
  await world.pass(milliseconds(6));
  life.end();
  await world.runUntilIdle();
  expect(answered).toBe(false);
});

it.each([
  ['before it takes effect', { asked: true }, 0],
  ['after it took effect', { asked: false }, 1],
])('a process can end at a call, %s', async (_, { asked }, count) => {
  const world = new World(1);
  const life = new ProcessLife();
  const counter = new Counter();
  const end = (): void => life.end();
  const port = portOf(counter, 'counter', life, {
    witness: asked ? { asked: end } : { done: end },
  });
  let answered = false;
  void port.add(1).then(() => (answered = true));
  await world.settle();
  expect([counter.count, answered, life.over]).toEqual([count, false, true]);
});

it('a process does nothing after its end that was still waiting', async () => {
  const world = new World(1);
  const life = new ProcessLife();
  const later = whileAlive(life, (run) => void world.time.in(5, 'its turn', run));
  const done: string[] = [];
  later(() => done.push('in time'));
  await world.pass(milliseconds(5));
  later(() => done.push('too late'));
  life.end();
  await world.runUntilIdle();
  expect(done).toEqual(['in time']);
});
