/** The page in a browser, over a daemon that says what a test wants: what is shown, and what a person can do with it. */
import { afterAll, afterEach, beforeEach, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { QueueEntry, QueueOrder } from '../../shared/control/queue.ts';
import type { ErrorStatus } from '../../shared/control/snapshot.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { graveFindings } from '../support/axe.ts';
import { Browsers, itInBrowser } from '../support/browser.ts';
import { PageBench } from '../support/page-bench.ts';

const PANES = ['home', 'files', 'conflicts', 'settings'] as const;
const MANY = 100_000;
/** More lines than any screen shows. */
const MOST_LINES = 60;

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

const store = (number: number): QueueEntry => ({
  number,
  volume: 'home',
  path: `docs/file-${number}.txt`,
  kind: 'store',
  priorityClass: 'STORE_DATA',
  bytes: 4000,
  sentBytes: number === 1 ? 1000 : 0,
  state: number === 1 ? 'on its way' : 'ready',
  turn: null,
  waitsFor: [],
  reason: null,
  until: null,
  seconds: number,
});

function queueMany(count: number): void {
  const entries = Array.from({ length: count }, (_, at) => store(at + 1));
  bench.daemon.queued = { total: count, entries, why: null };
  const { queues } = bench.daemon.snapshot();
  const data = { ...queues.data, updates: count, bytes: count * 4000 };
  bench.daemon.become({ state: 'syncing', queues: { ...queues, data } });
}

const HELD: ErrorStatus = {
  code: 'removals-held',
  message: '60 removals wait to be confirmed',
  remedy: 'confirm or reject',
  path: null,
};
const BLOCKED: ErrorStatus = {
  code: 'sync-blocked',
  message: 'no right to read\u202e it',
  remedy: 'change its mode',
  path: 'a/b',
};

const show = (page: Page, pane: (typeof PANES)[number]): Promise<void> =>
  page.locator(`[data-pane=${pane}]`).click();

/** Opens the page at its details. */
async function openedWithDetails(): Promise<Page> {
  const page = await bench.open();
  await page.locator('[data-act=details]').click();
  return page;
}

/** Unfolds all details in the visible pane. */
async function openDetails(page: Page): Promise<void> {
  for (const fold of await page.locator('.fold[aria-expanded=false]').all()) await fold.click();
  for (const details of await page.locator('details:not([open]) > summary').all()) {
    await details.click();
  }
}

describe('a queue of a hundred thousand updates', () => {
  itInBrowser('renders only the visible entries and can be scrolled to the last one', async () => {
    queueMany(MANY);
    const page = await openedWithDetails();
    const list = page.locator('#queue-data');
    const line = (number: number) => page.locator(`#queue-data-${number}`);
    await line(1).waitFor();
    expect(await line(1).getAttribute('aria-setsize')).toBe(String(MANY));
    expect(await line(1).textContent()).toMatch(/^file-1\.txt docs 1\.0 KB of 4\.0 KB on its way/);
    expect(await line(1).locator('.bar').getAttribute('data-share')).toBe('0.250');
    await list.focus();
    await page.keyboard.press('End');
    await line(MANY).waitFor();
    expect(await list.locator('.row').count()).toBeLessThan(MOST_LINES);
    await page.locator(`#queue-data[aria-activedescendant="queue-data-${MANY}"]`).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.locator(`#queue-data-${MANY - 1}[aria-selected=true]`).waitFor();
    expect(await orderBy(() => page.keyboard.press('Enter'))).toMatchObject({
      ...{ act: 'now', target: { number: MANY - 1 } },
    });
    expect(await orderBy(() => page.keyboard.press('Delete'))).toMatchObject({
      ...{ act: 'cancel', target: { number: MANY - 1 }, withDependents: false },
    });
  });

  itInBrowser('keeps its selection while the queue moves', async () => {
    queueMany(50);
    const page = await openedWithDetails();
    await page.locator('#queue-data-3').click();
    bench.daemon.queued = {
      ...bench.daemon.queued,
      entries: bench.daemon.queued.entries.slice(2),
    };
    bench.daemon.become({ summary: 'later' });
    await page.locator('#queue-data-3[aria-posinset="1"][aria-selected=true]').waitFor();
  });
});

/** The order for the queue that an action sends to the daemon. */
async function orderBy(act: () => Promise<void>): Promise<QueueOrder> {
  const { promise, resolve } = Promise.withResolvers<QueueOrder>();
  bench.daemon.orderQueue = (order) => {
    resolve(order);
    return Promise.resolve({ updates: 1, others: 0, underWay: 0, why: null });
  };
  await act();
  return promise;
}

describe('an order for the queue', () => {
  itInBrowser('can be taken back, with all that it has taken along', async () => {
    queueMany(4);
    const page = await openedWithDetails();
    const orders: QueueOrder[] = [];
    let out: readonly number[] = [];
    bench.daemon.orderQueue = (order) => {
      orders.push(order);
      const { act, target, withDependents } = order;
      const number = 'number' in target ? target.number : 0;
      if (act === 'cancel' && !withDependents) {
        return Promise.reject(new GodwitError('update-needed'));
      }
      out = act === 'cancel' ? [number, 3] : out.filter((each) => each !== number);
      const { entries } = bench.daemon.queued;
      bench.daemon.queued = {
        ...bench.daemon.queued,
        entries: entries.map((each) => ({
          ...each,
          state: out.includes(each.number) ? 'cancelled' : 'ready',
        })),
      };
      return Promise.resolve({ updates: 1, others: 1, underWay: 0, why: null });
    };
    await page.locator('#queue-data-2').click();
    const card = page.locator('.card', { has: page.locator('#queue-data') });
    await card.getByRole('button', { name: 'Don’t send' }).click();
    await page.getByText('file-2.txt is not sent').waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('file-2.txt is sent again').waitFor();
    expect(out).toEqual([]);
    expect(orders.map(({ act, target }) => [act, 'number' in target ? target.number : 0])).toEqual([
      ...[
        ['cancel', 2],
        ['cancel', 2],
        ['now', 2],
        ['now', 3],
      ],
    ]);
  });
});

describe('the list of needs', () => {
  itInBrowser('has held-back removals, which are confirmed at the second click only', async () => {
    bench.daemon.become({ state: 'error', errors: [HELD, BLOCKED] });
    bench.daemon.held = 60;
    const page = await bench.open();
    const needs = page.locator('[data-card=needs]');
    expect(await needs.locator('.badge').textContent()).toBe('2');
    await page.getByRole('button', { name: 'They are meant' }).click();
    expect(bench.daemon.calls).not.toContain('confirm');
    await page.getByRole('button', { name: 'Remove them' }).click();
    await page.getByText('60 removals confirmed').waitFor();
    await page.getByRole('button', { name: 'Bring them back' }).click();
    await page.getByText('0 paths brought back').waitFor();
    // A character that reverses text is shown as a symbol.
    expect(await needs.locator('[data-need=problem] .line-words').textContent()).toBe(
      'b no right to read\ufffd it',
    );
  });

  itInBrowser('has buttons for remedies and disappears when nothing is left', async () => {
    bench.daemon.become({ state: 'error', errors: [BLOCKED] });
    const page = await bench.open();
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByText('It is being tried again').waitFor();
    const shown = page.waitForResponse(/\/open$/);
    await page.getByRole('button', { name: 'Show file' }).click();
    await shown;
    await page.getByText('What the system said').click();
    await page
      .getByText('a/b: no right to read\ufffd it: change its mode: (sync-blocked)')
      .waitFor();
    expect(bench.daemon.calls).toEqual(expect.arrayContaining(['reveal a/b']));
    bench.daemon.become({ state: 'idle', errors: [] });
    await page.locator('[data-card=needs]').waitFor({ state: 'detached' });
    await page.getByText('Everything is synced').waitFor();
  });

  itInBrowser('does not hide that the server is away', async () => {
    await bench.write('doc', 'theirs');
    await bench.write('doc (conflict)', 'mine');
    const conflict = { id: 4, when: '2026-01-02T03:04:05Z', path: 'doc', copy: 'doc (conflict)' };
    bench.daemon.become({
      ...{ state: 'conflict', connected: false, offlineSince: new Date().toISOString() },
      conflicts: [{ ...conflict, kind: 'contents' }],
    });
    const page = await bench.open();
    await page.getByText(/^Offline since (\d+ \w+ \d{4}, )?\d\d:\d\d$/).waitFor();
    await page.locator('[data-activity=offline][data-attention=conflict]').waitFor();
    expect(await page.title()).toBe('Offline – Godwit');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.locator('[data-pane=conflicts][aria-current=page]').waitFor();
    // Also where the state itself is not shown.
    await page.getByText(/^Offline since/).waitFor();
  });
});

describe('many removals at once', () => {
  itInBrowser('can be taken back when the server knows of them, or are meant', async () => {
    const since = new Date(Date.now() - 130 * 60_000).toISOString();
    const { queues } = bench.daemon.snapshot();
    const data = { ...queues.data, updates: 3 };
    const manyRemoved = { files: 1593, since };
    bench.daemon.become({ manyRemoved, queues: { ...queues, data } });
    const page = await bench.open();
    await page.getByText('1,593 files were removed').waitFor();
    await page.getByRole('button', { name: 'Bring them back', disabled: true }).waitFor();
    await page.getByText('as soon as the server knows').waitFor();
    expect(bench.daemon.calls.join()).not.toContain('restore');
    bench.daemon.become({ queues });
    await page.getByText('That began 2 h ago').waitFor();
    const done = [{ path: '/project', as: 'made', to: '/project' }] as const;
    bench.daemon.report = { done, failed: [] };
    await page.getByRole('button', { name: 'Bring them back' }).click();
    await page.getByText('Brought back: /project').waitFor();
    await page.locator('[data-card=removed]').waitFor({ state: 'detached' });
    expect(bench.daemon.calls.join()).toContain('restore home {"path":[],"version":null,"at":');
    bench.daemon.become({ manyRemoved: { files: 200, since: new Date().toISOString() } });
    await page.getByRole('button', { name: 'It was meant' }).click();
    await page.locator('[data-card=removed]').waitFor({ state: 'detached' });
  });
});

describe('many files that another laptop removed', () => {
  itInBrowser('can be brought back, or are meant', async () => {
    const since = new Date(Date.now() - 130 * 60_000).toISOString();
    const one = {
      device: 2,
      by: 'laptop-b',
      volume: 'home',
      files: 1593,
      since,
      from: 7,
      to: 1600,
    };
    bench.daemon.become({ othersRemoved: [one, { ...one, by: null, files: 20, from: 2000 }] });
    const page = await bench.open();
    await page.getByText('1,593 files were removed on laptop-b').waitFor();
    await page.getByText('20 files were removed on another laptop').waitFor();
    bench.daemon.report = { done: [{ path: '/a', as: 'made', to: '/a' }], failed: [] };
    await page.getByRole('button', { name: 'Bring them back' }).first().click();
    await page.getByText('Brought back: /a').waitFor();
    expect(bench.daemon.calls.join()).toContain('"removed":{"device":2,"from":7,"to":1600}');
    await page.getByRole('button', { name: 'It was meant' }).click();
    await page.locator('[data-card=removed]').waitFor({ state: 'detached' });
    bench.daemon.become({ othersRemoved: [{ ...one, files: 1600 }] });
    await page.reload();
    await page.locator('[data-state]').first().waitFor();
    expect(await page.locator('[data-card=removed]').count()).toBe(0);
  });
});

describe('a laptop that joins', () => {
  itInBrowser(
    'stays in the list, and is no news once somebody says that it is theirs',
    async () => {
      const since = new Date(Date.now() - 130 * 60_000).toISOString();
      const third = { device: 3, name: 'laptop-c', since, joined: since };
      const devices = [third, { ...third, device: 4, name: 'laptop-d' }];
      bench.daemon.become({ devices });
      const page = await bench.open();
      await page.getByText('2 new laptops joined').waitFor();
      await page.getByRole('button', { name: 'It was me: laptop-d' }).click();
      await page.getByText('A new laptop joined: laptop-c').waitFor();
      await page.getByText('godwit server revoke 3').waitFor();
      await page.getByRole('button', { name: 'It was me' }).click();
      await page.locator('[data-card=joined]').waitFor({ state: 'detached' });
      await page.reload();
      await page.locator('[data-pane=settings]').click();
      await page.locator('[data-card=devices]').getByText('paired 2 h ago').first().waitFor();
      expect(await page.locator('[data-card=joined]').count()).toBe(0);
    },
  );
});

describe('the recent files', () => {
  itInBrowser('say where they came from, and open with a click', async () => {
    const when = new Date(Date.now() - 130 * 60_000).toISOString();
    bench.daemon.versions = {
      ...{ path: '/a/b.txt', removed: null },
      versions: [
        { number: 4, when: 0, by: 'laptop-b', size: 10, present: true, kept: true },
        { number: 3, when: 0, by: 'laptop', size: 9, present: false, kept: true },
      ],
    };
    bench.daemon.become({
      recent: [
        { volume: 'home', path: 'a/b.txt', how: 'received', when },
        { volume: 'home', path: 'c.jpg', how: 'sent', when },
      ],
    });
    const page = await bench.open();
    await page.getByText('from laptop-b, 2 h ago').waitFor();
    await page.getByText('sent 2 h ago').waitFor();
    await page.getByText('Last change 2 h ago, on laptop-b').waitFor();
    await page.getByRole('button', { name: 'b.txt', exact: true }).click();
    await page.getByRole('button', { name: 'Open folder' }).click();
    await page.getByRole('button', { name: 'What to do with b.txt' }).click();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'What to do with b.txt' }).click();
    await page.getByRole('menuitem', { name: 'Versions' }).click();
    bench.daemon.report = { done: [], failed: [] };
    await page.getByRole('button', { name: /Bring back Version/ }).click();
    await page.getByText('Nothing was brought back').waitFor();
    const told = bench.daemon.calls.filter((call) => /^(open|reveal|restore)/.test(call));
    expect(told).toEqual([
      'open a/b.txt',
      'open ',
      'reveal a/b.txt',
      expect.stringMatching(/^restore home .*"version":3/),
    ]);
    // Of each file once.
    expect(bench.daemon.calls.filter((call) => call === 'versions home a/b.txt')).toHaveLength(2);
  });
});

