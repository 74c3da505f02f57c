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
import { lineText } from '../view/format.ts';
import type { MenuAction } from '../view/menu.ts';
import { Notices, type Notice } from '../view/notices.ts';
import type { Known } from '../view/status-view.ts';
import { TEXT } from '../view/text.ts';
import { readArguments, type PackagedProgram, type TrayArguments } from './arguments.ts';
import type { Appearance } from '../view/appearance.ts';
import { openBridge } from './bridge.ts';
import { DaemonStarter, sentenceOf } from './daemon-starter.ts';
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
    for (const each of notices.look(known.status, Date.now(), silent)) showNotice(each, window);
  };
  const watch = new DaemonWatch(args.data, told);
  const up = () => runCommand(args, ['up']);
  const starter = new DaemonStarter(up, (why) => watch.failed(why));
  const parts: Parts = { args, watch, starter, window };
  const does = (wish: MenuAction): void => void carryOut(wish, parts);
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
  openBridge({ args, page: window.address, watch, starter, server, looks, choose });
  app.on('second-instance', () => window.show(null));
  app.on('activate', () => window.show(null));
  app.on('will-quit', () => watch.end());
  if (!args.hidden) window.show(null);
  void startIfAway(parts);
  void watch.run();
  printReady(args, 'started');
}

/** What the items of the menu need. */
interface Parts {
  readonly args: TrayArguments;
  readonly watch: DaemonWatch;
  readonly starter: DaemonStarter;
  readonly window: PageWindow;
}

/** Starts the daemon, and the server of one's own, if they are away, since a set-up device is meant to sync. If it can't start, the menu has the reason. */
async function startIfAway({ watch, starter }: Parts): Promise<void> {
  if (!watch.isNew()) await starter.start();
}

async function carryOut(wish: MenuAction, parts: Parts): Promise<void> {
  const { args, watch, window } = parts;
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
      return start(parts);
    case 'quit':
      return quit(wish.andStop, parts);
  }
}

async function start({ starter, window }: Parts): Promise<void> {
  const reply = await starter.start();
  if (reply.ok) return;
  showNotice(
    { title: TEXT.notice.notStarted, body: lineText(sentenceOf(reply)), pane: 'home' },
    window,
  );
}

/** Who wants syncing to stop is told where it goes on. */
async function quit(andStop: boolean, { args, window }: Parts): Promise<void> {
  if (!andStop) return app.quit();
  const reply = await runCommand(args, ['down']);
  if (reply.ok || reply.error.code === 'not-running') return app.quit();
  showNotice(
    { title: TEXT.notice.notStopped, body: lineText(sentenceOf(reply)), pane: 'home' },
    window,
  );
}

/** An answer to what a person asked for has no kind: it is shown whatever is turned off. */
function showNotice({ title, body, pane }: Omit<Notice, 'kind'>, window: PageWindow): void {
  const notice = new Notification({ title, body });
  notice.on('click', () => window.show(pane));
  notice.show();
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
