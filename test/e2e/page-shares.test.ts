/** People and shared folders in the window, in a browser, over a daemon that says what a test wants. */
import { afterAll, afterEach, beforeEach, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { USUAL_SETS } from '../../shared/model/access-list.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { graveFindings } from '../support/axe.ts';
import { Browsers, itInBrowser } from '../support/browser.ts';
import { PageBench } from '../support/page-bench.ts';
import { member, SharedFolders } from '../support/shared-folders.ts';

const browsers = new Browsers();
let bench: PageBench;
let shared: SharedFolders;
beforeEach(() => {
  bench = new PageBench(browsers);
  shared = new SharedFolders(bench.daemon);
});
afterEach(async () => {
  await bench.close();
  expect(browsers.complaints.splice(0)).toEqual([]);
});
afterAll(() => browsers.close());

const { read, write, admin } = USUAL_SETS;
const WHY = 'it shows a volume that this laptop may not see';

/** Where pictures of the states go, for people who look at them; unset: none are taken. */
const PICTURES = process.env['GODWIT_PICTURES'];

async function picture(page: Page, name: string): Promise<void> {
  expect(await graveFindings(page)).toEqual([]);
  if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${name}.png` });
}

/** Folders of each kind, and one that is offered. */
async function filled(): Promise<void> {
  const { daemon } = bench;
  shared.add('trip-00aa', null, [member('ann', admin), member('bob', write), member('cid', read)]);
  shared.add('plans-00bb', 'dora', [member('dora', admin), member('ann', read)]);
  shared.add('music-00cc', 'bob', [member('bob', admin), member('ann', write)]);
  await shared.mount('trip', 'trip-00aa');
  await shared.mount('plans', 'plans-00bb');
  await shared.mount('gone', null, WHY);
  await daemon.fileSystem.mkdir(daemon.fileSystem.info.root, 'letters', { mode: 0o755 });
  await bench.write('notes', 'four');
  const [home] = daemon.snapshot().volumes;
  if (home === undefined) throw new Error('there is a volume');
  daemon.become({
    volumes: [home, { ...home, id: 3, name: 'plans-00bb', rights: 'read' }],
  });
}

async function files(size?: { width: number; height: number }): Promise<Page> {
  await filled();
  const page = await bench.open(size);
  await page.locator('[data-pane=files]').click();
  await page.locator('tr[data-name=trip] .mount').waitFor();
  await page.getByText('shared with bob and cid').waitFor();
  return page;
}

async function choose(page: Page, name: string, label: string): Promise<void> {
  await page.locator(`tr[data-name=${name}]`).click({ button: 'right' });
  await page.getByRole('menuitem', { name: label }).click();
}

describe('shared folders in the window', () => {
  itInBrowser('are marked in words, and their members are changed in a dialog', async () => {
    const page = await files();
    const words = (name: string) => page.locator(`tr[data-name=${name}] .mount`);
    await words('plans').getByText('shared by dora, read-only', { exact: true }).waitFor();
    await words('gone').getByText(`not shown here: ${WHY}`, { exact: true }).waitFor();
    await choose(page, 'trip', 'Share …');
    const dialog = page.getByRole('dialog', { name: 'Share trip' });
    await dialog.locator('[data-member]').nth(2).waitFor();
    expect(await dialog.locator('[data-member]').count()).toBe(3);
    await dialog.getByLabel('What cid may do').selectOption('write');
    await dialog.getByText('cid may change what is in it').waitFor();
    await dialog.getByRole('button', { name: 'Remove bob' }).click();
    await dialog.locator('[data-member=bob]').waitFor({ state: 'detached' });
    await dialog.getByLabel('Person or @team').fill('nobody');
    await dialog.getByRole('button', { name: 'Share', exact: true }).click();
    await dialog.getByRole('alert').getByText('there is no user nobody').waitFor();
    expect(shared.entries.get('trip-00aa')).toEqual([member('ann', admin), member('cid', write)]);
    await page.keyboard.press('Escape');
    await words('trip').getByText('shared with cid').waitFor();
  });

  itInBrowser('are made of a folder with its files, which others see at once', async () => {
    const page = await files();
    const { access, fileSystem } = bench.daemon;
    const { fid } = await fileSystem.lookup(fileSystem.info.root, 'letters');
    await fileSystem.create(fid, 'draft', { mode: 0o644 });
    let isInTheWay = true;
    access.handOver = async (_around, _path, volume) => {
      if (isInTheWay) throw new GodwitError('not-empty', '/letters/pipe can not go along');
      if (volume !== null) await fileSystem.remove({ dir: fid, name: 'draft' });
    };
    await choose(page, 'letters', 'Share …');
    const dialog = page.getByRole('dialog', { name: 'Share letters' });
    await dialog.getByText('/letters/pipe can not go along').waitFor();
    expect(await dialog.getByLabel('Person or @team').count()).toBe(0);
    isInTheWay = false;
    await page.keyboard.press('Escape');
    await choose(page, 'letters', 'Share …');
    await dialog.getByText('1 file (0 B) goes along').waitFor();
    await dialog.getByLabel('Person or @team').fill('@crew');
    await dialog.getByLabel('What they may do').selectOption('read');
    await dialog.getByRole('button', { name: 'Share', exact: true }).click();
    await dialog.getByText('@crew may read what is in it').waitFor();
    await dialog.locator('[data-member=crew]').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('tr[data-name=letters]').getByText('shared with @crew').waitFor();
  });

  itInBrowser('are left after a question that says what stays where', async () => {
    const page = await files();
    await choose(page, 'plans', 'Leave …');
    await page.getByText('Its files stay with dora').waitFor();
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByText('You have left plans').waitFor();
    await page.locator('tr[data-name=plans]').waitFor({ state: 'detached' });
  });

  itInBrowser('are offered on the first page, put off, and accepted at a place', async () => {
    await filled();
    const page = await bench.open({ width: 420, height: 640 });
    const offer = page.locator('[data-need=offer]');
    await offer.getByText('is shared with you by bob. You may change what is in it.').waitFor();
    await picture(page, 'offer-light-420');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 960, height: 640 });
    await picture(page, 'offer-dark-960');
    await offer.getByRole('button', { name: 'Not now: music' }).click();
    await page.getByRole('button', { name: '1 shared folder put off' }).click();
    const place = offer.getByLabel('Where it is to be, in your folder');
    await place.fill('notes');
    await offer.getByRole('button', { name: 'Accept music' }).click();
    await page.getByText('/notes: something is called so; name another folder').waitFor();
    await place.fill('from bob');
    await offer.getByRole('button', { name: 'Accept music' }).click();
    await page.getByText('music is in your folder now, as /from bob').waitFor();
    await offer.waitFor({ state: 'detached' });
  });

  itInBrowser('say what changed when a right is taken, without a reload', async () => {
    const page = await files();
    await shared.mount('music', 'music-00cc');
    bench.daemon.become({ summary: 'later' });
    const music = page.locator('tr[data-name=music] .mount');
    await music.getByText('shared by bob').waitFor();
    const [home] = bench.daemon.snapshot().volumes;
    if (home === undefined) throw new Error('there is a volume');
    bench.daemon.become({
      volumes: [home, { ...home, id: 4, name: 'music-00cc', rights: 'read' }],
    });
    await music.getByText('shared by bob, read-only').waitFor();
  });

  itInBrowser('are legible in light and dark, narrow and wide', async () => {
    const page = await files({ width: 960, height: 640 });
    for (const [theme, width] of [
      ['light', 960],
      ['dark', 420],
    ] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize({ width, height: 640 });
      await page.locator('[data-pane=files]').click();
      await page.locator('tr[data-name=trip] .mount').waitFor();
      await picture(page, `files-${theme}-${width}`);
      await page.locator('tr[data-name=trip]').click({ button: 'right' });
      await picture(page, `menu-${theme}-${width}`);
      await page.getByRole('menuitem', { name: 'Share …' }).click();
      await page.locator('[data-member=bob]').waitFor();
      await picture(page, `share-${theme}-${width}`);
      await page.keyboard.press('Escape');
      await choose(page, 'plans', 'Leave …');
      await page.getByRole('dialog', { name: 'Leave plans?' }).waitFor();
      await picture(page, `leave-${theme}-${width}`);
      await page.keyboard.press('Escape');
    }
  });
});
