/** The icon of the tray as a panel sees it over D-Bus, on a real daemon: its words, its picture, its menu, and what an item does. */
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect } from '@jest/globals';
import { PrivateBus, HAS_DBUS } from '../support/fake-network-manager.ts';
import { endProcess } from '../support/bench.ts';
import { within } from '../support/bounded-wait.ts';
import { itNeeds } from '../support/browser.ts';
import {
  endTray,
  missingForElectron,
  Screen,
  startTray,
  type RunningTray,
} from '../support/running-tray.ts';
import { HAS_LIBNOTIFY, NotificationService } from '../support/notification-service.ts';
import { Panel } from '../support/panel.ts';
import { TwoLaptops } from '../support/two-laptops.ts';

const bench = new TwoLaptops();
const { a, b } = bench;
const ICONS = join(import.meta.dirname, '..', '..', 'app', 'tray', 'icons');
const screen = new Screen();
const bus = new PrivateBus();
let panel: Panel | null = null;
let notices: NotificationService | null = null;
let tray: RunningTray | null = null;

const missing = HAS_DBUS
  ? missingForElectron()
  : 'there is no dbus-daemon; install the package dbus';
const itInPanel = itNeeds(missing);

afterAll(async () => {
  await endTray(tray);
  await panel?.close();
  await notices?.close();
  await bus.close();
  screen.close();
  await bench.close();
});

/** A test that fails leaves nothing behind for the next one: the daemon runs, without a pause. */
afterEach(async () => {
  if (tray === null) return;
  const status = await bench.status(a.data).catch(() => null);
  if (status === null) await bench.json(['up', '--data', a.data]);
  else if (status.paused) await bench.json(['resume', '--data', a.data]);
});

/** Starts the tray in the first test that needs it. */
async function opened(): Promise<{ panel: Panel; tray: RunningTray }> {
  if (panel !== null && tray !== null) return { panel, tray };
  await bench.begin();
  await screen.start();
  await bus.start();
  panel = await Panel.on(bus.address);
  notices = await NotificationService.on(bus.address);
  tray = await startTray(a.data, screen, {
    ...bench.env,
    DBUS_SESSION_BUS_ADDRESS: bus.address,
    // The program asks the desktop for its name before it looks for a panel.
    XDG_CURRENT_DESKTOP: 'KDE',
  });
  await panel.item();
  await tray.showing('idle');
  // The start that the tray begins by itself is over then: it would bring back a daemon that a test has killed.
  await tray.page.evaluate('godwit.program.start()');
  return { panel, tray };
}