describe('a waiting update', () => {
  itInBrowser('is listed with its reason when no error explains it', async () => {
    const waiting = [
      { path: 'a/b', reason: 'it has an error' },
      ...Array.from({ length: 12 }, (_, at) => ({ path: `c${at}`, reason: 'it is being written' })),
    ];
    bench.daemon.become({ state: 'error', errors: [BLOCKED], waiting });
    const page = await openedWithDetails();
    const list = page.getByRole('list', { name: 'Waiting' });
    await list.getByText('and 2 more').waitFor();
    expect(await list.getByRole('listitem').count()).toBe(11);
    expect(await list.getByRole('listitem').first().textContent()).toBe('c0: it is being written');
    bench.daemon.become({ state: 'idle', errors: [], waiting: [] });
    await list.waitFor({ state: 'detached' });
  });
});

describe('a conflict', () => {
  itInBrowser('shows both sides with their differences and is resolved by one click', async () => {
    await bench.write('doc', 'one\ntheirs\nlast');
    await bench.write('doc (conflict)', 'one\nmine\nlast');
    const conflict = { id: 4, when: '2026-01-02T03:04:05Z', path: 'doc', copy: 'doc (conflict)' };
    bench.daemon.become({ state: 'conflict', conflicts: [{ ...conflict, kind: 'contents' }] });
    bench.daemon.resolution = { path: 'doc', removed: 'doc (conflict)' };
    bench.daemon.report = {
      done: [{ path: '/doc (conflict)', as: 'made', to: '/doc (restored)' }],
      failed: [],
    };
    const page = await bench.open();
    await show(page, 'conflicts');
    await page.locator('.side mark').nth(1).waitFor();
    expect(await page.locator('.side mark').allTextContents()).toEqual(['theirs\n', 'mine\n']);
    expect(await page.locator('.side h3').allTextContents()).toEqual([
      'The other laptop’s, at its place',
      'This laptop’s, kept beside',
    ]);
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByText('Resolved: This laptop’s is at doc').waitFor();
    expect(bench.daemon.calls).toContain('resolve 4 mine');
    await page.getByRole('button', { name: 'Bring the other one back' }).click();
    await page.getByText('Brought back: /doc (restored)').waitFor();
    expect(bench.daemon.calls.join()).toContain('restore home {"path":["doc (conflict)"]');
  });
});

