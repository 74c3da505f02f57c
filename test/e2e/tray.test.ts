/**
 * The tray in a real Electron, over real daemons and a server behind a slow line: what a person sees of a large upload, and can do
 * meanwhile.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from '@jest/globals';
import { graveFindings } from '../support/axe.ts';
import { endProcess, firstLine } from '../support/bench.ts';
import { itInElectron } from '../support/electron.ts';
import { endTray, Screen, startTray, type RunningTray } from '../support/running-tray.ts';
import { TwoLaptops } from '../support/two-laptops.ts';

const LARGE = 16 * 1024 * 1024;

const bench = new TwoLaptops();
const { a, b } = bench;
const screen = new Screen();
let tray: RunningTray | null = null;
/** A tray on a device that is not paired yet. */
let fresh: RunningTray | null = null;

afterAll(async () => {
  await endTray(fresh);
  await endTray(tray);
  screen.close();
  await bench.close();
});

/** Starts the tray in the first test that needs it. */
async function opened(): Promise<RunningTray> {
  if (tray !== null) return tray;
  await bench.begin(slowLink);
  await screen.start();
  tray = await startTray(a.data, screen, bench.env);
  await tray.page.locator('[data-state]').waitFor();
  return tray;
}

/** A network of 256 KB/s with a round trip of 40 ms. */
async function slowLink(address: string): Promise<string> {
  const shape = ['--rate', '256KiB/s', '--delay', '20ms', '--to', address];
  const link = bench.start(['link', '--json', '--listen', '127.0.0.1:0', ...shape]);
  return (JSON.parse(await firstLine(link)) as { listening: string }).listening;
}

