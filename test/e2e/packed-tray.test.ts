/**
 * The tray as electron-builder packs it, started by itself as a person would: with the Electron, the Node and the programs that are in the
 * package. Where it is: GODWIT_PACKED_TRAY, as build/package-tray.mjs has made it.
 */
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from '@jest/globals';
import { itNeeds } from '../support/browser.ts';
import { onPath } from '../support/programs.ts';
import { endTray, Screen, startProgram, type RunningTray } from '../support/running-tray.ts';
import { TwoLaptops } from '../support/two-laptops.ts';

const folder = process.env['GODWIT_PACKED_TRAY'];

const bench = new TwoLaptops();
const screen = new Screen();
let tray: RunningTray | null = null;

afterAll(async () => {
  await endTray(tray);
  screen.close();
  await bench.close();
});

const missing =
  folder === undefined
    ? 'GODWIT_PACKED_TRAY names no folder that build/package-tray.mjs has made'
    : onPath('Xvfb') === null
      ? 'there is no Xvfb here; install the package xvfb'
      : null;

itNeeds(missing)(
  'a packed tray sets up a device in its window, and the daemon runs from the package',
  async () => {
    const packed = folder as string;
    const [data, files] = [bench.path('carl', 'data'), bench.path('carl', 'Godwit')];
    await bench.begin();
    await screen.start();
    const env = { ...bench.env, GODWIT_DATA: data };
    tray = await startProgram(join(packed, 'godwit-tray'), [], screen, env);
    const { page, showing } = tray;
    await page.getByText('Welcome to Godwit').waitFor();
    await page.locator('#invitation').fill(await bench.invite(bench.home));
    await page.getByLabel('Folder').fill(files);
    bench.knows(data);
    await page.getByRole('button', { name: 'Start syncing' }).click();
    await page.locator('[data-state=idle]').waitFor();
    await showing('idle');
    const { pid } = await bench.status(data);
    expect(realpathSync(`/proc/${pid}/exe`)).toMatch(join(realpathSync(packed), 'resources'));
    writeFileSync(join(files, 'letter'), 'dear ann\n');
    await bench.flush({ data }, bench.a);
    expect((await bench.godwit(['cat', '/letter', '--data', bench.a.data])).stdout).toBe(
      'dear ann\n',
    );
  },
);
