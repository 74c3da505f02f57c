/**
 * `godwit flush`: looks for changes now; with `--wait`, until all of them are committed and everything that the
 * server has is here (rule F4). `--now` does so on a network whose budget is used up, or that is ruled out: its user says so.
 */
import type { Command } from 'commander';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { DaemonState } from '../../../shared/model/daemon-state.ts';
import { GodwitError, type ErrorCode } from '../../../shared/wire/error-codes.ts';
import { parseSeconds } from '../arguments.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { ErrorWithExit } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { brief } from '../printable.ts';
import { startProgress } from '../progress.ts';
import { waitingText } from '../status-lines.ts';

/** States in which a flush may wait without end, so that the reason is printed. */
const STANDS: ReadonlySet<DaemonState> = new Set(['paused', 'offline', 'error']);

/** Errors of the flush itself, not of a file: they keep their own exit codes. */
const OF_THE_FLUSH: ReadonlySet<ErrorCode> = new Set([
  ...(['usage', 'not-running', 'internal', 'bad-message', 'server-too-old'] as const),
]);

interface FlushOptions {
  readonly wait?: boolean;
  readonly now?: boolean;
  readonly timeout?: number;
}

/**
 * Builds `godwit flush`, which starts a scan, or with `--wait` or `--now` returns when all is
 * synced. Exit code 5: the time-out passed, or something of the files keeps them from being synced.
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
    context.result({ flushed: true }, ['committed, and everything the server has is here']);
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
  const showing = context.shows
    ? showProgress(context, done.signal)
    : printStandstill(context, done.signal);
  try {
    await flushing;
  } catch (error) {
    throw isOfFiles(error) ? new ErrorWithExit(error, EXIT.tryAgain) : error;
  } finally {
    done.abort();
    await showing;
  }
}

/** Not all is synced, and the error says what and why: whatever that is, the flush ends with one exit code. */
function isOfFiles(error: unknown): error is GodwitError {
  return error instanceof GodwitError && !OF_THE_FLUSH.has(error.code);
}

/** Without a progress bar: prints a line when nothing moves, and again when the reason changes. */
async function printStandstill(context: Context, signal: AbortSignal): Promise<void> {
  let said = '';
  try {
    for await (const { state, summary, waiting = [] } of context.daemon.snapshots(signal)) {
      // What is said of a path is what the flush itself fails with.
      const [first] = state === 'error' ? waiting.filter(({ path }) => path === null) : waiting;
      if (state === 'error' && first === undefined) continue;
      const why = first === undefined ? brief(summary) : waitingText(first);
      if (!STANDS.has(state) || why === said) continue;
      said = why;
      context.note(`waiting: ${why}`);
    }
  } catch {
    // The flush itself says what is wrong.
  }
}

/** Work is found while it is done, so the total is the most that was left so far. */
async function showProgress(context: Context, signal: AbortSignal): Promise<void> {
  const progress = startProgress(context, 'to go');
  let most = 0;
  try {
    for await (const snapshot of context.daemon.snapshots(signal)) {
      const left = workLeft(snapshot);
      most = Math.max(most, left);
      progress.update(most - left, most);
    }
  } catch {
    // The flush itself says what is wrong.
  } finally {
    progress.stop();
  }
}

/**
 * Counts what a flush still waits for: updates, unsettled paths and commits, and running fetches.
 */
export function workLeft({ queues, unsettled, fetches }: StatusSnapshot): number {
  return (
    queues.metadata.updates +
    queues.data.updates +
    unsettled.paths +
    unsettled.commits +
    fetches.running
  );
}
