import { expect, it } from '@jest/globals';
import { WorkQueue } from './work-queue.ts';

it('the work queue runs a limited number at once, the most urgent first, then in order', async () => {
  const queue = new WorkQueue(1);
  const done: string[] = [];
  const held = Promise.withResolvers<void>();
  const first = queue.run({ urgency: 5, whose: 'ada' }, () => held.promise);
  const rest = [
    ['prefetch', 5],
    ['fetch', 1],
    ['store', 4],
    ['another fetch', 1],
  ] as const;
  const others = rest.map(([name, urgency]) =>
    queue.run({ urgency, whose: 'bob' }, () => Promise.resolve(done.push(name))),
  );
  expect([queue.waiting, queue.waitingOf('bob'), queue.waitingOf('ada')]).toEqual([4, 4, 0]);
  held.resolve();
  await Promise.all([first, ...others]);
  expect(done).toEqual(['fetch', 'another fetch', 'store', 'prefetch']);
  expect(queue.waiting).toBe(0);
});

it('the work queue continues after a failed task', async () => {
  const queue = new WorkQueue(1);
  const turn = { urgency: 1, whose: 'ada' };
  const failed = queue.run(turn, () => Promise.reject(new Error('no')));
  const next = queue.run(turn, () => Promise.resolve('done'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('done');
});
