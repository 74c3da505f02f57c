/**
 * The tray: an icon that says how the daemon is, its menu, and the window. It starts the daemon where it does not run, follows it through
 * restarts, and ends without it: syncing goes on.
 */
import { app, nativeTheme, Notification } from 'electron';
import { closeSync, mkdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ControlClient } from '../../../shared/control/client.ts';
import type { PageCommand } from '../../../shared/control/commands.ts';
import { defaultDaemonData } from '../../../shared/control/state-folder.ts';
import type { MenuAction } from '../view/menu.ts';
import { Notices } from '../view/notices.ts';
import type { Known } from '../view/status-view.ts';
import { readArguments, type PackagedProgram, type TrayArguments } from './arguments.ts';
import type { Appearance } from '../view/appearance.ts';
import { openBridge } from './bridge.ts';
import { DaemonWatch } from './daemon-watch.ts';
import { Icon, type Shown } from './icon.ts';
import { KeptAppearance } from './kept-appearance.ts';
import { openPlace, type Demand } from './open-place.ts';
import { OwnServer } from '../../first-run/own-server.ts';
import { runCommand } from '../../first-run/run-command.ts';
import { PageWindow } from './window.ts';

/** As `godwit tray` opens it. */
const READY_DESCRIPTOR = 3;

function main(): void {
  const args = readArguments(process.argv, packagedProgram());
  const own = join(args.data, 'tray');
  // One tray for each data folder; and the folder must be there before Electron looks for it.
  mkdirSync(own, { recursive: true, mode: 0o700 });
  app.setPath('userData', own);
  if (!app.requestSingleInstanceLock()) {
    printReady(args, 'running');
    return app.quit();
  }
  // The icon stays when the window is closed.
  app.on('window-all-closed', () => undefined);
  void app.whenReady().then(() => begin(args));
}

/** null: `godwit tray` has started an Electron on our bundles. */
function packagedProgram(): PackagedProgram | null {
  if (!app.isPackaged) return null;
  const { resourcesPath, execPath, platform, arch, env } = process;
  // An AppImage lies elsewhere each time it is started.
  const program = env['APPIMAGE'] ?? execPath;
  const data = env['GODWIT_DATA'] || defaultDaemonData();
  return { resources: resourcesPath, program, data, platform, arch };
}

function begin(args: TrayArguments): void {
  const window = new PageWindow();
  const notices = new Notices();
  const looks = new KeptAppearance(args.data);
  const told = (known: Known): void => {
    tell(args, icon.show(known));
    if (known.kind !== 'running') return;
    const { silent } = looks.now;
    for (const { title, body, pane } of notices.look(known.status, Date.now(), silent)) {
      const notice = new Notification({ title, body });
      notice.on('click', () => window.show(pane));
      notice.show();
    }
  };
  const watch = new DaemonWatch(args.data, told);
  const does = (wish: MenuAction): void => void carryOut(wish, args, watch, window);
  const icon = new Icon(watch.known, looks.now.icon, does);
  const server = new OwnServer(args);
  const show = ({ theme, icon: style }: Appearance): void => {
    nativeTheme.themeSource = theme === 'automatic' ? 'system' : theme;
    icon.restyle(style);
  };
  const choose = (given: unknown): Appearance => {
    const chosen = looks.choose(given);
    show(chosen);
    return chosen;
  };
  show(looks.now);
  openBridge({ args, page: window.address, watch, server, looks, choose });
  app.on('second-instance', () => window.show(null));
  app.on('activate', () => window.show(null));
  app.on('will-quit', () => watch.end());
  if (!args.hidden) window.show(null);
  void startIfAway(args, watch);
  void watch.run();
  printReady(args, 'started');
}

/** Starts the daemon, and the server of one's own, if they are away, since a set-up device is meant to sync. If it can't start, the window shows the reason on request. */
async function startIfAway(args: TrayArguments, watch: DaemonWatch): Promise<void> {
  if (!watch.isNew()) await runCommand(args, ['up']);
}

async function carryOut(
  wish: MenuAction,
  args: TrayArguments,
  watch: DaemonWatch,
  window: PageWindow,
): Promise<void> {
  switch (wish.do) {
    case 'show':
      return window.show(wish.pane);
    case 'open-folder':
      return open(watch.known, [], args, window);
    case 'open-file':
      return open(watch.known, wish.path.split('/'), args, window);
    case 'command':
      return command(args, wish.name, wish.args, window);
    case 'start':
      await runCommand(args, ['up']);
      return;
    case 'quit':
      if (wish.andStop) await runCommand(args, ['down']);
      return app.quit();
  }
}

async function open(
  known: Known,
  path: readonly string[],
  args: TrayArguments,
  window: PageWindow,
): Promise<void> {
  const demand: Demand = (volume, names) =>
    command(args, 'cache', { act: 'demand', volume, path: names }, window);
  await openPlace(known, path, false, demand).catch(() => window.show('files'));
}

/** What fails is in the window: the menu has no place for it. */
async function command(
  { data }: TrayArguments,
  name: PageCommand,
  given: object,
  window: PageWindow,
): Promise<void> {
  let client: ControlClient | null = null;
  try {
    client = ControlClient.of(data);
    await client.command(name, given);
  } catch {
    window.show('home');
  } finally {
    client?.close();
  }
}

function printReady({ saysReady }: TrayArguments, word: 'started' | 'running'): void {
  if (!saysReady) return;
  try {
    writeSync(READY_DESCRIPTOR, `${word}\n`);
    closeSync(READY_DESCRIPTOR);
  } catch {
    // Nobody waits any more.
  }
}

function tell({ tells }: TrayArguments, shown: Shown): void {
  if (tells) process.stdout.write(`${JSON.stringify(shown)}\n`);
}

main();
