/** The page in a browser, over a daemon that says what a test wants: what is shown, and what a person can do with it. */
import { afterAll, afterEach, beforeEach, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { DEFAULT_IGNORES } from '../../shared/control/default-ignores.ts';
import type { QueueEntry, QueueOrder } from '../../shared/control/queue.ts';
import type { ErrorStatus } from '../../shared/control/snapshot.ts';
import type { CacheChange } from '../../shared/model/cache.ts';
import type { Fid } from '../../shared/model/fid.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { graveFindings } from '../support/axe.ts';
import { Browsers, itInBrowser } from '../support/browser.ts';
import { FakeDaemon } from '../support/fake-daemon.ts';
import { PageBench } from '../support/page-bench.ts';

const PANES = ['activity', 'files', 'conflicts', 'problems', 'settings'] as const;
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

/** Unfolds all details in the visible pane. */
async function openDetails(page: Page): Promise<void> {
  for (const details of await page.locator('details:not([open]) > summary').all()) {
    await details.click();
  }
}

describe('a queue of a hundred thousand updates', () => {
  itInBrowser('renders only the visible entries and can be scrolled to the last one', async () => {
    queueMany(MANY);
    const page = await bench.open();
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
      ...{ act: 'cancel', target: { number: MANY - 1 }, withDependents: true },
    });
  });

  itInBrowser('keeps its selection while the queue moves', async () => {
    queueMany(50);
    const page = await bench.open();
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

describe('held-back removals', () => {
  itInBrowser('come back after one click and are confirmed only after a second one', async () => {
    bench.daemon.become({ state: 'error', errors: [HELD, BLOCKED] });
    bench.daemon.held = 60;
    const page = await bench.open();
    expect(await page.locator('[data-pane=problems] .badge').textContent()).toBe('2');
    await show(page, 'problems');
    await page.getByRole('button', { name: 'They are meant' }).click();
    expect(bench.daemon.calls).not.toContain('confirm');
    await page.getByRole('button', { name: 'Remove them' }).click();
    await page.getByText('60 removals confirmed').waitFor();
    await page.getByRole('button', { name: 'Bring them back' }).click();
    await page.getByText('0 paths brought back').waitFor();
    // A character that reverses text is shown as a symbol.
    expect(await page.locator('.errors strong').textContent()).toBe(
      'a/b: no right to read\ufffd it',
    );
  });
});

describe('a waiting update', () => {
  itInBrowser('is listed with its reason when no error explains it', async () => {
    const waiting = [
      { path: 'a/b', reason: 'it has an error' },
      ...Array.from({ length: 12 }, (_, at) => ({ path: `c${at}`, reason: 'it is being written' })),
    ];
    bench.daemon.become({ state: 'error', errors: [BLOCKED], waiting });
    const page = await bench.open();
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
    const page = await bench.open();
    await show(page, 'conflicts');
    await page.locator('.side mark').nth(1).waitFor();
    expect(await page.locator('.side mark').allTextContents()).toEqual(['theirs\n', 'mine\n']);
    expect(await page.locator('.side h3').allTextContents()).toEqual([
      'Theirs, at its place',
      'Mine, kept beside',
    ]);
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByText('Resolved: mine is at doc. To have the other one back: godwit').waitFor();
    expect(bench.daemon.calls).toContain('resolve 4 mine');
  });
});

describe('settings', () => {
  itInBrowser('are shown, can be changed, and refuse text in place of a number', async () => {
    const page = await bench.open();
    await show(page, 'settings');
    await page.getByLabel('Programs wait until the server has it').check();
    await page.getByLabel('Wait after the last write').fill('2.5');
    await page.getByLabel('Most that may wait').fill('lots');
    const save = page.locator('form', { has: page.locator('#delay') }).getByRole('button');
    await save.click();
    await page.getByRole('alert').getByText('give a number').waitFor();
    await page.getByLabel('Most that may wait').fill('500');
    await save.click();
    await page.getByText('Saved').waitFor();
    expect(bench.daemon.settings).toEqual({ policy: 'sync', delay: 2500, dirtyLimit: 500_000_000 });
    await page.locator('#network-0-budget').fill('200');
    await page.locator('form.network').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Forget the rule' }).waitFor();
    expect(bench.daemon.ruled[0]).toMatchObject({ network: 'metered', rule: { budget: 200e6 } });
    await page.getByRole('status').getByText('Saved').waitFor();
    await page.getByRole('button', { name: 'Forget the rule' }).click();
    await page.getByRole('button', { name: 'Forget the rule' }).waitFor({ state: 'detached' });
    expect(await page.locator('#network-0-budget').inputValue()).toBe('');
  });

  itInBrowser(
    'include the address of the server and the path of the folder, each with a form',
    async () => {
      const { daemon } = bench;
      const page = await bench.open();
      await show(page, 'settings');
      const [address, place] = [
        page.getByLabel('Address of the server'),
        page.getByLabel('Place of the folder'),
      ];
      expect([await address.inputValue(), await place.inputValue()]).toEqual([
        ...['127.0.0.1:1', '/home/ann/Godwit'],
      ]);
      // By the keyboard: what is typed is saved by the key that ends it, and what is beside is left alone.
      await place.fill('/not yet');
      await address.fill('files.example.org:4433 ');
      await address.press('Enter');
      await page.getByRole('status').getByText('Saved').waitFor();
      expect(daemon.calls).toContain('server-address files.example.org:4433');
      expect(await place.inputValue()).toBe('/not yet');
      daemon.placesRefused = new GodwitError('in-the-way', '/not yet: it is not empty');
      await place.press('Enter');
      await page.getByRole('alert').getByText('/not yet: it is not empty; move it away').waitFor();
      expect(await place.inputValue()).toBe('/not yet');
      daemon.placesRefused = null;
      await place.fill('/home/ann/Elsewhere');
      await place.press('Enter');
      await page.getByRole('status').getByText('Saved').waitFor();
      expect(daemon.snapshot().folder).toBe('/home/ann/Elsewhere');
      // Only the program has a dialog to choose the folder.
      expect(await page.getByRole('button', { name: 'Choose …' }).count()).toBe(0);
      // What somebody else says meanwhile is shown where nobody is typing.
      daemon.become({ folder: '/home/ann/Godwit', state: 'paused', paused: true });
      await page.locator('[data-state=paused]').waitFor();
      expect([await address.inputValue(), await place.inputValue()]).toEqual([
        ...['files.example.org:4433', '/home/ann/Godwit'],
      ]);
      // The refusal is a complaint of the browser's, and was wanted.
      expect(browsers.complaints.splice(0)).toEqual([expect.stringContaining('409')]);
    },
  );

  itInBrowser('have no path of a folder when there is none', async () => {
    bench.daemon.become({ folder: null, frontEnd: 'none' });
    const page = await bench.open();
    await show(page, 'settings');
    await page.getByLabel('Address of the server').waitFor();
    expect(await page.getByLabel('Place of the folder').count()).toBe(0);
  });

  itInBrowser('can be edited once the daemon has sent them and not before', async () => {
    const { daemon } = bench;
    const told = Promise.withResolvers<undefined>();
    daemon.writeback = async (change) => {
      await told.promise;
      return FakeDaemon.prototype.writeback.call(daemon, change);
    };
    const page = await bench.open();
    await show(page, 'settings');
    await page.locator('#cache-maximum').fill('lots');
    const form = page.locator('form', { has: page.locator('#cache-maximum') });
    await form.getByRole('button').click();
    await page.getByRole('alert').getByText('give a number').waitFor();
    expect(await page.locator('#delay').count()).toBe(0);
    told.resolve(undefined);
    // What is asked of itself takes no word away that a person has yet to read.
    await page.locator('#delay').waitFor();
    await page.getByRole('alert').getByText('give a number').waitFor();
    expect(await page.locator('#cache-maximum').inputValue()).toBe('lots');
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
    const page = await bench.open();
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

  itInBrowser('shows that the daemon has ended', async () => {
    const page = await bench.open();
    await bench.endpoint.close();
    await page.getByText('The daemon has ended').waitFor();
    expect(browsers.complaints.splice(0).join()).toMatch(/ERR_/);
  });
});

describe('the files pane', () => {
  /** Of two files in a folder, and one beside it. */
  async function filled(): Promise<Page> {
    const { fileSystem } = bench.daemon;
    const [volume] = await fileSystem.volumes();
    const root = volume?.root as Fid;
    const { fid } = await fileSystem.mkdir(root, 'src', { mode: 0o755 });
    for (const name of ['a.c', 'b.c']) await fileSystem.create(fid, name, { mode: 0o644 });
    await bench.write('notes', 'four');
    bench.daemon.cached = { files: 1, bytes: 1000, unchanged: 0, failed: 0, exceptions: [] };
    const page = await bench.open();
    await show(page, 'files');
    await page.locator('tr[data-name=notes]').waitFor();
    return page;
  }

  itInBrowser('lists files, fetches them and evicts them', async () => {
    const page = await filled();
    expect(await page.locator('tr[data-name=notes]').textContent()).toMatch(/notes\s*4 B\s*here/);
    expect(await page.locator('[data-act=pin]').isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'src/' }).click();
    await page.getByLabel('Select b.c').check();
    await page.getByRole('button', { name: 'Keep here' }).click();
    await page.getByText('1 file (1.0 KB) always here now').waitFor();
    expect(bench.daemon.calls).toContain('pin home src/b.c');
    await page.getByRole('button', { name: 'All files' }).click();
    await page.getByLabel('Select src').check();
    await page.getByLabel('Select notes').check();
    const exceptions = [{ path: '/notes', why: 'it is in use' }];
    bench.daemon.cached = { files: 1, bytes: 500, unchanged: 0, failed: 1, exceptions };
    await page.getByRole('button', { name: 'Free up' }).click();
    await page.getByText('2 files (1.0 KB) freed; 2 files not; /notes: it is in use').waitFor();
  });

  itInBrowser("makes groups from a selection or from the daemon's suggestions", async () => {
    const page = await filled();
    await page.getByLabel('Select src').check();
    await page.locator('[data-act=group]').click();
    await page.getByRole('alert').getByText('Give the group a name first').waitFor();
    await page.getByLabel('Name of the group').fill('build');
    const [named] = await bench.daemon.fileSystem.volumes();
    const notes = await bench.daemon.fileSystem.lookup(named?.root as Fid, 'notes');
    const files = [{ fid: notes.fid, path: '/notes' }];
    bench.daemon.suggested = [{ volume: 'home', files, times: 3 }];
    await page.locator('[data-act=group]').click();
    const group = page.locator('[data-group=build]');
    await group.getByText('2 files').waitFor();
    await group.getByRole('button', { name: 'Its files', exact: true }).click();
    await group.getByText('/src/b.c').waitFor();
    await page.getByText('/notes: 3 times').waitFor();
    await page.getByRole('button', { name: 'Make it a group' }).click();
    await page.locator('[data-group=inferred-1]').getByText('1 file, inferred').waitFor();
    await group.getByRole('button', { name: 'Ungroup build' }).click();
    await group.waitFor({ state: 'detached' });
  });

  itInBrowser('shows the ignore rules when there is a folder', async () => {
    const page = await filled();
    await page.getByText('Default rules').focus();
    await page.keyboard.press('Enter');
    const rules = page.getByRole('table', { name: 'Default rules' });
    expect(await rules.locator('tbody tr').count()).toBe(DEFAULT_IGNORES.length);
    await rules.getByRole('row', { name: 'Thumbs.db Windows' }).waitFor();
    bench.daemon.become({ folder: null, frontEnd: 'none' });
    await rules.waitFor({ state: 'detached' });
  });

  itInBrowser('sets a sharing order and withdraws it', async () => {
    const page = await filled();
    await page.getByLabel('Select notes').check();
    await page.getByLabel('Who uses the selected files').selectOption('shared');
    await page.locator('[data-act=share]').click();
    await page.getByText('Said of 1 thing').waitFor();
    const takeBack = page.getByRole('button', { name: 'Take back what was said of /notes' });
    await takeBack.click();
    await page.getByText('Nobody has said anything').waitFor();
    const told = bench.daemon.calls.filter((call) => call.startsWith('sharing'));
    expect(told.map((call) => call.split(' ')[2])).toEqual(['shared', 'null']);
  });

  itInBrowser('lists what keeps contents cached, with the bound', async () => {
    const use = bench.daemon.cacheHas;
    bench.daemon.cacheHas = {
      ...use,
      ...{ files: 3, bytes: 6000, limit: 20_000, reserve: 7000 },
      kept: { ...use.kept, pinned: { files: 1, bytes: 1000 }, rest: { files: 2, bytes: 5000 } },
      disk: { free: 9000, total: 90_000 },
      pins: { total: 1, first: [{ volume: 'home', path: 'src', isFolder: true }] },
    };
    const page = await filled();
    await page.getByText('6.0 KB of the 20.0 KB it may have now.').waitFor();
    expect(await page.locator('[data-kept=rest]').textContent()).toMatch(/5\.0 KB2 files$/);
    await page.getByRole('button', { name: 'No longer keep src/' }).click();
    await page.getByText('no longer kept').first().waitFor();
    expect(bench.daemon.calls).toContain('unpin home src');
  });
});

describe('the settings of the cache and of reading', () => {
  itInBrowser('are shown and changed', async () => {
    const page = await bench.open();
    await show(page, 'settings');
    expect(await page.locator('#cache-maximum').inputValue()).toBe('');
    await page.locator('#cache-maximum').fill('lots');
    const form = page.locator('form', { has: page.locator('#cache-maximum') });
    await form.getByRole('button').click();
    await page.getByRole('alert').getByText('At most').waitFor();
    await page.locator('#cache-maximum').fill('5000');
    await page.locator('#cache-reserve').fill('100');
    await form.getByRole('checkbox').uncheck();
    await form.getByRole('button').click();
    await page.getByText('Saved').waitFor();
    expect(bench.daemon.caching).toMatchObject({
      ...{ maximum: 5_000_000_000, reserve: 100_000_000, prefetch: false, isBounded: true },
    });
    // What is left as it was is not said: a bound that nobody meant would empty the folder.
    const { promise, resolve } = Promise.withResolvers<CacheChange>();
    const { daemon } = bench;
    daemon.cacheSettings = (change) => {
      resolve(change);
      return FakeDaemon.prototype.cacheSettings.call(daemon, change);
    };
    await page.locator('#cache-maximum').fill('');
    await form.getByRole('button').click();
    expect(await promise).toEqual({ maximum: null, prefetch: false });
    await page.getByLabel('Refuse to open it').check();
    await page.locator('input[value=try-again]:checked').waitFor();
    expect(bench.daemon.consistent.awayReads).toBe('try-again');
  });
});
