import { expect, it } from '@jest/globals';
import { Semaphore } from './semaphore.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('the semaphore runs a limited number of tasks in the order of requests, whatever fails', async () => {
  const slots = new Semaphore(2);
  const begun: number[] = [];
  const ends: Array<(failed: boolean) => void> = [];
  const work = [0, 1, 2, 3].map((n) =>
    slots.run(() => {
      begun.push(n);
      return new Promise<number>((resolve, reject) => {
        ends[n] = (failed) => (failed ? reject(new Error('failed')) : resolve(n));
      });
    }),
  );
  const settled = Promise.allSettled(work);
  await turn();
  expect(begun).toEqual([0, 1]);
  ends[1]?.(true);
  await turn();
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.(false);
  await turn();
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[2]?.(false);
  ends[3]?.(false);
  const statuses = (await settled).map(({ status }) => status);
  expect(statuses).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
});
