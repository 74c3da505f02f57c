import type { Command } from 'commander';
import type { Cli } from '../cli.ts';

/** Builds `godwit resume`, which ends a pause. */
export function resumeCommand(cli: Cli): Command {
  const command = cli.withData('resume', 'go on syncing after `godwit pause`');
  return cli.does(command, async (context) => {
    await context.daemon.command('resume', {});
    context.result({ paused: false }, ['syncing goes on']);
  });
}
