import type { Command } from 'commander';
import type { Cli } from '../cli.ts';

export function pauseCommand(cli: Cli): Command {
  const command = cli.withData('pause', 'stop syncing until `godwit resume`; changes are kept');
  return cli.does(command, async (context) => {
    await context.daemon.command('pause', {});
    context.result({ paused: true }, ['paused: changes wait until `godwit resume`']);
  });
}
