/** The layout of the page while its contents change: nothing jumps, nothing overlaps, and figures are those of the daemon. */
import { afterAll, afterEach, beforeEach, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { StatusSnapshot } from '../../shared/control/snapshot.ts';
import { Browsers, itInBrowser } from '../support/browser.ts';
import { PageBench } from '../support/page-bench.ts';

const browsers = new Browsers();
let bench: PageBench;
beforeEach(() => {
  bench = new PageBench(browsers);
});
afterEach(async () => {
  await bench.close();
  expect(browsers.complaints.splice(0)).toEqual([]);
});
afterAll(() => browsers.close());

const METERED: NonNullable<StatusSnapshot['network']> = {
  ...{ name: 'Train', kind: 'wifi', metered: true, why: 'a rule', used: 150e6 },
  ...{ budget: { bytes: 200e6, left: 50e6 }, trickle: 64_000, background: 'trickles', until: null },
  waiting: { stores: 1, bytes: 1, fetches: 0 },
};

/** A status with two stores, one being sent, and the estimated time for the queue. */
function sending(seconds: number | null, why: string | null): Partial<StatusSnapshot> {
  const { queues } = bench.daemon.snapshot();
  const estimate = { bytesPerSecond: 40_000, seconds, why };
  const data = { ...queues.data, updates: 2, inFlight: 1, bytes: 123_456_000_000, estimate };
  return { state: 'syncing', queues: { ...queues, data } };
}

const top = async (page: Page, selector: string): Promise<number> =>
  (await page.locator(selector).boundingBox())?.y ?? NaN;

describe('the window', () => {
  itInBrowser('keeps its parts in place while texts grow and shrink', async () => {
    const page = await bench.open({ width: 1120, height: 860 });
    const places = async (): Promise<number[]> => [
      await top(page, 'nav'),
      await top(page, '#queue-data'),
      await top(page, '#queue-metadata'),
      await top(page, '#fetches'),
    ];
    const [nav, list] = await places();
    bench.daemon.become(sending(90, null));
    await page.getByText('about 1 min 30 s left').waitFor();
    expect(await places()).toEqual([nav, list, list, list]);
    bench.daemon.become(sending(null, 'nothing gets through'));
    await page.getByText('no estimate: nothing gets through').waitFor();
    expect(await places()).toEqual([nav, list, list, list]);
    bench.daemon.become({ waiting: [{ path: 'a', reason: 'it is being written' }] });
    await page.getByText('it is being written').waitFor();
    expect(await places()).toEqual([nav, list, list, list]);
  });

  itInBrowser('keeps the name of the selected file on one line, however long', async () => {
    const name = `${'a-very-long-name-'.repeat(14)}.txt`;
    const entry = { number: 1, volume: 'home', path: name, kind: 'store', bytes: 4, sentBytes: 0 };
    const more = { priorityClass: 'STORE_DATA', state: 'ready', turn: null, waitsFor: [] } as const;
    const entries = [{ ...entry, ...more, kind: 'store', reason: null, until: null, seconds: 1 }];
    bench.daemon.queued = { total: 1, entries: entries as never, why: null };
    bench.daemon.become(sending(90, null));
    const page = await bench.open({ width: 1120, height: 860 });
    const card = page.locator('.card', { has: page.locator('#queue-data') });
    await page.locator('#queue-data-1').waitFor();
    // The tooltip has the full text of a name that is cut off.
    expect(await page.locator('#queue-data-1 .row-name').getAttribute('title')).toBe(name);
    const before = await card.boundingBox();
    await page.locator('#queue-data-1').click();
    await page.getByText(`Selected: ${name}`).waitFor();
    expect(await card.boundingBox()).toEqual(before);
  });

  itInBrowser('draws the used share of a budget and of a quota across its card', async () => {
    const [volume] = bench.daemon.snapshot().volumes;
    const quota = { limit: 10e9, used: 9e9, free: 1e9 };
    bench.daemon.become({
      network: METERED,
      volumes: volume === undefined ? [] : [{ ...volume, quota }],
    });
    const page = await bench.open();
    const bars = page.locator('.fact .bar');
    expect(await bars.count()).toBe(2);
    for (const bar of await bars.all()) {
      const dd = await bar.locator('xpath=..').boundingBox();
      const box = await bar.boundingBox();
      expect([box?.x, box?.width]).toEqual([dd?.x, dd?.width]);
    }
  });

  itInBrowser(
    'shows the rate of the link when it is measured, and that of the queue otherwise',
    async () => {
      bench.daemon.become(sending(90, null));
      const page = await bench.open();
      const line = page.locator('.fact', { hasText: 'Line' });
      await line.getByText('40.0 KB/s').waitFor();
      const { link } = bench.daemon.snapshot();
      bench.daemon.become({ link: { ...link, bulkBytesPerSecond: 250_000 } });
      await line.getByText('250.0 KB/s').waitFor();
    },
  );

  itInBrowser('counts as updates to send only what is sent', async () => {
    const { queues } = bench.daemon.snapshot();
    const data = { ...queues.data, updates: 3, bytes: 5000, cancelled: 1, cancelledBytes: 2000 };
    bench.daemon.become({ state: 'syncing', queues: { ...queues, data } });
    const page = await bench.open();
    const fact = page.locator('.fact', { hasText: 'To send' });
    expect(await fact.textContent()).toBe('To send3.0 KB2 updates');
  });

  itInBrowser('shows how much is missing before it asks for a confirmation', async () => {
    const message = '60 files and folders are missing from the folder';
    const held = { code: 'removals-held', message, remedy: 'confirm or reject', path: null };
    bench.daemon.become({ state: 'error', errors: [held] });
    const page = await bench.open();
    await page.locator('[data-pane=problems]').click();
    await page.locator('.guard').getByText(message).waitFor();
  });

  itInBrowser('animates nothing for users who want no motion', async () => {
    bench.daemon.become({ network: METERED });
    const page = await bench.open();
    const moves = () =>
      page.evaluate(
        "getComputedStyle(document.querySelector('.fact .bar-done')).transitionDuration",
      );
    expect(await moves()).toBe('0s');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await moves()).not.toBe('0s');
  });

  itInBrowser('explains how to go on when its daemon has ended', async () => {
    const page = await bench.open();
    await bench.endpoint.close();
    await page.getByText('run godwit ui again').waitFor();
    expect(browsers.complaints.splice(0).join()).toMatch(/ERR_/);
  });
});
