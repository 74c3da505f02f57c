/** A long queue is looked at in slices: others have their turn between them, and what they do breaks nothing. */
import { expect, it } from '@jest/globals';
import { instant } from '../../shared/model/time.ts';
import { ClientBench, ROOT } from '../../test/support/client-bench.ts';
import { LISTING_SLICE, LISTING_STEPS } from '../limits.ts';
import { queuePage } from './queue-page.ts';

const FILES = 2 * LISTING_STEPS;

it('a page of the queue lets other events in between and is still complete and fresh', async () => {
  const bench = await ClientBench.start();
  const ada = await bench.join();
  await ada.list();
  ada.feed({ kind: 'pause' });
  for (let n = 0; n < FILES; n++) {
    await ada.do({ op: 'create', dir: ROOT, name: `f${n}`, options: { mode: 0o644 } });
  }
  const { reports } = ada.client;
  let now = 0;
  let turns = 0;
  const ports = {
    // Each look at the clock comes after a slice.
    clock: { now: () => instant((now += LISTING_SLICE)), wall: () => 0 as never },
    breathe: async () => {
      turns += 1;
      const name = `f${turns}`;
      await ada.do({ op: 'remove', place: { dir: ROOT, name }, options: {} });
    },
  };
  const page = await queuePage(reports, ports, { most: FILES });
  // A step for each that is met and one for each that gets its place, but for those that went; none after the last.
  expect(turns).toBe(3);
  const paths = page.entries.map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  const gone = Array.from({ length: turns }, (_, at) => `f${at + 1}`);
  const left = Array.from({ length: FILES }, (_, at) => `f${at}`).filter((p) => !gone.includes(p));
  expect(paths).toEqual(left);
  expect(page.restMs).toBeGreaterThan(0);
  await expect(queuePage(reports, ports, { most: 1, listing: 3 })).rejects.toMatchObject({
    code: 'listing-gone',
  });
});
