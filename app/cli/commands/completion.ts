/** `godwit completion SHELL`: a script for the shell to read, made from the commands as they are (shell-scripts.ts). */
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { oneOf, wordArgument } from '../fixed-values.ts';
import { scriptFor, SHELLS } from '../shell-scripts.ts';

/** Builds `godwit completion`, which prints a completion script for bash, zsh or fish. */
export function completionCommand(cli: Cli): Command {
  const command = cli.plain('completion', 'print a completion script for bash, zsh or fish');
  wordArgument(command, '<shell>', SHELLS.join(', '), { words: SHELLS });
  return cli.does(command, async (context, _options, [text = '']) => {
    await Promise.resolve();
    const shell = oneOf(...SHELLS)(text);
    const script = scriptFor(shell, command.parent ?? command);
    context.result({ shell, script }, script.trimEnd().split('\n'));
  });
}