describe('the page', () => {
  itInBrowser('is accessible: axe has no serious finding in light and dark mode', async () => {
    queueMany(30);
    await bench.write('doc', 'one\ntheirs\n');
    await bench.write('doc (conflict)', 'one\nmine\n');
    const conflict = { id: 1, when: '2026-01-02T03:04:05Z', path: 'doc', copy: 'doc (conflict)' };
    bench.daemon.become({
      state: 'error',
      errors: [HELD, BLOCKED],
      conflicts: [{ ...conflict, kind: 'contents' }],
      waiting: [{ path: 'c', reason: 'it is being written' }],
    });
    const page = await openedWithDetails();
    await page.locator('#queue-data-1').click();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const pane of PANES) {
        await show(page, pane);
        await openDetails(page);
        expect({ pane, found: await graveFindings(page) }).toEqual({ pane, found: [] });
      }
    }
  });

  itInBrowser('wraps at 200 and 400 % zoom without sideways scrolling', async () => {
    queueMany(30);
    await bench.write('doc', 'theirs');
    await bench.write('doc (conflict)', 'mine');
    const conflict = { id: 1, when: '2026-01-02T03:04:05Z', path: 'doc', copy: 'doc (conflict)' };
    bench.daemon.become({ conflicts: [{ ...conflict, kind: 'contents' }] });
    const page = await bench.open();
    for (const width of [640, 320]) {
      await page.setViewportSize({ width, height: 700 });
      for (const pane of PANES) {
        await show(page, pane);
        await openDetails(page);
        const beyond = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect({ pane, width, beyond }).toEqual({ pane, width, beyond: 0 });
      }
    }
  });

  itInBrowser('can be used by the keyboard alone', async () => {
    const page = await bench.open();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('shown');
    const pause = page.getByRole('button', { name: 'Pause' });
    await pause.focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('menuitem', { name: 'For 1 hour' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.locator('[data-state=paused]').waitFor();
    await page.getByRole('button', { name: 'Resume' }).focus();
    await page.keyboard.press('Space');
    await page.locator('[data-state=idle]').waitFor();
    expect(bench.daemon.calls).toEqual(expect.arrayContaining(['pause 3600000', 'resume']));
  });

  itInBrowser('can be opened once: its address is useless to whoever comes later', async () => {
    const address = await bench.endpoint.open();
    const [first, second] = [await browsers.page(), await browsers.page()];
    await first.goto(address);
    await first.locator('[data-state]').waitFor();
    expect(first.url()).not.toContain('token');
    await second.goto(address);
    await second.getByText('This page has been opened before').waitFor();
    await first.reload();
    await first.locator('[data-state]').waitFor();
    // The refusal is a complaint of the browser's, and was wanted.
    expect(browsers.complaints.splice(0)).toEqual([expect.stringContaining('401')]);
  });

  itInBrowser('shows that the daemon has ended, and what was known last', async () => {
    const page = await bench.open();
    await bench.endpoint.close();
    await page.getByText('The daemon has ended').waitFor();
    await page.locator('.stale [data-state=idle]').waitFor();
    // What it asked once more is a complaint as well.
    await page.close();
    expect(browsers.complaints.splice(0).join()).toMatch(/ERR_/);
  });
});
