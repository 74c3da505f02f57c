import type { Command } from 'commander';
import { parsePauseLength } from '../arguments.ts';
import { flag, type Cli } from '../cli.ts';
import { formatClock } from '../format.ts';

export function pauseCommand(cli: Cli): Command {
  const command = cli.withData('pause', 'stop syncing until `godwit resume`; changes are kept');
  flag(command, '--for <time>', 'only so long: 90s, 30m, 2h', undefined, parsePauseLength);
  return cli.does<{ for?: number }>(command, async (context, { for: forMs }) => {
    const reply = await context.daemon.command('pause', forMs === undefined ? {} : { forMs });
    const { pausedUntil } = reply as { readonly pausedUntil: string | null };
    const end = pausedUntil === null ? '' : `, or until ${formatClock(pausedUntil, Date.now())}`;
    context.result({ paused: true, pausedUntil }, [
      `paused: changes wait until \`godwit resume\`${end}`,
    ]);
  });
}
