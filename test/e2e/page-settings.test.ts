/** The settings of the page in a browser: what is shown, saved, refused, and thrown away. */
import { afterAll, afterEach, beforeEach, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { CacheChange } from '../../shared/model/cache.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { Browsers, itInBrowser } from '../support/browser.ts';
import { FakeDaemon } from '../support/fake-daemon.ts';
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

/** Unfolds what few need. */
async function openDetails(page: Page): Promise<void> {
  await page.locator('[data-act=advanced][aria-expanded=false]').click();
}

describe('settings', () => {
  itInBrowser('are changed in several parts and saved by one button', async () => {
    const page = await bench.open();
    await show(page, 'settings');
    await openDetails(page);
    await page.getByLabel('Programs wait until the server has it').check();
    await page.getByLabel('Wait after the last write').fill('2.5');
    await page.getByLabel('Most that may wait').fill('lots');
    await page.locator('#network-0-budget').fill('200');
    const save = page.getByRole('button', { name: 'Save' });
    await save.click();
    await page.getByRole('alert').getByText('give a number').waitFor();
    await page.getByLabel('Most that may wait').fill('500');
    await page.getByLabel('Most that may wait').press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    await save.waitFor({ state: 'detached' });
    expect(bench.daemon.settings).toEqual({ policy: 'sync', delay: 2500, dirtyLimit: 500_000_000 });
    await page.getByRole('button', { name: 'Forget the rule' }).waitFor();
    expect(bench.daemon.ruled[0]).toMatchObject({ network: 'metered', rule: { budget: 200e6 } });
    await page.getByRole('button', { name: 'Forget the rule' }).click();
    await page.getByRole('button', { name: 'Forget the rule' }).waitFor({ state: 'detached' });
    expect(await page.locator('#network-0-budget').inputValue()).toBe('');
  });

  itInBrowser('are saved as they were typed last, however soon Enter follows', async () => {
    const page = await bench.open();
    await show(page, 'settings');
    await page.getByText('are chosen in its window').waitFor();
    await openDetails(page);
    const field = page.getByLabel('Most that may wait');
    await field.fill('5');
    await page.getByRole('button', { name: 'Save' }).waitFor();
    // Before the browser draws again, as on a busy machine.
    await field.focus();
    await page.evaluate(`(async () => {
      const input = document.activeElement;
      input.value = '500';
      input.dispatchEvent(new InputEvent('input', { bubbles: true }));
      await Promise.resolve();
      input.form.requestSubmit();
    })()`);
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(bench.daemon.settings.dirtyLimit).toBe(500_000_000);
  });

  itInBrowser('return to what they were when changes are discarded', async () => {
    const page = await bench.open();
    await show(page, 'settings');
    await page.locator('#cache-minimum').fill('7');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    expect(await page.locator('#cache-minimum').inputValue()).toBe('256');
  });

  itInBrowser('say what a new bound takes out of the folder before it is saved', async () => {
    bench.daemon.become({ cache: { files: 14, bytes: 350_000_000 } });
    const page = await bench.open();
    await show(page, 'settings');
    await page.locator('#cache-maximum').fill('200');
    await page
      .getByText('About 150.0 MB of the 350.0 MB here will be on the server alone')
      .waitFor();
    expect(bench.daemon.calls.join()).not.toContain('maximum');
  });

  itInBrowser('choose the look of the page, which stays for the next page', async () => {
    const page = await bench.open();
    await show(page, 'settings');
    const back = (of: Page) =>
      of.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await back(page);
    await page.getByLabel('Light or dark').selectOption('dark');
    await page.locator('html[data-theme=dark]').waitFor();
    expect(await back(page)).not.toBe(light);
    await page.reload();
    await page.locator('html[data-theme=dark]').waitFor();
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
      await page.getByText('Saved', { exact: true }).waitFor();
      expect(daemon.calls).toContain('server-address files.example.org:4433');
      expect(await place.inputValue()).toBe('/not yet');
      daemon.placesRefused = new GodwitError('in-the-way', '/not yet: it is not empty');
      await place.press('Enter');
      await page.getByRole('alert').getByText('/not yet: it is not empty; move it away').waitFor();
      expect(await place.inputValue()).toBe('/not yet');
      daemon.placesRefused = null;
      await place.fill('/home/ann/Elsewhere');
      await place.press('Enter');
      await page.getByText('Saved', { exact: true }).waitFor();
      expect(daemon.snapshot().folder).toBe('/home/ann/Elsewhere');
      // Only the program has a dialog to choose the folder.
      expect(await page.getByRole('button', { name: 'Choose …' }).count()).toBe(0);
      // What somebody else says meanwhile is shown where nobody is typing.
      daemon.become({ folder: '/home/ann/Godwit', state: 'paused', paused: true });
      await page.locator('[data-state=paused]').waitFor();
      expect([await address.inputValue(), await place.inputValue()]).toEqual([
        ...['files.example.org:4433', '/home/ann/Godwit'],
      ]);
    },
  );

  itInBrowser('rename this laptop, by the keyboard, and show why a name is refused', async () => {
    const { daemon } = bench;
    const page = await bench.open();
    await show(page, 'settings');
    const { name } = daemon.snapshot().device;
    await page.getByRole('button', { name: `Rename ${name}`, exact: true }).click();
    const field = page.getByLabel(`New name of ${name}`);
    await field.fill('a/b');
    await field.press('Enter');
    await page.getByRole('alert').getByText('it has a slash').waitFor();
    expect(await field.inputValue()).toBe('a/b');
    await field.fill(' Ann’s laptop ');
    await field.press('Enter');
    await page.getByText('It is called Ann’s laptop now').waitFor();
    await page.locator('[data-card=devices] b', { hasText: 'Ann’s laptop' }).waitFor();
    expect(daemon.calls).toContain('rename-device Ann’s laptop');
    expect(await field.count()).toBe(0);
  });

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
    await openDetails(page);
    await page.locator('#cache-maximum').fill('lots');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('give a number').waitFor();
    expect(await page.locator('#delay').count()).toBe(0);
    told.resolve(undefined);
    // What is asked of itself takes no word away that a person has yet to read.
    await page.locator('#delay').waitFor();
    await page.getByRole('alert').getByText('give a number').waitFor();
    expect(await page.locator('#cache-maximum').inputValue()).toBe('lots');
  });
});

