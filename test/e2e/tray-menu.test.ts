/** The icon of the tray as a panel sees it over D-Bus, on a real daemon: its words, its picture, its menu, and what an item does. */
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
import { Panel } from '../support/panel.ts';
import { TwoLaptops } from '../support/two-laptops.ts';

const LIMIT_MS = 180_000;
/** Of the picture of a state, 22 points wide: its ring alone has more. */
const LEAST_POINTS = 60;

const bench = new TwoLaptops();
const { a } = bench;
const screen = new Screen();
const bus = new PrivateBus();
let panel: Panel | null = null;
let tray: RunningTray | null = null;

const missing = HAS_DBUS
  ? missingForElectron()
  : 'there is no dbus-daemon; install the package dbus';
const itInPanel = itNeeds(missing);

afterAll(async () => {
  await endTray(tray);
  await panel?.close();
  await bus.close();
  screen.close();
  await bench.close();
});

/** Started with the first test that needs it. */
async function opened(): Promise<{ panel: Panel; tray: RunningTray }> {
  if (panel !== null && tray !== null) return { panel, tray };
  await bench.begin();
  await screen.start();
  await bus.start();
  panel = await Panel.on(bus.address);
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
  itInPanel(
    'has a picture, words and a menu',
    async () => {
      const { panel: seen } = await opened();
      expect(await seen.drawnPoints()).toBeGreaterThan(LEAST_POINTS);
      await seen.find('Synced');
      expect(await seen.tooltip()).toBe('Godwit: Synced');
      const menu = await seen.menu();
      expect(menu.map(({ label }) => label).filter((label) => label !== '')).toEqual([
        ...['Synced', 'Open Godwit', 'Open folder', 'Recent files', 'Pause', 'Sync now'],
        ...['Limits …', 'Conflicts', 'Settings …', 'Quit, and stop syncing', 'Quit'],
      ]);
      expect(menu[0]).toMatchObject({ label: 'Synced', enabled: false });
    },
    LIMIT_MS,
  );

  itInPanel(
    'pauses for an hour, says so, and resumes',
    async () => {
      const { panel: seen, tray: running } = await opened();
      await seen.choose('Pause', '1 hour');
      const { pausedUntil } = await bench.until(a.data, ({ paused }) => paused);
      const left = Date.parse(pausedUntil ?? '') - Date.now();
      expect(left).toBeGreaterThan(50 * 60_000);
      expect(left).toBeLessThanOrEqual(60 * 60_000);
      await running.showing('paused');
      await seen.find('Resume');
      expect(await seen.tooltip()).toMatch(/^Godwit: Paused until \d\d:\d\d$/);
      await seen.choose('Resume');
      await bench.until(a.data, ({ paused }) => !paused);
      await seen.find('Pause');
    },
    LIMIT_MS,
  );

  itInPanel(
    'opens the window at the part that was chosen, also when it was closed',
    async () => {
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
    },
    LIMIT_MS,
  );

  itInPanel(
    'says that the daemon does not run, and starts it',
    async () => {
      const { panel: seen, tray: running } = await opened();
      const { pid } = await bench.status(a.data);
      await endProcess(pid, 'SIGKILL');
      await running.showing('offline');
      await seen.find('The daemon does not run');
      expect(await seen.tooltip()).toBe('Godwit: The daemon does not run');
      expect((await seen.menu()).map(({ label }) => label)).not.toContain('Pause');
      await seen.choose('Start it');
      await running.showing('idle');
      await seen.find('Pause');
      expect((await bench.status(a.data)).pid).not.toBe(pid);
    },
    LIMIT_MS,
  );
});
