/**
 * `godwit status --watch`: the status again and again, in the same place on a terminal and a line for each change elsewhere. A daemon that ends is waited
 * for: whoever watches wants to see it come back.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { StatusSnapshot } from '../../shared/control/snapshot.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { Context } from './context.ts';
import { LiveBlock } from './live-block.ts';
import { statusLine } from './status-lines.ts';

/** What moves is drawn anew so often. */
const REDRAW_MS = 1000;
/** A daemon that is away is looked for so often. */
const RETRY_MS = 1000;

const AWAY = 'The daemon has ended; waiting for it to start again ... (Ctrl-C ends this)';

/** Returns when it is interrupted. Rejects `not-running` where no daemon runs at its beginning. */
export async function watchStatus(
  context: Context,
  linesOf: (status: StatusSnapshot) => Promise<string[]>,
): Promise<void> {
  const signal = context.interruption.claim();
  const { stdout } = context.io;
  const screen = stdout.isTTY === true && !context.json ? new LiveBlock(stdout, 'wrap') : null;
  const follow = screen === null ? () => eachChange(context, signal) : redraw;
  let isFirst = true;
  let said = '';
  while (!signal.aborted) {
    try {
      await follow();
      break;
    } catch (error) {
      if (signal.aborted) break;
      if (isFirst || !isAway(error)) throw error;
      if (screen === null) context.note(AWAY);
      else screen.show([AWAY]);
      await untilBack(context, signal);
    }
  }
  screen?.end();

  async function redraw(): Promise<void> {
    for (;;) {
      const status = await context.daemon.status();
      isFirst = false;
      screen?.show(await linesOf(status));
      await wait(REDRAW_MS, undefined, { signal });
    }
  }

  /** A revision may differ in nothing that the line has. */
  function tellLine(line: string): void {
    if (line === said) return;
    said = line;
    context.io.stdout.write(`${line}\n`);
  }

  /** For programs, and for what is no terminal. */
  async function eachChange({ daemon }: Context, until: AbortSignal): Promise<void> {
    for await (const status of daemon.snapshots(until)) {
      isFirst = false;
      if (context.json) context.result(status);
      else tellLine(statusLine(status));
    }
  }
}

const isAway = (error: unknown): boolean =>
  error instanceof GodwitError && error.code === 'not-running';

async function untilBack(context: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    context.close();
    try {
      await context.daemon.status();
      return;
    } catch (error) {
      if (!isAway(error)) throw error;
    }
    await wait(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
}
