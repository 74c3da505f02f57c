/** What is held when all was taken is looked at, and the folder does not say meanwhile that it shows everything. */
import { expect, it } from '@jest/globals';
import { milliseconds } from '../../../../shared/model/time.ts';
import { Background } from '../background.ts';
import { FolderEvents } from '../folder-events.ts';
import { FOLDER_LIMITS } from '../folder-limits.ts';
import { CatchUp, type CatchUpParts } from './catch-up.ts';

/** Timers that ring when they are told to. */
class Bells {
  readonly #waiting: (() => void)[] = [];

  start(_delay: number, run: () => void): { cancel: () => void } {
    this.#waiting.push(run);
    return { cancel: () => void this.#waiting.splice(this.#waiting.indexOf(run), 1) };
  }

  /** Until none is left, with what each of them begins. */
  async ring(): Promise<void> {
    for (let run = this.#waiting.shift(); run !== undefined; run = this.#waiting.shift()) {
      run();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

function caughtUp(hasStored: boolean): {
  catchUp: CatchUp;
  bells: Bells;
  events: FolderEvents;
  did: string[];
  /** Something is held that was not looked at. */
  held: () => void;
} {
  const bells = new Bells();
  const events = new FolderEvents();
  const did: string[] = [];
  const audit = {
    isWanted: false,
    run: () => {
      did.push('audit');
      return Promise.resolve('found');
    },
    settled: () => (audit.isWanted = false),
  };
  const remote = {
    unsettled: 0,
    lookAgain: () => {
      did.push('look');
      return Promise.resolve();
    },
    come: () => Promise.resolve(),
  };
  const catchUp = new CatchUp({
    ...{ events, audit, remote, limits: FOLDER_LIMITS, volume: { id: 1 } },
    held: { size: 1, hasStored },
    feed: { adjustments: () => [] },
    unplaced: { size: 0 },
    unfinished: { takeAway: () => Promise.resolve() },
    takeOut: { run: () => Promise.resolve(), isWanted: false },
    clock: { now: () => milliseconds(0) },
    background: new Background(bells, (error) => {
      throw error;
    }),
  } as unknown as CatchUpParts);
  return { catchUp, bells, events, did, held: () => (audit.isWanted = true) };
}

it('rows that are held when all was taken are looked at, and counted until an audit was made', async () => {
  const { catchUp, bells, events, did, held } = caughtUp(true);
  catchUp.open();
  await bells.ring();
  did.splice(0);
  held();
  events.emit('commitsTaken');
  expect(catchUp.unsettled).toBe(1);
  expect(catchUp.waiting()).toHaveLength(1);
  await bells.ring();
  expect(did).toEqual(['audit', 'look']);
  expect(catchUp.unsettled).toBe(0);
  expect(catchUp.waiting()).toEqual([]);
});

it('rows whose contents are still to reach the server count as nothing', () => {
  const { catchUp, events, held } = caughtUp(false);
  catchUp.open();
  held();
  events.emit('commitsTaken');
  expect(catchUp.unsettled).toBe(0);
});
