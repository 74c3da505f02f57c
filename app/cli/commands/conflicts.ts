import type { Command } from 'commander';
import type { ConflictStatus } from '../../../shared/control/snapshot.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parseCount } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { printable } from '../printable.ts';

export function conflictsCommand(cli: Cli): Command {
  const command = cli.withData('conflicts', 'list files of which both sides were kept');
  command.enablePositionalOptions();
  cli.does(command, async (context) => {
    const { conflicts } = await context.daemon.status();
    const lines = conflicts.length === 0 ? ['no conflicts'] : conflicts.flatMap(linesOf);
    context.result({ conflicts }, lines);
  });
  return command.addCommand(dismissCommand(cli));
}

function dismissCommand(cli: Cli): Command {
  const command = cli
    .withData('dismiss', 'forget a conflict that you have dealt with; both files stay')
    .argument('<id>', 'its number');
  return cli.does(command, async (context, _options, [text = '']) => {
    const id = parseCount(text);
    const { conflicts } = await context.daemon.status();
    if (!conflicts.some((conflict) => conflict.id === id)) {
      throw new GodwitError('not-found', `${id}: there is no such conflict`);
    }
    await context.daemon.command('dismiss', { id });
    context.result({ dismissed: id }, [`conflict ${id} is forgotten`]);
  });
}

function linesOf({ id, when, path, copy, kind }: ConflictStatus): string[] {
  return [
    `${id}  ${when}  ${kind}`,
    `   at its place  ${printable(path)}`,
    `   kept beside   ${printable(copy)}`,
  ];
}
