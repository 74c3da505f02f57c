/** A flush that is waited for, with a sign of how far it is and of what it waits for. */
import type { ErrorStatus } from '../../shared/control/snapshot.ts';
import { GodwitError, isErrorCode, type ErrorCode } from '../../shared/wire/error-codes.ts';
import type { Context } from './context.ts';
import { ErrorWithExit } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import { FlushCertainty, FlushNotes } from './flush-notes.ts';
import { FlushProgress } from './flush-progress.ts';

/** How often it is looked for a reason that has lasted. */
const LOOK_MS = 1000;

/** Errors of the flush itself, not of a file: they keep their own exit codes. */
const OF_THE_FLUSH: ReadonlySet<ErrorCode> = new Set([
  ...(['usage', 'not-running', 'internal', 'bad-message', 'server-too-old', 'timed-out'] as const),
]);

/** Sends every change and waits until all is synced, showing how far that is. Rejects as the flush does, and when it is certain that it can only fail. */
export async function flushAndShow(
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