describe('the tray', () => {
  itInElectron('shows both sides of a conflict and resolves it', async () => {
    const { page, showing } = await opened();
    writeFileSync(join(b.folder, 'doc'), 'of both\n');
    await bench.flush(b, a);
    await bench.json(['pause', '--data', a.data]);
    writeFileSync(join(a.folder, 'doc'), 'of both\nof ann\n');
    await bench.json(['queue', '--data', a.data]);
    await bench.until(a.data, ({ queues }) => queues.data.updates === 1);
    writeFileSync(join(b.folder, 'doc'), 'of both\nof bob\n');
    await bench.flush(b);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.locator('[data-state=conflict]').waitFor();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.locator('.side mark').nth(1).waitFor();
    expect(await page.locator('.side pre').allTextContents()).toEqual([
      expect.stringContaining('of bob'),
      expect.stringContaining('of ann'),
    ]);
    await showing('conflict');
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByText('No conflicts').waitFor();
    await bench.flush(a, b);
    expect(readFileSync(join(b.folder, 'doc'), 'utf8')).toBe('of both\nof ann\n');
  });

  itInElectron(
    'follows a large upload, which demanded files overtake, and pauses and resumes it',
    async () => {
      const { page, showing } = await opened();
      await page.locator('[data-pane=home]').click();
      await page.locator('[data-act=details][aria-expanded=false]').click();
      await bench.json(['pause', '--data', a.data]);
      writeFileSync(join(a.folder, 'large'), randomBytes(LARGE));
      await bench.until(a.data, ({ queues }) => queues.data.bytes >= LARGE);
      await page.getByRole('button', { name: 'Resume' }).click();
      const row = page.locator('#queue-data .row', { hasText: 'large' });
      const share = async (): Promise<number> =>
        Number(await row.locator('.bar').getAttribute('data-share'));
      await row.locator('.bar').waitFor();
      const first = await share();
      await row.locator(`.bar:not([data-share="${first.toFixed(3)}"])`).waitFor();
      expect(await share()).toBeGreaterThan(first);
      await page.locator('tr[data-class=STORE_DATA] td', { hasText: 'KB/s' }).first().waitFor();
      await drawn(page);
      await page.locator('[data-summary=data]', { hasText: 'left' }).waitFor();
      await page.locator('.moving', { hasText: 'large' }).waitFor();
      // Six seconds of the line. Fetched in full while sixteen megabytes have most of their way before them.
      writeFileSync(join(b.folder, 'wanted'), randomBytes(1_500_000));
      await bench.flush(b);
      const fetch = page.locator('#fetches .row', { hasText: 'wanted now' });
      const rate = page.locator('tr[data-class=FETCH] td:last-child', { hasText: 'KB/s' });
      const reading = bench.godwit(['cat', '/wanted', '--data', a.data]);
      await fetch.waitFor();
      await rate.waitFor();
      expect(await reading).toMatchObject({ code: 0 });
      await fetch.waitFor({ state: 'detached' });
      expect(await share()).toBeLessThan(0.9);
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByRole('menuitem', { name: 'For 1 hour' }).click();
      await page.locator('[data-state=paused]').waitFor();
      await showing('paused');
      await bench.until(a.data, ({ paused, pausedUntil }) => paused && pausedUntil !== null);
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.locator('[data-state=syncing]').waitFor();
      await showing('syncing');
    },
  );

  itInElectron('survives a killed daemon, shows that it ended, and starts it again', async () => {
    const { page, showing } = await opened();
    const { pid } = await bench.status(a.data);
    await endProcess(pid, 'SIGKILL');
    await page.getByText('Godwit is not running').waitFor();
    await showing('offline');
    await page.getByRole('button', { name: 'Start it' }).click();
    await page.locator('[data-state=syncing]').waitFor();
    await page.locator('[data-act=details][aria-expanded=false]').click();
    const row = page.locator('#queue-data .row', { hasText: 'large' });
    await row.waitFor();
    expect((await bench.status(a.data)).pid).not.toBe(pid);
  });

  itInElectron(
    'moves the folder to a chosen place and follows the server during an upload',
    async () => {
      const { page, app } = await opened();
      const to = bench.path('chosen', 'Godwit');
      mkdirSync(to, { recursive: true });
      await app.evaluate(({ dialog }, path) => {
        dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [path] });
      }, to);
      await page.locator('[data-pane=settings]').click();
      await page.getByRole('button', { name: 'Choose …' }).click();
      await has(page, 'folder-place', to);
      await page.locator('#folder-place').press('Enter');
      await page.getByRole('status').getByText('Saved').waitFor();
      await bench.until(a.data, ({ folder }) => folder === to);
      expect([existsSync(a.folder), statSync(join(to, 'large')).size]).toEqual([false, LARGE]);
      const other = await slowLink(bench.home.address);
      await page.getByLabel('Address of the server').fill(other);
      await page.getByLabel('Address of the server').press('Enter');
      await bench.until(a.data, ({ server, connected }) => connected && server.address === other);
      writeFileSync(join(to, 'there'), 'at the new place\n');
      await page.locator('[data-pane=home]').click();
      for (const name of ['large', 'there']) {
        // It may be sent by now.
        const rows = page.locator('#queue-data .row, [data-card=recent] .line');
        await rows.filter({ hasText: name }).first().waitFor();
      }
    },
  );

  itInElectron(
    'pairs a new device by its invitation and starts with the session when asked',
    async () => {
      await opened();
      const data = bench.path('carl', 'data');
      const folder = bench.path('carl', 'Godwit');
      const config = bench.path('carl', 'config');
      fresh = await startTray(data, screen, { ...bench.env, XDG_CONFIG_HOME: config });
      const { page } = fresh;
      await page.getByText('Welcome to Godwit').waitFor();
      const begin = page.getByRole('button', { name: 'Start syncing' });
      await has(page, 'folder', join(bench.env['HOME'] ?? homedir(), 'Godwit'));
      await begin.click();
      await page.getByRole('alert').getByText('Paste the invitation first').waitFor();
      // Judged while it is typed.
      await page.locator('#invitation').fill('godwit://nobody');
      await page.getByText('It is not whole, or was changed on its way').waitFor();
      await page.getByLabel('Folder').fill(folder);
      await begin.click();
      await page.getByRole('alert').getByText('It is not whole').waitFor();
      expect(await page.evaluate('document.activeElement.id')).toBe('invitation');
      await page.locator('#invitation').fill(await bench.invite(bench.home));
      await page.getByText('An invitation of the server 127.0.0.1:').waitFor();
      expect(await graveFindings(page)).toEqual([]);
      await begin.click();
      await page.getByText('Your folder is set up').waitFor();
      await page.getByLabel('Start when I log in').uncheck();
      await page.getByRole('button', { name: 'Done' }).click();
      await page.locator('[data-pane=home][aria-current=page]').waitFor();
      bench.knows(data);
      expect((await bench.status(data)).folder).toBe(folder);
      await page.locator('[data-pane=settings]').click();
      const entry = join(config, 'autostart', 'godwit-tray.desktop');
      await page.getByLabel('Start when I log in').check();
      await page.getByRole('checkbox', { name: 'Start when I log in', checked: true }).waitFor();
      expect(readFileSync(entry, 'utf8')).toContain(`"--hidden" "--data" "${data}"`);
      await page.getByLabel('Start when I log in').uncheck();
      // Asked after it was told, so it has done that.
      const asked = await page.evaluate('godwit.program.autostart(null)');
      expect([asked, existsSync(entry)]).toEqual([{ ok: true, result: false }, false]);
    },
  );

  itInElectron('runs a server for a device that has none, and invites others to it', async () => {
    await opened();
    const data = bench.path('dora', 'data');
    const folder = bench.path('dora', 'Godwit');
    const env = { ...bench.env, XDG_STATE_HOME: bench.path('dora', 'state') };
    const own = await startTray(data, screen, env);
    let pid = 0;
    try {
      const { page } = own;
      await page.getByLabel('I have no server yet').check();
      await page.getByLabel('Folder').fill(folder);
      await page.getByLabel('Name of this laptop').fill('dora-laptop');
      await page.getByRole('button', { name: 'Run a server here' }).click();
      await page.getByText('Your folder is set up').waitFor();
      bench.knows(data);
      ({ pid } = JSON.parse(readFileSync(join(data, 'tray', 'server.json'), 'utf8')) as {
        pid: number;
      });
      await bench.until(data, ({ connected }) => connected);
      await page.getByLabel('Start when I log in').uncheck();
      await page.getByRole('button', { name: 'Done' }).click();
      await page.locator('[data-pane=settings]').click();
      await page.getByText('dora-laptop', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Invite another laptop' }).click();
      const invitation = await page.locator('[data-card=invitation] code').textContent();
      expect(invitation).toMatch(/^godwit:\/\//);
    } finally {
      await endTray(own);
      await bench.json(['down', '--data', data]);
      if (pid > 0) await endProcess(pid);
    }
  });

  itInElectron('gives its page no access to Node, other pages or other commands', async () => {
    const { page } = await opened();
    const seen = await page.evaluate(
      "[typeof require, typeof process, Object.keys(window.godwit).sort().join(' ')]",
    );
    expect(seen).toEqual(['undefined', 'undefined', 'command firstRun program status']);
    const before = page.url();
    await page.evaluate("location.href = 'https://godwit.example/'; window.open('about:blank')");
    expect(page.url()).toBe(before);
    expect(await page.evaluate("godwit.command('down', {})")).toMatchObject({
      ok: false,
      error: { code: 'bad-message' },
    });
    expect(await graveFindings(page)).toEqual([]);
  });
});

/** Waits until a field has this value; it looks as `drawn` does. */
async function has(page: RunningTray['page'], id: string, value: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const look = () => {
      if (document.getElementById('${id}').value === ${JSON.stringify(value)}) resolve(null);
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

/**
 * The graph has something on it in the colour of contents. Looked at again and again from inside one evaluation: what asks a page anew does
 * that with eval, which its policy refuses.
 */
async function drawn(page: RunningTray['page']): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const canvas = document.querySelector('.graph canvas');
    const colour = getComputedStyle(canvas).getPropertyValue('--class-4').trim();
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    const look = () => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let found = 0;
      for (let at = 0; at < data.length; at += 4) {
        if (data[at] === r && data[at + 1] === g && data[at + 2] === b && data[at + 3] === 255) found++;
      }
      if (found > 10) resolve(null);
      else requestAnimationFrame(look);
    };
    look();
  })`);
}
