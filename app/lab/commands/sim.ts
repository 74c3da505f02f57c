/** `godwit sim`: hands over to the simulator, which reads its own arguments and says its own help. */
import { Command } from 'commander';
import type { Cli } from '../../cli/cli.ts';

/**
 * Builds `godwit sim`, which passes its arguments to the simulator and takes over its exit code.
 */
export function simCommand(cli: Cli): Command {
  const { io, interruption } = cli;
  const command = new Command('sim')
    .description('run server and laptops in a simulated world, and look for faults')
    .argument('[options...]')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .addHelpText('after', '\nWhat they are: godwit sim --help');
  return command.action(async () => {
    const { main } = await import('../simulator/main.ts');
    const out = { out: io.stdout, err: io.stderr, interruption: () => interruption.claim() };
    cli.exitCode = await main(command.args, out);
  });
}
