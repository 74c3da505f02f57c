/** `godwit server retention`: for how long older versions can be restored (rule D4). */
import type { Command } from 'commander';
import { parseCountOrNone } from '../arguments.ts';
import { flag, SERVER_PREFIX, type Cli } from '../cli.ts';
import { formatCount } from '../format.ts';
import { serverData, serverLeaf, type ServerFlags } from '../server-flags.ts';

interface RetentionFlags extends ServerFlags {
  readonly all?: number;
  readonly daily?: number;
}

/**
 * Builds `godwit server retention`, which prints or sets for how many days older versions are kept.
 */
export function retentionCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'retention', 'say, or set, how long older versions are kept');
  flag(command, '--all <days>', 'keep every version for so long', SERVER_PREFIX, parseCountOrNone);
  const daily = 'then keep the last one of each day for so long';
  flag(command, '--daily <days>', daily, SERVER_PREFIX, parseCountOrNone);
  return cli.does<RetentionFlags>(command, async (context, { all, daily: days, ...options }) => {
    const { changeRetention } = await import('../../../server/maintenance/administration.ts');
    const policy = await changeRetention(serverData(options), {
      ...(all === undefined ? {} : { allDays: all }),
      ...(days === undefined ? {} : { dailyDays: days }),
    });
    context.result({ ...policy }, [
      `every version is kept for ${formatCount(policy.allDays, 'day')} after it was replaced or removed`,
      `the last one of each day for ${formatCount(policy.dailyDays, 'day')}`,
    ]);
  });
}
