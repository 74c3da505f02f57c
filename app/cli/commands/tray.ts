/** `godwit tray`: the icon in the panel, and the window. It starts once for each data folder; said again, it shows the window. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { makeFolder } from '../../../shared/system/make-folder.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { CLI_MAIN, crashReason } from '../children.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { findElectron } from '../find-electron.ts';
import { PROGRAM_ROOT } from '../folders.ts';
import { aborted } from '../interruption.ts';

const BUNDLES = join(PROGRAM_ROOT, 'app', 'tray', 'built');
/** A slow machine shows its first window after some seconds. */
const READY_LIMIT_MS = 30_000;

interface TrayFlags {
  readonly electron?: string;
  readonly hidden?: boolean;
  readonly foreground?: boolean;
}

/**
 * Builds `godwit tray`, which starts the tray in Electron, or stays with it until Ctrl-C. Throws
 * GodwitError `page-missing` if the tray was not built.
 */
export function trayCommand(cli: Cli): Command {
  const command = cli.withData('tray', 'show the icon in the panel, and the window', 'either');
  flag(
    command,
    '--electron <file>',
    'the Electron to show it with (default: the one that is here)',
  );
  flag(command, '--hidden', 'the icon alone, at the start of a session');
  flag(command, '--foreground', 'stay, and print what the icon says; Ctrl-C ends it');
  return cli.does<TrayFlags>(command, async (context, flags) => {
    if (!existsSync(join(BUNDLES, 'main.cjs'))) {
      throw new GodwitError('page-missing', `${BUNDLES}: the tray is not there`);
    }
    const electron = findElectron(flags.electron);
    if (flags.foreground === true) return stay(context, electron, flags);
    return begin(context, electron, flags);
  });
}

function argumentsFor({ dataDir }: Context, { hidden, foreground }: TrayFlags): string[] {
  return [
    BUNDLES,
    `--godwit-data=${dataDir}`,
    `--godwit-node=${process.execPath}`,
    `--godwit-cli=${CLI_MAIN}`,
    ...(hidden === true ? ['--godwit-hidden'] : []),
    ...(foreground === true ? ['--godwit-tells'] : []),
  ];
}

/** Returns when it is there; it outlives us. */
async function begin(context: Context, electron: string, flags: TrayFlags): Promise<void> {
  const logFolder = join(context.dataDir, 'log');
  makeFolder(logFolder, 0o700);
  const logFile = join(logFolder, 'tray.log');
  const log = openSync(logFile, 'w', 0o600);
  const args = [...argumentsFor(context, flags), '--godwit-ready'];
  const child = spawn(electron, args, { detached: true, stdio: ['ignore', log, log, 'pipe'] });
  closeSync(log);
  const word = await readyOf(child);
  if (word === null) {
    const reason = crashReason(readFileSync(logFile, 'utf8'));
    const why = `${reason === null ? '' : `: ${reason}`} (more in ${logFile})`;
    throw new GodwitError('no-electron', `${electron}: it has ended at its start${why}`);
  }
  child.unref();
  const started = word === 'started';
  const line = started ? 'the tray is in your panel' : 'the tray is running already';
  context.result({ started, electron }, [line]);
}

/** What it says when it is there, `started` or `running`; null: it ended without. */
function readyOf(child: ChildProcess): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill();
      reject(new GodwitError('timed-out', 'tray: nothing of it is to be seen; see log/tray.log'));
    }, READY_LIMIT_MS);
    const told = (word: string | null): void => {
      clearTimeout(late);
      resolve(word);
    };
    const ready = child.stdio[3] as Readable;
    ready.setEncoding('utf8').once('data', (text: string) => {
      ready.destroy();
      told(text.trim());
    });
    ready.on('error', () => undefined);
    child.once('error', () => told(null));
    // Ended, and all that it said is here.
    child.once('close', () => told(null));
  });
}

async function stay(context: Context, electron: string, flags: TrayFlags): Promise<number> {
  const child = spawn(electron, argumentsFor(context, flags), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout?.setEncoding('utf8').on('data', (text: string) => context.io.stdout.write(text));
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('exit', (code) => resolve(code));
  });
  const code = await Promise.race([ended, aborted(context.interruption.claim())]);
  if (code === undefined) {
    child.kill();
    await ended;
    return EXIT.fine;
  }
  return code === 0 ? EXIT.fine : EXIT.failed;
}
