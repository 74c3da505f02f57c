/**
 * The page in each state that people meet, light and dark, narrow and wide: nothing scrolls sideways, and axe has no serious finding. With
 * GODWIT_SCREENS a folder gets a picture of each.
 */
import { afterAll, afterEach, beforeEach, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Browsers, itInBrowser } from '../support/browser.ts';
import { look } from '../support/look.ts';
import { PageBench } from '../support/page-bench.ts';
import { enter, STATES, type PageState } from '../support/page-states.ts';

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

async function opened(state: PageState): Promise<Page> {
  await enter(bench, state);
  return bench.open({ width: 420, height: 640 });
}

describe('the first page', () => {
  for (const state of Object.keys(STATES) as PageState[]) {
    itInBrowser(`is whole and readable when it is ${state}`, async () => {
      const page = await opened(state);
      // Nobody tells while it is offline.
      const isTold = state !== 'empty' && state !== 'offline with a conflict';
      if (state === 'busy') await page.locator('.moving .bar').waitFor();
      if (isTold) await page.getByText('from laptop-b').waitFor();
      await look(page, state.replaceAll(' ', '-'));
    });
  }

  itInBrowser('is whole and readable with its details', async () => {
    const page = await opened('busy');
    await page.locator('[data-act=details]').click();
    await page.locator('#queue-data-1').waitFor();
    await page.locator('[data-card=counts]').getByText('95.0 %').waitFor();
    await look(page, 'details');
  });
});

describe('the other parts', () => {
  itInBrowser('show files with their states, a menu, versions and deleted files', async () => {
    const page = await opened('busy');
    await page.locator('[data-pane=files]').click();
    await page.locator('tr[data-name=letters]').waitFor();
    await look(page, 'files');
    await page.getByLabel('Select README.md').check();
    await look(page, 'files-selected');
    await page.getByRole('button', { name: 'What to do with README.md' }).click();
    await page.getByRole('menu').waitFor();
    await look(page, 'files-menu').catch((error: unknown) => {
      // A menu closes when the window changes its size.
      if (page.isClosed()) throw error;
    });
    await page.getByRole('button', { name: 'What to do with README.md' }).click();
    await page.getByRole('menuitem', { name: 'Versions' }).click();
    await page.getByText('the present one').waitFor();
    await look(page, 'versions');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Deleted files' }).click();
    await page.getByText('project').waitFor();
    await look(page, 'deleted');
  });

  itInBrowser('show conflicts side by side', async () => {
    await bench.write('doc', 'one\ntheirs\nlast');
    await bench.write('doc (conflict)', 'one\nmine\nlast');
    const page = await opened('error');
    bench.daemon.become({
      conflicts: [
        {
          ...{ id: 1, when: '2026-01-02T03:04:05Z', volume: 'home', kind: 'contents' },
          ...{ path: 'doc', copy: 'doc (conflict)' },
        },
      ],
    });
    await page.locator('[data-pane=conflicts]').click();
    await page.locator('.side mark').nth(1).waitFor();
    await look(page, 'conflict');
  });

  itInBrowser('show the settings', async () => {
    const page = await opened('idle');
    await page.locator('[data-pane=settings]').click();
    await page.locator('#cache-maximum').fill('5');
    await page.getByText('Discard').waitFor();
    await look(page, 'settings');
    await page.locator('[data-act=advanced]').click();
    await page.locator('#delay').waitFor();
    await look(page, 'settings-advanced');
  });
});
