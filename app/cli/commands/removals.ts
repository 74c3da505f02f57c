/**
 * `godwit confirm` and `godwit reject`: what becomes of many files that are missing from the folder at once (rule W8).
 * Nothing is removed elsewhere before somebody says that it is meant.
 */
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';

const NOTHING = 'no removals are waiting';

export function confirmCommand(cli: Cli): Command {
  const command = cli.withData('confirm', 'the files missing from the folder are meant to be gone');
  return cli.does(command, async (context) => {
    const paths = await countOf(context.daemon.command('confirm', {}));
    const text = paths === 0 ? NOTHING : `${paths} files and folders are removed everywhere`;
    context.result({ confirmed: paths }, [text]);
  });
}

export function rejectCommand(cli: Cli): Command {
  const command = cli.withData(
    'reject',
    'the files missing from the folder are put in place again',
  );
  return cli.does(command, async (context) => {
    const paths = await countOf(context.daemon.command('reject', {}));
    const text = paths === 0 ? NOTHING : `${paths} files and folders are in the folder again`;
    context.result({ rejected: paths }, [text]);
  });
}

async function countOf(reply: Promise<unknown>): Promise<number> {
  return ((await reply) as { readonly paths: number }).paths;
}
