/** The files pane in a browser, over a daemon that says what a test wants. */
import { afterAll, afterEach, beforeEach, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { DEFAULT_IGNORES } from '../../shared/control/default-ignores.ts';
import type { Fid } from '../../shared/model/fid.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
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

const show = (page: Page, pane: 'files' | 'settings'): Promise<void> =>
  page.locator(`[data-pane=${pane}]`).click();

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

  /** What was made of files stands in the settings. */
  async function advanced(page: Page): Promise<void> {
    await show(page, 'settings');
    await page.locator('[data-act=advanced]').click();
  }

  itInBrowser('lists files with their states, keeps them and frees them', async () => {
    const page = await filled();
    const row = page.locator('tr[data-name=notes]');
    expect(await row.locator('.how').textContent()).toBe(' synced');
    expect(await page.locator('tbody tr').first().getAttribute('data-name')).toBe('src');
    expect(await page.locator('[data-act=pin]').count()).toBe(0);
    await page.getByRole('button', { name: 'src', exact: true }).click();
    await page.getByRole('button', { name: 'What to do with b.c' }).click();
    await page.getByRole('menuitem', { name: 'Keep on this laptop' }).click();
    await page.getByText('1 file (1.0 KB) always here now').waitFor();
    expect(bench.daemon.calls).toContain('pin home src/b.c');
    await page.getByRole('button', { name: 'All files' }).click();
    await page.getByLabel('Select src').check();
    await page.getByLabel('Select notes').check();
    const exceptions = [{ path: '/notes', why: 'it is in use' }];
    bench.daemon.cached = { files: 1, bytes: 500, unchanged: 0, failed: 1, exceptions };
    await page.locator('[data-act=evict]').click();
    await page.getByText('2 files (1.0 KB) freed; 2 files not; /notes: it is in use').waitFor();
    await page.locator('[data-act=evict]').waitFor({ state: 'detached' });
  });

  itInBrowser('opens a file by its name, and its menu by the other button', async () => {
    const page = await filled();
    await page.getByRole('button', { name: 'notes', exact: true }).click();
    await page.locator('tr[data-name=notes]').click({ button: 'right' });
    const shown = page.waitForResponse(/\/open$/);
    await page.getByRole('menuitem', { name: 'Show in folder' }).click();
    await shown;
    await page.locator('tr[data-name=notes]').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Look at it' }).click();
    await page.getByRole('dialog').getByText('four').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(bench.daemon.calls).toEqual(expect.arrayContaining(['open notes', 'reveal notes']));
  });

  itInBrowser('locks a file, unlocks it, and shows the lock of another', async () => {
    const page = await filled();
    const row = page.locator('tr[data-name=notes]');
    const choose = async (label: string): Promise<void> => {
      await row.click({ button: 'right' });
      await page.getByRole('menuitem', { name: label }).click();
    };
    await choose('Lock while I edit it');
    await row.getByText('locked by this laptop').waitFor();
    await choose('Unlock');
    await row.locator('.locked').waitFor({ state: 'detached' });
    await choose('Lock while I edit it');
    await row.getByText('locked by this laptop').waitFor();
    const { locks } = bench.daemon;
    locks.rows = locks.rows.map((lock) => ({ ...lock, isOwn: false, device: 'study' }));
    await show(page, 'settings');
    await show(page, 'files');
    await row.getByText('locked by study (ada)').waitFor();
    await choose('Break the lock');
    await row.locator('.locked').waitFor({ state: 'detached' });
  });

  itInBrowser('has the state of a folder from all that is in it', async () => {
    const page = await filled();
    const how = page.locator('tr[data-name=src] .how');
    bench.daemon.queueAt = (volume, path) => {
      expect([volume, path[0] === 'src' || path[0] === 'notes']).toEqual(['home', true]);
      const isSource = path[0] === 'src';
      return Promise.resolve({
        ...{ updates: isSource ? 3 : 0, bytes: 100, sentBytes: 60 },
        ...{ kept: null, moving: 'sending' },
      });
    };
    const { queues } = bench.daemon.snapshot();
    bench.daemon.become({ queues: { ...queues, data: { ...queues.data, updates: 3 } } });
    await how.getByText('3 changes, 60 %').waitFor();
    const conflict = { id: 4, when: '', path: 'src/a.c', copy: 'src/a (conflict).c' };
    bench.daemon.become({ conflicts: [{ ...conflict, kind: 'contents' }] });
    await how.getByText('1 conflict inside').waitFor();
  });

  itInBrowser('sorts by a column, and finds names in the folder and below', async () => {
    const page = await filled();
    await bench.write('Zebra', 'a longer text');
    bench.daemon.become({ summary: 'later' });
    const names = async (): Promise<Array<string | null>> =>
      Promise.all(
        (await page.locator('tbody tr').all()).map((row) => row.getAttribute('data-name')),
      );
    await page.locator('tr[data-name=Zebra]').waitFor();
    expect(await names()).toEqual(['src', 'notes', 'Zebra']);
    await page.getByRole('button', { name: 'Sort by size' }).click();
    await page.getByRole('button', { name: 'Sort by size' }).click();
    await page.locator('th[aria-sort=descending].size').waitFor();
    expect(await names()).toEqual(['src', 'Zebra', 'notes']);
    await page.getByRole('searchbox').fill('.C');
    await page.getByText('2 matches').waitFor();
    expect(new Set(await names())).toEqual(new Set(['a.c', 'b.c']));
    await page.getByRole('searchbox').fill('nowhere');
    await page.getByText('Nothing here has “nowhere” in its name').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.locator('tr[data-name=src]').waitFor();
  });

  itInBrowser('brings back older versions and what was deleted', async () => {
    const page = await filled();
    bench.daemon.versions = {
      ...{ path: '/notes', removed: null },
      versions: [
        { number: 9, when: 0, by: 'laptop-b', size: 4, present: true, kept: true },
        { number: 7, when: 0, by: null, size: 3, present: false, kept: true },
      ],
    };
    bench.daemon.removed = {
      path: '/',
      removed: [{ path: '/gone', kind: 'file', size: 5, when: 0, by: 'laptop-b' }],
    };
    const done = [{ path: '/notes', as: 'contents', to: '/notes' }] as const;
    bench.daemon.report = { done, failed: [] };
    await page.getByRole('button', { name: 'What to do with notes' }).click();
    await page.getByRole('menuitem', { name: 'Versions' }).click();
    await page.getByText('the present one').waitFor();
    await page.getByRole('button', { name: /Bring back Version of/ }).click();
    await page.getByText('Brought back: /notes').waitFor();
    await page.getByRole('button', { name: 'Deleted files' }).click();
    await page.getByRole('button', { name: 'Bring back gone' }).click();
    await page.getByText('Brought back: /notes').waitFor();
    const told = bench.daemon.calls.filter((call) => call.startsWith('restore'));
    expect(told).toEqual([
      'restore home {"path":["notes"],"version":7,"at":null,"to":null}',
      'restore home {"path":["gone"],"version":null,"at":null,"to":null}',
    ]);
    bench.daemon.past.removed = () => Promise.reject(new GodwitError('not-connected'));
    await page.getByRole('button', { name: 'Deleted files' }).click();
    await page.getByRole('button', { name: 'Deleted files' }).click();
    await page.getByText('the server is away and this is not in the cache').waitFor();
  });

  itInBrowser('undoes what this laptop did after it has shown what that is', async () => {
    const page = await filled();
    const done = [{ path: '/gone', as: 'made', to: '/gone' }] as const;
    bench.daemon.report = { done, failed: [] };
    await page.getByRole('button', { name: 'Undo …' }).click();
    await page.getByText('/gone comes back').waitFor();
    await page.getByLabel('How much').selectOption('five');
    await page.getByText('/gone comes back').waitFor();
    expect(bench.daemon.calls.filter((call) => / false$/.test(call))).toEqual([]);
    await page.getByRole('button', { name: 'Undo 1 change' }).click();
    await page.getByText('1 change undone').waitFor();
    const told = bench.daemon.calls.filter((call) => call.startsWith('undo'));
    expect(told).toEqual([
      ...['undo home {"last":1} true', 'undo home {"last":5} true', 'undo home {"last":5} false'],
    ]);
  });

  itInBrowser("makes groups from a selection or from the daemon's suggestions", async () => {
    const page = await filled();
    await page.getByLabel('Select src').check();
    await page.getByRole('button', { name: 'Groups and sharing' }).click();
    await page.locator('[data-act=group]').click();
    await page.getByRole('alert').getByText('Give the group a name first').waitFor();
    await page.getByLabel('Name of the group').fill('build');
    const [named] = await bench.daemon.fileSystem.volumes();
    const notes = await bench.daemon.fileSystem.lookup(named?.root as Fid, 'notes');
    const files = [{ fid: notes.fid, path: '/notes' }];
    bench.daemon.suggested = [{ volume: 'home', files, times: 3 }];
    await page.locator('[data-act=group]').click();
    await page.getByText('build is a group now').waitFor();
    await advanced(page);
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
    await advanced(page);
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
    await page.getByRole('button', { name: 'Groups and sharing' }).click();
    await page.getByLabel('Who uses the selected files').selectOption('shared');
    await page.locator('[data-act=share]').click();
    await page.getByText('Said of 1 thing').waitFor();
    await advanced(page);
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
    await advanced(page);
    await page.getByText('6.0 KB of the 20.0 KB it may have now.').waitFor();
    expect(await page.locator('[data-kept=rest]').textContent()).toMatch(/5\.0 KB2 files$/);
    await page.getByRole('button', { name: 'No longer keep src/' }).click();
    await page.getByText('no longer kept').first().waitFor();
    expect(bench.daemon.calls).toContain('unpin home src');
  });
});
