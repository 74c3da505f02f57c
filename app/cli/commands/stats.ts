/** `godwit stats`: what the daemon has counted: calls, looks at files, and what never had to be sent. */
import type { Command } from 'commander';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parsePastTime } from '../arguments.ts';
import { flag, type Cli } from '../cli.ts';
import { RESTART } from '../older-daemon.ts';
import { statsLines } from '../stats-lines.ts';

/** What a daemon says that does not know a command. */
const UNHEARD_OF: ReadonlySet<string> = new Set(['not-found', 'bad-message']);

/**
 * Builds `godwit stats`, which prints what the daemon has counted since it began, or since a time
 * of the last day.
 */
export function statsCommand(cli: Cli): Command {
  const command = cli.withData(
    'stats',
    'say how many calls and looks there were, and what they took',
  );
  const help = 'count from then: 10m, 1h, 1d, or a time (default: since the daemon began)';
  flag(
    command,
    '--since <time>',
    help,
    undefined,
    (text) => Date.now() - parsePastTime(text, Date.now()),
  );
  return cli.does<{ since?: number }>(command, async (context, options) => {
    const { since: sinceMs = null } = options;
    const report = await context.daemon.command('stats', { sinceMs }).catch((error: unknown) => {
      if (!(error instanceof GodwitError) || !UNHEARD_OF.has(error.code)) throw error;
      throw new GodwitError('usage', 'this daemon is older than the program', RESTART);
    });
    context.result({ ...report }, statsLines(report));
  });
}
