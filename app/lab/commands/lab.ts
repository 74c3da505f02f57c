/** `godwit lab`: the page of the laboratory; `godwit lab bench` is `godwit bench`, and so for each of them. */
import type { Command } from 'commander';
import type { Cli } from '../../cli/cli.ts';

const ABOUT = `
Each is a command of its own as well: \`godwit lab bench\` is \`godwit bench\`.
They start servers and daemons of their own on this machine, and touch none that runs; \`trace record\` alone
asks a daemon that runs. What each measures: app/lab/README.md.`;

/**
 * Builds `godwit lab`, which lists the commands of the laboratory and runs them. By itself it
 * throws GodwitError `usage`.
 */
export function labCommand(cli: Cli, commands: readonly Command[]): Command {
  const lab = cli
    .holds(cli.plain('lab', 'the laboratory: all of these, and what they are for'))
    .enablePositionalOptions()
    .addHelpText('after', ABOUT);
  for (const each of commands) lab.addCommand(each);
  return lab;
}
