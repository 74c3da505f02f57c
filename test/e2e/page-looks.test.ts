/** The layout of the page while its contents change: nothing jumps, nothing overlaps, and figures are those of the daemon. */
import { afterAll, afterEach, beforeEach, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { StatusSnapshot } from '../../shared/control/snapshot.ts';
import { Browsers, itInBrowser } from '../support/browser.ts';
import { PageBench } from '../support/page-bench.ts';
import { queued } from '../support/page-states.ts';

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

const queueOf = (count: number) => ({
  entries: Array.from({ length: count }, (_, at) => queued(at + 1, `f${at}`, 4000)),
});

/** The page with its details, as wide as a laptop. */
async function opened(): Promise<Page> {
  const page = await bench.open({ width: 1120, height: 860 });
  await page.locator('[data-act=details]').click();
  return page;
}

const top = async (page: Page, selector: string): Promise<number> =>
  (await page.locator(selector).boundingBox())?.y ?? NaN;

describe('the window', () => {
  itInBrowser('has lists as high as what is in them', async () => {
    const page = await opened();
    const height = async (): Promise<number> =>
      (await page.locator('#queue-data').boundingBox())?.height ?? NaN;
    const empty = await height();
    expect(empty).toBeLessThan(60);
    const { entries } = queueOf(3);
    bench.daemon.queued = { total: 3, entries, why: null };
    bench.daemon.become(sending(90, null));
    await page.locator('#queue-data-3').waitFor();
    expect(await height()).toBeGreaterThan(2 * empty);
    bench.daemon.queued = { total: 100, entries: queueOf(100).entries, why: null };
    bench.daemon.become(sending(91, null));
    await page.locator('#queue-data-6').waitFor();
    expect(await height()).toBeLessThan(7 * empty);
  });

  itInBrowser('keeps the buttons of its first card in place while texts change', async () => {
    const page = await bench.open({ width: 420, height: 640 });
    const before = await top(page, '.status-card .strong');
    bench.daemon.become(sending(90, null));
    await page.getByText('2 min left').waitFor();
    const busy = await top(page, '.status-card .strong');
    bench.daemon.become(sending(20_000, null));
    await page.getByText('5 h 33 min left').waitFor();
    expect(await top(page, '.status-card .strong')).toBe(busy);
    expect(busy).toBeGreaterThan(before);
  });

  itInBrowser('keeps the name of the selected file on one line, however long', async () => {
    const name = `${'a-very-long-name-'.repeat(14)}.txt`;
    const entry = { number: 1, volume: 'home', path: name, kind: 'store', bytes: 4, sentBytes: 0 };
    const more = { priorityClass: 'STORE_DATA', state: 'ready', turn: null, waitsFor: [] } as const;
    const entries = [{ ...entry, ...more, kind: 'store', reason: null, until: null, seconds: 1 }];
    bench.daemon.queued = { total: 1, entries: entries as never, why: null };
    bench.daemon.become(sending(90, null));
    const page = await opened();
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
    const page = await opened();
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
      const page = await opened();
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
    const page = await opened();
    const fact = page.locator('.fact', { hasText: 'To send' });
    expect(await fact.textContent()).toBe('To send3.0 KB2 updates');
  });

  itInBrowser('shows how much is missing before it asks for a confirmation', async () => {
    const message = '60 files and folders are missing from the folder';
    const held = { code: 'removals-held', message, remedy: 'confirm or reject', path: null };
    bench.daemon.become({ state: 'error', errors: [held] });
    const page = await bench.open();
    await page.locator('.guard').getByText(message).waitFor();
  });

  itInBrowser('animates nothing for users who want no motion', async () => {
    bench.daemon.become({ network: METERED });
    const page = await opened();
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
    await page.getByText('run godwit ui for a new one').waitFor();
    // What it asked once more is a complaint as well.
    await page.close();
    expect(browsers.complaints.splice(0).join()).toMatch(/ERR_/);
  });
});
