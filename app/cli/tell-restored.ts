/** What `godwit restore` and `undo` have done, in words, or would do. */
import { join } from 'node:path';
import type { DoneRow, RestoreReport, TakenBackAs } from '../../shared/control/history.ts';
import { isErrorCode } from '../../shared/wire/error-codes.ts';
import type { Context } from './context.ts';
import { EXIT, exitCodeOf, type ExitCode } from './exit-codes.ts';
import { formatNumber } from './format.ts';
import { printable } from './printable.ts';

/** Of a folder with thousands of files nobody reads them all; --verbose has them. */
const MOST_LINES = 10;

interface How {
  readonly volume: string;
  readonly dryRun?: boolean;
}

/** What failed goes to stderr, and the exit code is that of the first failure. */
export function tellRestored(
  context: Context,
  report: RestoreReport,
  nothing: string,
  { volume, dryRun = false }: How,
): ExitCode {
  const { done, failed } = report;
  const isNothing = done.length === 0 && failed.length === 0;
  const lines = restoredLines(context, done, { volume, dryRun });
  context.result({ ...report, dryRun }, isNothing ? [nothing] : lines);
  tellFailed(context, report, volume);
  const [first] = failed;
  if (first === undefined) return EXIT.fine;
  return isErrorCode(first.code) ? exitCodeOf(first.code) : EXIT.failed;
}

export function tellFailed(context: Context, { failed }: RestoreReport, volume: string): void {
  if (context.json) return;
  const shown = context.verbose ? failed : failed.slice(0, MOST_LINES);
  for (const { path, message } of shown) {
    const what = `${context.shown(path, volume)} is left as it is: ${printable(message)}`;
    context.io.stderr.write(`godwit: ${what}\n`);
  }
  const more = failed.length - shown.length;
  if (more > 0) context.io.stderr.write(`godwit: ${more} more are left as they are (--verbose)\n`);
}

const DID: Record<TakenBackAs, readonly [did: string, would: string]> = {
  made: ['is there again', 'would be there again'],
  contents: ['has its older contents again', 'would have its older contents again'],
  moved: ['has its old name again', 'would have its old name again'],
  linked: ['has that name again', 'would have that name again'],
  mode: ['has its old mode again', 'would have its old mode again'],
  'given-up': ["becomes the server's again", "would become the server's again"],
};

/** A line for each of the first ones, or with --verbose of all. */
export function restoredLines(
  context: Context,
  done: readonly DoneRow[],
  { volume, dryRun = false }: How,
): string[] {
  const shown = (path: string): string => context.shown(path, volume);
  const lines = (context.verbose ? done : done.slice(0, MOST_LINES)).map(({ path, as, to }) => {
    const beside = to === path ? '' : `, as ${shown(to)}`;
    return `${shown(path)} ${DID[as][dryRun ? 1 : 0]}${beside}`;
  });
  const more = done.length - lines.length;
  if (more > 0) lines.push(`... and ${formatNumber(more)} more (--verbose)`);
  const isAside = done.some(({ as, isLaidAside }) => as === 'given-up' && isLaidAside !== false);
  return isAside ? [...lines, laidAside(context)] : lines;
}

/** Where what was written here is, once the server's is in its place. */
export function laidAside({ dataDir }: Context): string {
  return `what was written here is kept in ${join(dataDir, 'store', 'lost+found')}`;
}
