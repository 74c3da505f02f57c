/** `godwit ui` where nothing is set up: the first steps in a browser, from an invitation to the page of the daemon. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { afterAll, afterEach, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { endProcess, firstLine } from '../support/bench.ts';
import { Browsers, itInBrowser } from '../support/browser.ts';
import { look } from '../support/look.ts';
import { TwoLaptops } from '../support/two-laptops.ts';

const bench = new TwoLaptops();
const browsers = new Browsers();
let isBegun = false;

afterEach(async () => {
  await browsers.closePages();
  expect(browsers.complaints.splice(0)).toEqual([]);
});
afterAll(async () => {
  await browsers.close();
  await bench.close();
});

async function invitation(): Promise<string> {
  if (!isBegun) await bench.begin();
  isBegun = true;
  return bench.invite(bench.home);
}

interface Started {
  readonly child: ChildProcess;
  readonly page: Page;
  readonly url: string;
  /** Its exit code and what it said on stderr, when it has ended. */
  readonly ended: Promise<{ code: number | null; stderr: string }>;
}

/** The command on a data folder, and a browser that has followed its address. */
async function started(data: string, env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const child = bench.start(['ui', '--print', '--data', data], env);
  bench.knows(data);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => (stderr += part));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stderr }));
  const url = (await firstLine(child)).trim();
  const page = await browsers.page({ width: 420, height: 640 });
  await page.goto(url);
  await page.getByText('Welcome to Godwit').waitFor();
  return { child, page, url, ended };
}

describe('godwit ui on a new device', () => {
  itInBrowser(
    'pairs it by an invitation, starts it at login and goes on with the page of its daemon',
    async () => {
      const given = await invitation();
      const [data, config] = [bench.path('carl', 'data'), bench.path('carl', 'config')];
      const { page, url, ended } = await started(data, { XDG_CONFIG_HOME: config, PATH: '' });
      await look(page, 'first-run');
      await filled(page, join(bench.env['HOME'] ?? '', 'Godwit'));
      const begin = page.getByRole('button', { name: 'Start syncing' });
      await begin.click();
      await page.getByRole('alert').getByText('Paste the invitation first').waitFor();
      await page.locator('#invitation').fill('godwit://nobody');
      await page.getByText('It is not whole, or was changed on its way').waitFor();
      await look(page, 'first-run-wrong');
      // It outlives a reload, and the address is good only once.
      await page.reload();
      await page.locator('#invitation').fill(given);
      await page.getByText('An invitation of the server 127.0.0.1:').waitFor();
      const other = await browsers.page();
      await other.goto(url);
      await other.getByText('This page has been opened before').waitFor();
      browsers.complaints.splice(0);
      // As a person types it: no shell is there to read it.
      await page.getByLabel('Folder').fill('~/My Godwit');
      await page.getByLabel('Name of this laptop').fill("carl's laptop");
      await begin.click();
      await page.getByText('Your folder is set up').waitFor();
      await look(page, 'first-run-done');
      await page.getByRole('button', { name: 'Done' }).click();
      await page.locator('[data-pane=home][aria-current=page]').waitFor();
      expect(await ended).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/this laptop is set up\n$/),
      });
      expect((await ended).stderr).not.toContain('token');
      const status = await bench.status(data);
      expect(status.folder).toBe(join(bench.env['HOME'] ?? '', 'My Godwit'));
      expect(status.device.name).toBe("carl's laptop");
      expect(new URL(page.url()).origin).not.toBe(new URL(url).origin);
      const entry = readFileSync(join(config, 'autostart', 'godwit-tray.desktop'), 'utf8');
      expect(entry).toContain(`"up" "--data" "${data}"`);
      expect(readFileSync(join(data, 'log', 'startup.log'), 'utf8')).not.toContain(given);
    },
  );

  itInBrowser('runs a server for a device that has none, which starts with it again', async () => {
    const data = bench.path('dora', 'data');
    const env = {
      XDG_CONFIG_HOME: bench.path('dora', 'config'),
      XDG_STATE_HOME: bench.path('dora', 'state'),
    };
    const { page, ended } = await started(data, env);
    const pidOf = () =>
      (JSON.parse(readFileSync(join(data, 'tray', 'server.json'), 'utf8')) as { pid: number }).pid;
    let pid = 0;
    try {
      await page.getByLabel('I have no server yet').check();
      await look(page, 'first-run-server');
      await page.getByLabel('Folder').fill(bench.path('dora', 'Godwit'));
      await page.getByRole('button', { name: 'Run a server here' }).click();
      await page.getByText('Your folder is set up').waitFor();
      pid = pidOf();
      await look(page, 'first-run-server-done');
      await page.getByText('godwit server invite').waitFor();
      await page.getByLabel('Start when I log in').uncheck();
      await page.getByRole('button', { name: 'Done' }).click();
      await page.locator('[data-pane=home][aria-current=page]').waitFor();
      expect((await ended).code).toBe(0);
      expect(existsSync(join(bench.path('dora', 'config'), 'autostart'))).toBe(false);
      await page.close();
      await bench.json(['down', '--data', data]);
      await endProcess(pid);
      await bench.godwit(['up', '--data', data], { env });
      pid = pidOf();
      await bench.until(data, ({ connected }) => connected);
    } finally {
      await bench.json(['down', '--data', data]);
      if (pid > 0) await endProcess(pid);
    }
  });

  itInBrowser('says below its field what the server has refused, and keeps nothing', async () => {
    const given = await invitation();
    const [first, second] = [bench.path('emil', 'data'), bench.path('emma', 'data')];
    await bench.json([
      'up',
      '--data',
      first,
      '--folder',
      bench.path('emil', 'Godwit'),
      '--invite',
      given,
    ]);
    const { page, child, ended } = await started(second);
    await page.locator('#invitation').fill(given);
    await page.getByLabel('Folder').fill(bench.path('emma', 'Godwit'));
    await page.getByRole('button', { name: 'Start syncing' }).click();
    await page.getByRole('alert').getByText('invitation').waitFor();
    expect(existsSync(join(second, 'config.json'))).toBe(false);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/nothing was set up\n$/),
    });
    await page.getByText('The set-up has ended').waitFor();
    browsers.complaints.splice(0);
  });

  itInBrowser('ends when its page is closed', async () => {
    const { page, ended } = await started(bench.path('finn', 'data'));
    await page.close();
    expect(await ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the page was closed, and nothing was set up'),
    });
  });
});

/** Resolves when the folder is proposed. Looked at from inside one evaluation: the policy of the page refuses eval. */
async function filled(page: Page, folder: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const look = () => {
      if (document.getElementById('folder').value === ${JSON.stringify(folder)}) resolve(null);
      else requestAnimationFrame(look);
    };
    look();
  })`);
}