describe('the limits', () => {
  itInBrowser('are set in their unit, refused out of their bounds, and taken away', async () => {
    const page = await bench.open();
    await show(page, 'settings');
    const upload = page.getByLabel('Send at most (KB/s)');
    const save = page.getByRole('button', { name: 'Save' });
    expect(await upload.inputValue()).toBe('');
    await upload.fill('5');
    await save.click();
    await page.getByRole('alert').getByText('Send at most').waitFor();
    await upload.fill('500');
    await page.getByLabel('Receive at most (KB/s)').fill('2000');
    await save.click();
    await save.waitFor({ state: 'detached' });
    expect(await bench.daemon.limits({})).toEqual({ upload: 500_000, download: 2_000_000 });
    await upload.fill('');
    await save.click();
    await save.waitFor({ state: 'detached' });
    expect(await bench.daemon.limits({})).toEqual({ upload: null, download: 2_000_000 });
    expect(bench.daemon.calls).toContain('limits {"upload":null}');
  });

  itInBrowser('have a warning beside them when the server is too old', async () => {
    const page = await bench.open();
    await show(page, 'settings');
    const warning = page.getByText('The server does not hold the limit');
    bench.daemon.become({ limits: { upload: 10_000, download: null, server: 'too-old' } });
    bench.daemon.become({ limits: { upload: null, download: 10_000, server: 'too-old' } });
    await warning.waitFor();
    bench.daemon.become({ limits: { upload: null, download: 10_000, server: 'paces' } });
    await warning.waitFor({ state: 'detached' });
  });
});

describe('the settings of the cache and of reading', () => {
  itInBrowser('are shown and changed', async () => {
    const page = await bench.open();
    await show(page, 'settings');
    expect(await page.locator('#cache-maximum').inputValue()).toBe('');
    await page.locator('#cache-maximum').fill('lots');
    const form = page.locator('form', { has: page.locator('#cache-maximum') });
    const save = page.getByRole('button', { name: 'Save' });
    await save.click();
    await page.getByRole('alert').getByText('At most').waitFor();
    await page.locator('#cache-maximum').fill('5000');
    await page.locator('#cache-reserve').fill('100');
    await form.getByRole('checkbox').uncheck();
    await save.click();
    await page.getByText('Saved', { exact: true }).waitFor();
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
    await save.click();
    expect(await promise).toEqual({ maximum: null, prefetch: false });
    await openDetails(page);
    await page.getByLabel('Refuse to open it').check();
    await save.click();
    await save.waitFor({ state: 'detached' });
    expect(bench.daemon.consistent.awayReads).toBe('try-again');
  });
});
