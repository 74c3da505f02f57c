/** `godwit use`: which daemon commands speak to where several run and nothing else tells. */
import type { Command } from 'commander';
import { defaultDaemonData } from '../../../shared/control/state-folder.ts';
import { shellWord } from '../../../shared/util/shell-word.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatTable } from '../format.ts';
import { configOf, folderOf, holderOf, knownDaemons } from '../paths/choose-daemon.ts';
import { chosenDaemon, forgetChosen, keepChosen } from '../paths/chosen-daemon.ts';
import { diskPath, isOnDisk, isSameFolder, realOf, workingDirectory } from '../paths/disk-path.ts';
import { printable } from '../printable.ts';

/**
 * Builds `godwit use`, which chooses the daemon that commands without --data mean, forgets the choice, or lists the
 * daemons that run.
 */
export function useCommand(cli: Cli): Command {
  const command = cli
    .plain('use', 'choose the daemon that commands without --data speak to, if several run')
    .argument('[dir]', 'its synced folder or its data folder; without it, list those that run');
  flag(command, '--forget', 'choose none');
  return cli.does<{ forget?: boolean }>(command, (context, { forget = false }, [dir]) => {
    if (forget && dir !== undefined) {
      throw new GodwitError('usage', '--forget is for no folder', 'see `godwit use --help`');
    }
    if (forget) forgetChosen();
    if (dir !== undefined) keepChosen(dataOf(dir));
    tell(context, forget || dir !== undefined);
    return Promise.resolve();
  });
}

/** The data folder that is meant. Throws GodwitError `not-found`. */
function dataOf(dir: string): string {
  const path = diskPath(dir, workingDirectory());
  const at = path === null ? null : realOf(path);
  const known = knownDaemons(defaultDaemonData());
  const runs = known.find(
    ({ data, folder }) =>
      at !== null && (isSameFolder(data, at) || (folder !== null && isSameFolder(folder, at))),
  );
  if (runs !== undefined) return runs.data;
  if (at !== null && configOf(at) !== null) return at;
  const holder = at !== null && isOnDisk(at) ? holderOf(at, known) : null;
  if (holder !== null) return holder.data;
  throw new GodwitError(
    'not-found',
    `${dir}: neither the folder of a daemon that runs nor the data folder of one`,
    'see `godwit use` for those that run',
  );
}

/** Those that run, and the one that is chosen even if it does not. */
function tell(context: Context, isNew: boolean): void {
  const chosen = chosenDaemon();
  const running = knownDaemons(defaultDaemonData()).map((each) => ({ ...each, runs: true }));
  const isAway = chosen !== null && !running.some(({ data }) => data === chosen);
  const away = isAway
    ? [{ data: chosen, folder: folderOf(chosen), server: null, runs: false }]
    : [];
  const daemons = [...running, ...away];
  const rows = daemons.map(({ data, folder, server, runs }) => [
    data === chosen ? '*' : ' ',
    printable(folder ?? 'no folder'),
    runs ? printable(server ?? 'no server') : 'does not run',
    `--data ${shellWord(data)}`,
  ]);
  const head = isNew || chosen !== null ? [headOf(chosen, running.length)] : [];
  const lines = rows.length === 0 ? ['no daemon of yours runs'] : formatTable(rows, []);
  context.result({ chosen, daemons }, [...head, ...lines]);
}

function headOf(chosen: string | null, running: number): string {
  if (chosen !== null) {
    return 'commands without --data speak to the one with a *, outside the folders of the others';
  }
  if (running < 2) return 'none is chosen: a command speaks to the one that runs';
  return 'none is chosen: give a command in the folder of the one that you mean, or --data DIR';
}