describe('the icon in a panel', () => {
  itInPanel('has a picture, a tooltip and a menu', async () => {
    const { panel: seen } = await opened();
    await drawing('idle-colour');
    await seen.find('Everything is synced');
    expect(await seen.tooltip()).toMatch(/^Godwit: Everything is synced\nConnected to 127/);
    const menu = await seen.menu();
    expect(menu.map(({ label }) => label).filter((label) => label !== '')).toEqual([
      ...['Everything is synced', expect.stringMatching(/^Connected to 127/)],
      ...['Open Godwit', 'Open folder', 'Recent files', 'Pause', 'Look for changes now'],
      ...['Settings …', 'Quit (syncing goes on)', 'Stop syncing and quit'],
    ]);
    expect(menu[0]).toMatchObject({ label: 'Everything is synced', enabled: false });
  });

  itInPanel('lists recent files in its menu with what was done to them', async () => {
    const { panel: seen } = await opened();
    await seen.find('Recent files', 'No files yet');
    writeFileSync(join(a.folder, 'letter'), 'dear bob\n');
    await bench.flush(a);
    await seen.find('Recent files', 'letter  –  sent just now');
  });

  itInPanel(
    'is drawn for the panel that a person says there is, also after a restart',
    async () => {
      const { tray: running } = await opened();
      const choose = (icon: string) =>
        running.page.evaluate(`godwit.program.appearance({ theme: 'automatic', icon: '${icon}' })`);
      for (const look of ['dark', 'light']) {
        await choose(look);
        await drawing(`idle-${look}`);
      }
      expect(await running.page.evaluate('godwit.program.appearance(null)')).toMatchObject({
        result: { icon: 'light' },
      });
      await choose('automatic');
      await drawing('idle-colour');
    },
  );

  itInPanel('keeps of which notices a person wants none', async () => {
    const { page } = (await opened()).tray;
    await page.locator('button[data-pane=settings]').click();
    const updates = page.locator('[data-notices=updates]');
    await updates.uncheck();
    const kept = () => page.evaluate('godwit.program.appearance(null)');
    expect(await kept()).toMatchObject({ result: { silent: ['updates'] } });
    await updates.check();
    expect(await kept()).toMatchObject({ result: { silent: [] } });
    await page.locator('button[data-pane=home]').click();
  });

  itInPanel('pauses for an hour, shows the pause, and resumes', async () => {
    const { panel: seen, tray: running } = await opened();
    await seen.choose('Pause', 'For 1 hour');
    const { pausedUntil } = await bench.until(a.data, ({ paused }) => paused);
    const left = Date.parse(pausedUntil ?? '') - Date.now();
    expect(left).toBeGreaterThan(50 * 60_000);
    expect(left).toBeLessThanOrEqual(60 * 60_000);
    await running.showing('paused');
    await drawing('paused-colour');
    await seen.find('Resume');
    // With its date where the hour ends on another day.
    expect(await seen.tooltip()).toMatch(
      /^Godwit: Paused\nPaused until (\d+ \w+ \d{4}, )?\d\d:\d\d$/,
    );
    await seen.choose('Resume');
    await bench.until(a.data, ({ paused }) => !paused);
    await seen.find('Pause');
  });

  itInPanel('takes a click in an open menu, whatever was synced since it opened', async () => {
    const { panel: seen } = await opened();
    const pause = await seen.find('Pause');
    await seen.open(pause);
    const name = 'while it is open';
    writeFileSync(join(a.folder, name), name);
    await bench.flush(a);
    await bench.until(a.data, ({ recent = [] }) => recent.some(({ path }) => path === name));
    const [hour] = pause.children;
    console.log(
      'IDS',
      JSON.stringify(pause),
      JSON.stringify((await seen.menu()).find(({ label }) => label === 'Pause')),
    );
    expect(hour !== undefined && (await seen.press(hour))).toBe(true);
    await bench.until(a.data, ({ paused }) => paused);
    // The menu that waited is there at once.
    await seen.choose('Resume');
    await bench.until(a.data, ({ paused }) => !paused);
    await seen.find('Recent files', `${name}  –  sent just now`);
  });

  itInPanel('opens the window at the chosen pane, also after the window was closed', async () => {
    const { panel: seen, tray: running } = await opened();
    const { page, app } = running;
    await seen.choose('Open Godwit');
    await page.locator('[data-pane=home][aria-current=page]').waitFor();
    await seen.choose('Settings …');
    await page.locator('[data-pane=settings][aria-current=page]').waitFor();
    const isVisible = () =>
      app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows().some((window) => window.isVisible()),
      );
    await app.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows()) window.close();
    });
    expect(await isVisible()).toBe(false);
    await seen.choose('Open Godwit');
    await page.locator('[data-pane=home][aria-current=page]').waitFor();
    expect(await isVisible()).toBe(true);
  });

  itInPanel('shows that the daemon does not run and starts it', async () => {
    const { panel: seen, tray: running } = await opened();
    const { pid } = await bench.status(a.data);
    await endProcess(pid, 'SIGKILL');
    await running.showing('offline');
    await drawing('offline-colour');
    await seen.find('Not running');
    expect(await seen.tooltip()).toBe('Godwit: Not running');
    expect((await seen.menu()).map(({ label }) => label)).not.toContain('Pause');
    await seen.choose('Start it');
    await running.showing('idle');
    await seen.find('Pause');
    expect((await bench.status(a.data)).pid).not.toBe(pid);
  });

  itNeeds(missing ?? (HAS_LIBNOTIFY ? null : 'there is no libnotify here'))(
    'notifies the user of a conflict and of no other file',
    async () => {
      const { panel: seen, tray: running } = await opened();
      const service = notices as NotificationService;
      await bench.flush(b);
      await bench.json(['pause', '--data', a.data]);
      writeFileSync(join(a.folder, 'letter'), 'of ann\n');
      await bench.until(a.data, ({ queues }) => queues.data.updates === 1);
      writeFileSync(join(b.folder, 'letter'), 'of bob\n');
      await bench.flush(b);
      await bench.json(['resume', '--data', a.data]);
      const title = 'Godwit: 1 new conflict';
      expect(await service.of(title)).toEqual({
        ...{ title, body: 'Both sides of letter were kept' },
      });
      await running.showing('conflict');
      await drawing('idle-conflict-colour');
      await seen.choose('1 conflict …');
      await running.page.locator('[data-pane=conflicts][aria-current=page]').waitFor();
      expect(service.told).toHaveLength(1);
    },
  );

  itNeeds(missing ?? (HAS_LIBNOTIFY ? null : 'there is no libnotify here'))(
    'notifies the user of many files that another laptop removed, not of those removed here',
    async () => {
      const { tray: running } = await opened();
      const service = notices as NotificationService;
      const before = service.told.length;
      const names = Array.from({ length: 20 }, (_, n) => `photo ${n}`);
      for (const name of names) writeFileSync(join(b.folder, name), name);
      await bench.flush(b, a);
      for (const name of names) rmSync(join(b.folder, name));
      await bench.flush(b, a);
      const { name } = (await bench.status(b.data)).device;
      await bench.until(a.data, ({ othersRemoved = [] }) => othersRemoved[0]?.files === 20);
      const page = running.page;
      await page.locator('button[data-pane=home]').click();
      await page.getByText(`20 files were removed on ${name}`).waitFor();
      await page.getByRole('button', { name: 'Bring them back' }).click();
      await page.locator('[data-card=removed]').waitFor({ state: 'detached' });
      await bench.flush(a, b);
      expect(names.filter((each) => !existsSync(join(b.folder, each)))).toEqual([]);
      await service.moreThan(before);
      // The burst went on after the first of them were told of.
      const told = service.told.slice(before);
      expect(told).toEqual([
        {
          title: expect.stringMatching(/^Godwit: \d+ files were removed on /),
          body: 'Was that meant? They can be brought back.',
        },
      ]);
    },
  );

  itInPanel('quits, and stops the daemon when the user chooses so', async () => {
    const { panel: seen, tray: running } = await opened();
    const ended = once(running.app.process(), 'exit');
    // The program may end before it has answered.
    await seen.choose('Stop syncing and quit').catch(() => undefined);
    await within(ended, 'the end of the tray', () => 'it runs');
    tray = null;
    const { code } = await bench.godwit(['status', '--data', a.data]);
    expect(code).toBe(5);
  });
});

/** Resolves when the panel shows exactly this picture. */
async function drawing(name: string): Promise<void> {
  const { panel: seen, tray: running } = await opened();
  const path = join(ICONS, `${name}.png`);
  // Of the two sizes that are in the file and beside it the panel has the larger one.
  const loaded = running.app.evaluate(
    ({ nativeImage }, from) => [...nativeImage.createFromPath(from).toBitmap({ scaleFactor: 2 })],
    path,
  );
  const bitmap = await within(loaded, `the points of ${name}.png`, () => 'no answer of the tray');
  const wanted = told(bitmap, ([b = 0, g = 0, r = 0, covers = 0]) => [covers, r, g, b]);
  await seen.showing(name, ({ points }) => told(points, (point) => point) === wanted);
}

/** Where the picture covers what is behind, how much; and the colour where it covers all of it. */
function told(
  bytes: readonly number[],
  order: (point: readonly number[]) => readonly number[],
): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 4) {
    const [covers = 0, ...colour] = order(bytes.slice(at, at + 4));
    parts.push(covers === 255 ? colour.join('.') : String(covers));
  }
  return parts.join();
}
