/** `godwit down`: ends the daemon, and returns when it has ended. */
import type { Command } from 'commander';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Cli } from '../cli.ts';
import { waitForEnd } from '../processes.ts';

/** Open answers and the last transaction; far more than a daemon in good order takes. */
const LIMIT_MS = 30_000;

/**
 * Builds `godwit down`, which ends the daemon and waits until its process is gone. Throws
 * GodwitError `timed-out` if the process is still there after `LIMIT_MS`.
 */
export function downCommand(cli: Cli): Command {
  const command = cli.withData('down', 'end the daemon; what is not sent yet is kept');
  return cli.does(command, async (context) => {
    const { pid } = await context.daemon.status();
    await context.daemon.command('down', {});
    if (!(await waitForEnd(pid, LIMIT_MS))) {
      throw new GodwitError('timed-out', `process ${pid}: the daemon has not ended yet`);
    }
    context.result({ down: true, pid }, ['the daemon has ended']);
  });
}
