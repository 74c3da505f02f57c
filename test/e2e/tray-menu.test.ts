/** The icon of the tray as a panel sees it over D-Bus, on a real daemon: its words, its picture, its menu, and what an item does. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from '@jest/globals';
import { PrivateBus, HAS_DBUS } from '../support/fake-network-manager.ts';
import { endProcess } from '../support/bench.ts';
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
  return { panel, tray };
}

describe('the icon in a panel', () => {
  itInPanel('has a picture, a tooltip and a menu', async () => {
    const { panel: seen } = await opened();
    await drawing('idle', 'light');
    await seen.find('Synced');
    expect(await seen.tooltip()).toBe('Godwit: Synced');
    const menu = await seen.menu();
    expect(menu.map(({ label }) => label).filter((label) => label !== '')).toEqual([
      ...['Synced', 'Open Godwit', 'Open folder', 'Recent files', 'Pause', 'Sync now'],
      ...['Limits …', 'Conflicts', 'Settings …', 'Quit, and stop syncing', 'Quit'],
    ]);
    expect(menu[0]).toMatchObject({ label: 'Synced', enabled: false });
  });

  itInPanel('lists recent files in its menu with what was done to them', async () => {
    const { panel: seen } = await opened();
    await seen.find('Recent files', 'No files yet');
    writeFileSync(join(a.folder, 'letter'), 'dear bob\n');
    await bench.flush(a);
    await seen.find('Recent files', 'letter (sent)');
  });

  itInPanel('is drawn in other colours on a dark desktop', async () => {
    const { tray: running } = await opened();
    for (const theme of ['dark', 'light'] as const) {
      await running.app.evaluate(({ nativeTheme }, to) => {
        nativeTheme.themeSource = to;
      }, theme);
      await drawing('idle', theme);
    }
  });

  itInPanel('pauses for an hour, shows the pause, and resumes', async () => {
    const { panel: seen, tray: running } = await opened();
    await seen.choose('Pause', '1 hour');
    const { pausedUntil } = await bench.until(a.data, ({ paused }) => paused);
    const left = Date.parse(pausedUntil ?? '') - Date.now();
    expect(left).toBeGreaterThan(50 * 60_000);
    expect(left).toBeLessThanOrEqual(60 * 60_000);
    await running.showing('paused');
    await drawing('paused', 'light');
    await seen.find('Resume');
    expect(await seen.tooltip()).toMatch(/^Godwit: Paused until \d\d:\d\d$/);
    await seen.choose('Resume');
    await bench.until(a.data, ({ paused }) => !paused);
    await seen.find('Pause');
  });

  itInPanel('opens the window at the chosen pane, also after the window was closed', async () => {
    const { panel: seen, tray: running } = await opened();
    const { page, app } = running;
    await page.locator('[data-pane=activity][aria-current=page]').waitFor();
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
    await seen.choose('Conflicts');
    await page.locator('[data-pane=conflicts][aria-current=page]').waitFor();
    expect(await isVisible()).toBe(true);
  });

  itInPanel('shows that the daemon does not run and starts it', async () => {
    const { panel: seen, tray: running } = await opened();
    const { pid } = await bench.status(a.data);
    await endProcess(pid, 'SIGKILL');
    await running.showing('offline');
    await drawing('offline', 'light');
    await seen.find('The daemon does not run');
    expect(await seen.tooltip()).toBe('Godwit: The daemon does not run');
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
      expect(await service.of('1 conflict')).toEqual({
        ...{ title: '1 conflict', body: 'Both sides of letter were kept' },
      });
      await running.showing('conflict');
      await drawing('conflict', 'light');
      await seen.find('Conflicts (1) …');
      expect(service.told).toHaveLength(1);
    },
  );

  itInPanel('quits, and stops the daemon when the user chooses so', async () => {
    const { panel: seen, tray: running } = await opened();
    const ended = once(running.app.process(), 'exit');
    // The program may end before it has answered.
    await seen.choose('Quit, and stop syncing').catch(() => undefined);
    await ended;
    tray = null;
    const { code } = await bench.godwit(['status', '--data', a.data]);
    expect(code).toBe(5);
  });
});

/** Resolves when the panel shows exactly the picture for this state. */
async function drawing(state: string, theme: 'light' | 'dark'): Promise<void> {
  const { panel: seen, tray: running } = await opened();
  const path = join(ICONS, `${state}-${theme}.png`);
  // Of the two sizes that are in the file and beside it the panel has the larger one.
  const bitmap = await running.app.evaluate(
    ({ nativeImage }, from) => [...nativeImage.createFromPath(from).toBitmap({ scaleFactor: 2 })],
    path,
  );
  const covered = bitmap.filter((_byte, at) => at % 4 === 3);
  const { points } = await seen.showing(
    (picture) => picture.points.filter((_byte, at) => at % 4 === 0).join() === covered.join(),
  );
  // Of a point that covers all behind it: dark lines for what is light, and the other way around.
  const at = covered.indexOf(255) * 4;
  expect((points[at + 1] ?? 0) > 127).toBe(theme === 'dark');
}
