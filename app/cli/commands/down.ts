/** `godwit down`: ends the daemon, and returns when it has ended. */
import type { Command } from 'commander';
import { holdersOf } from '../../../shared/system/fuse.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { configOf, nameAmongOthers } from '../paths/choose-daemon.ts';
import { printable } from '../printable.ts';
import { waitForEnd } from '../processes.ts';

/** Open answers and the last transaction; far more than a daemon in good order takes. */
const LIMIT_MS = 30_000;

/**
 * Builds `godwit down`, which ends the daemon and waits until its process is gone; where none runs, it says so. Throws GodwitError
 * `timed-out` if the process is still there after `LIMIT_MS`, and `not-found` if no daemon was ever started on the data folder.
 */
export function downCommand(cli: Cli): Command {
  const command = cli.withData('down', 'end the daemon; what is not sent yet is kept');
  return cli.does(command, async (context) => {
    const which = nameAmongOthers(context.dataDir);
    noteUsers(context);
    const pid = await ended(context);
    if (pid === null) {
      const line = `no daemon runs on ${printable(context.dataDir)}: there is nothing to end`;
      context.result({ down: false, pid }, [line]);
      return;
    }
    if (!(await waitForEnd(pid, LIMIT_MS))) {
      throw new GodwitError('timed-out', `process ${pid}: the daemon has not ended yet`);
    }
    const line = `the daemon${which === null ? '' : ` ${printable(which)}`} has ended`;
    context.result({ down: true, pid }, [line]);
  });
}

/** Programs that have files of a mount open lose them with it: they are named before that. */
function noteUsers(context: Context): void {
  const config = configOf(context.dataDir);
  if (config?.frontEnd !== 'mount' || config.folder === null) return;
  const users = holdersOf(config.folder).map(({ pid, program }) => `${program} (${pid})`);
  if (users.length === 0) return;
  const all = users.map(printable).join(', ');
  context.note(`used by ${all}: what they have open of ${printable(config.folder)} ends with it`);
}

/** Tells the daemon to end, and gives its process; null: none runs. Throws GodwitError `not-found` for a folder that is no data folder. */
async function ended(context: Context): Promise<number | null> {
  const { dataDir } = context;
  try {
    const { pid } = await context.daemon.status();
    await context.daemon.command('down', {});
    return pid;
  } catch (error) {
    if (!(error instanceof GodwitError) || error.code !== 'not-running') throw error;
    if (configOf(dataDir) !== null) return null;
    const remedy = 'name its data folder with --data DIR';
    throw new GodwitError('not-found', `${dataDir}: no daemon was started on it`, remedy);
  }
}
