/**
 * `godwit flush`: looks for changes now; with `--wait`, until all of them are committed and everything that the server has is here (rule F4). `--now`
 * does so even if the budget of the network is used up or a rule forbids it.
 */
import type { Command } from 'commander';
import type { ErrorStatus } from '../../../shared/control/snapshot.ts';
import { GodwitError, isErrorCode, type ErrorCode } from '../../../shared/wire/error-codes.ts';
import { parseSeconds } from '../arguments.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { ErrorWithExit } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { FlushCertainty, FlushNotes } from '../flush-notes.ts';
import { unstoredText } from '../path-state.ts';
import { FlushProgress } from '../flush-progress.ts';

/** How often it is looked for a reason that has lasted. */
const LOOK_MS = 1000;

/** Errors of the flush itself, not of a file: they keep their own exit codes. */
const OF_THE_FLUSH: ReadonlySet<ErrorCode> = new Set([
  ...(['usage', 'not-running', 'internal', 'bad-message', 'server-too-old', 'timed-out'] as const),
]);

interface FlushOptions {
  readonly wait?: boolean;
  readonly now?: boolean;
  readonly timeout?: number;
}

/**
 * Builds `godwit flush`, which starts a scan, or with `--wait` or `--now` returns when all is
 * synced. Exit code 1: something of the files keeps them from being synced; 5: the time-out passed.
 */
export function flushCommand(cli: Cli): Command {
  const command = cli.withData('flush', 'send every change made so far');
  flag(command, '--wait', 'return when they are committed and what the server has is here');
  flag(command, '--now', 'wait, and let what the network holds back go too, whatever it costs');
  flag(command, '--timeout <seconds>', 'give up waiting (exit code 5)', undefined, parseSeconds);
  return cli.does<FlushOptions>(command, async (context, options) => {
    const now = options.now === true;
    if (options.wait !== true && !now && options.timeout === undefined) {
      await context.daemon.command('scan', {});
      context.result({ flushed: false, scanned: true }, ['changes found; they are being sent']);
      return;
    }
    await flushAndShow(context, options.timeout ?? null, now);
    // An older daemon, or one that ends, tells nothing of them.
    const status = await context.daemon.status().catch(() => null);
    const { unstored } = status ?? {};
    context.result({ flushed: true, ...(unstored === undefined ? {} : { unstored }) }, [
      'committed, and everything the server has is here',
    ]);
    if (unstored !== undefined) context.note(unstoredText(unstored, (path) => context.shown(path)));
  });
}

async function flushAndShow(
  context: Context,
  timeoutMs: number | null,
  now: boolean,
): Promise<void> {
  // An older daemon knows no `now`.
  const asked = now ? { timeoutMs, now } : { timeoutMs };
  const flushing = context.daemon.command('flush', asked);
  const done = new AbortController();
  const watching = watch(context, done.signal);
  // Who gives up does not wait for it.
  flushing.catch(() => undefined);
  try {
    await Promise.race([flushing, watching.inVain]);
  } catch (error) {
    throw isOfFiles(error) ? new ErrorWithExit(error, EXIT.failed) : error;
  } finally {
    done.abort();
    await watching.ended;
  }
}

/** Whether the error is about files that are not synced: for all of these the flush has one exit code. */
function isOfFiles(error: unknown): error is GodwitError {
  return error instanceof GodwitError && !OF_THE_FLUSH.has(error.code);
}

interface Watching {
  readonly ended: Promise<void>;
  /** Rejects when it is certain that the flush can only fail. */
  readonly inVain: Promise<never>;
}

/** Says how far it is, at a terminal in its place, elsewhere a line where nothing moves or a reason lasts. */
function watch(context: Context, signal: AbortSignal): Watching {
  const [notes, certainty] = [new FlushNotes(), new FlushCertainty()];
  const progress = context.shows ? new FlushProgress(context) : null;
  const { promise: inVain, reject } = Promise.withResolvers<never>();
  inVain.catch(() => undefined);
  const say = (why: string | null): void => {
    if (why === null) return;
    if (progress === null) context.note(`waiting: ${why}`);
    else progress.waits(why);
  };
  let isAsking = false;
  const ask = async (): Promise<void> => {
    if (isAsking || !certainty.isSuspected) return;
    isAsking = true;
    const answer = await context.daemon.status().finally(() => (isAsking = false));
    certainty.answered(answer);
    if (certainty.failed.length > 0) reject(failureOf(context, certainty.failed));
  };
  const look = (): void => {
    // A daemon that does not answer ends the flush itself.
    ask().catch(() => undefined);
    say(notes.late(performance.now()));
    progress?.redraw();
  };
  const looking = setInterval(look, LOOK_MS);
  const follow = async (): Promise<void> => {
    try {
      for await (const snapshot of context.daemon.snapshots(signal)) {
        certainty.seen(snapshot);
        say(notes.seen(snapshot, performance.now()));
        progress?.seen(snapshot);
      }
    } catch {
      // The flush itself says what is wrong.
    } finally {
      clearInterval(looking);
      progress?.end();
    }
  };
  return { ended: follow(), inVain };
}

function failureOf(context: Context, failed: readonly ErrorStatus[]): GodwitError {
  const [first, ...others] = failed as [ErrorStatus, ...ErrorStatus[]];
  const more = others.length === 0 ? '' : ` (and ${others.length} more, see \`godwit status\`)`;
  const place = first.path === null ? '' : `${context.shown(first.path, first.volume)}: `;
  const code = isErrorCode(first.code) ? first.code : 'sync-blocked';
  return new GodwitError(code, `${place}${first.message}${more}`, first.remedy);
}
