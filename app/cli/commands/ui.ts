/**
 * `godwit ui`: the window of the tray in a browser of this machine, served by the daemon for as long as that runs. Where no device is set
 * up yet, the command itself serves the first steps, and stays until they are done or their page is closed.
 */
import type { Command } from 'commander';
import { isNew } from '../../first-run/set-up.ts';
import { openWithDesktop } from '../../../shared/system/open-with-desktop.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { CLI_MAIN } from '../children.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { findElectron } from '../find-electron.ts';
import { PROGRAM_ROOT } from '../folders.ts';

/** Builds `godwit ui`, which opens the window in a browser, or prints its address. */
export function uiCommand(cli: Cli): Command {
  const command = cli.withData(
    'ui',
    'show the window in a browser; where nothing is set up yet, the first steps',
  );
  flag(command, '--print', 'print the address, and open nothing; it is good once, for a minute');
  return cli.does<{ print?: boolean }>(command, async (context, { print = false }) => {
    try {
      const { url } = await context.daemon.command('ui', {});
      const opened = await show(context, url, print);
      context.result({ url, opened }, [opened ? 'the window is in your browser' : url]);
      if (!opened && !print) context.note(NO_BROWSER);
    } catch (error) {
      if (!(error instanceof GodwitError) || error.code !== 'not-running') throw error;
      if (!isNew(context.dataDir)) throw error;
      await firstRun(context, print);
    }
  });
}

const NO_BROWSER = 'no browser could be opened: open this address on this machine, once';

const show = async ({ json }: Context, url: string, print: boolean): Promise<boolean> =>
  !print && !json && (await openWithDesktop(url));

async function firstRun(context: Context, print: boolean): Promise<void> {
  const { FirstRun } = await import('../../first-run/first-run.ts');
  const { dataDir } = context;
  const program = { data: dataDir, node: process.execPath, cli: CLI_MAIN };
  const log = notesOf(context);
  const run = new FirstRun({ program, root: PROGRAM_ROOT, atLogin: atLogin(dataDir), log });
  try {
    const interrupted = context.interruption.claim();
    const url = await run.open();
    const opened = await show(context, url, print);
    const result = { url, opened, firstRun: true };
    context.result(result, [opened ? 'the first steps are in your browser' : url]);
    if (!opened && !print) context.note(NO_BROWSER);
    context.note(
      'this command ends when the laptop is set up, when the page is closed, or with Ctrl-C',
    );
    const why = await run.run(interrupted);
    context.note(isNew(dataDir) ? NOT_SET_UP[why] : 'this laptop is set up');
  } finally {
    await run.close();
  }
}

const NOT_SET_UP = {
  left: 'nothing was set up',
  closed: 'the page was closed, and nothing was set up',
  unopened: 'nobody has opened the page, and nothing was set up',
  idle: 'nobody has used the page for half an hour, and nothing was set up',
  interrupted: 'nothing was set up',
} as const;

/** The icon where there is an Electron, else the daemon alone. */
function atLogin(dataDir: string): string[] {
  const command = [process.execPath, CLI_MAIN];
  try {
    findElectron(undefined);
    return [...command, 'tray', '--hidden', '--data', dataDir];
  } catch {
    return [...command, 'up', '--data', dataDir];
  }
}

/** What a daemon would write to its log is said: that the page was refused to somebody. */
function notesOf(context: Context): Log {
  const nothing = (): void => undefined;
  const log: Log = {
    error: (message) => context.note(message),
    warn: (message) => context.note(message),
    info: nothing,
    debug: nothing,
    with: () => log,
  };
  return log;
}
