/** Which status a reader gets. */
import { expect, it } from '@jest/globals';
import { instant } from '../../shared/model/time.ts';
import { REVISION_INTERVAL } from '../limits.ts';
import { Publisher, type Unnumbered } from './publisher.ts';

function publisher() {
  const state = { now: 0, seen: 1 };
  const clock = { now: () => instant(state.now) } as never;
  const compute = () => ({ seen: state.seen }) as unknown as Unnumbered;
  const published = new Publisher(clock, { start: () => ({ cancel: () => undefined }) }, compute);
  return { state, published, read: () => published.snapshot() as unknown as { seen: number } };
}

it('a status is computed anew after a pause, and not for each reader', () => {
  const { state, read } = publisher();
  read();
  state.seen = 2;
  expect(read()).toMatchObject({ revision: 1, seen: 1 });
  state.now += REVISION_INTERVAL;
  expect(read()).toMatchObject({ revision: 2, seen: 2 });
});

it('a reader who asks once gets the status of that moment, and so do all others after that', () => {
  const { state, published, read } = publisher();
  read();
  state.seen = 2;
  expect(published.now()).toMatchObject({ revision: 2, seen: 2 });
  expect(read()).toMatchObject({ revision: 2, seen: 2 });
});
