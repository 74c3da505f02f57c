import type { Command } from 'commander';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parsePauseLength } from '../arguments.ts';
import { flag, type Cli } from '../cli.ts';
import { formatClock } from '../format.ts';

interface PauseOptions {
  readonly for?: number;
  readonly untilNetworkChanges?: boolean;
}

/**
 * Builds `godwit pause`, which stops syncing for a time, until the network changes, or until
 * `godwit resume`.
 */
export function pauseCommand(cli: Cli): Command {
  const command = cli.withData(
    'pause',
    'send and fetch nothing until `godwit resume`; changes are kept',
  );
  flag(command, '--for <time>', 'only so long: 90s, 30m, 2h, 3d', undefined, parsePauseLength);
  flag(command, '--until-network-changes', 'only until this machine is on another network');
  return cli.does<PauseOptions>(command, async (context, { for: forMs, untilNetworkChanges }) => {
    if (untilNetworkChanges === true) {
      if (forMs !== undefined) {
        throw new GodwitError('usage', 'pause: give --for or --until-network-changes, not both');
      }
      await context.daemon.command('pause', { untilNetworkChanges });
      context.result({ paused: true, pausedUntil: null, untilNetworkChanges }, [
        'paused: changes wait until `godwit resume`, or until the network changes',
      ]);
      return;
    }
    const reply = await context.daemon.command('pause', forMs === undefined ? {} : { forMs });
    const { pausedUntil } = reply;
    const end = pausedUntil === null ? '' : `, or until ${formatClock(pausedUntil, Date.now())}`;
    context.result({ paused: true, pausedUntil }, [
      `paused: changes wait until \`godwit resume\`${end}`,
    ]);
  });
}
