/**
 * `godwit flush`: looks for changes now; with `--wait`, until all of them are committed and everything that the server has is here (rule F4). `--now`
 * does so even if the budget of the network is used up or a rule forbids it.
 */
import type { Command } from 'commander';
import { parseSeconds } from '../arguments.ts';
import { flag, type Cli } from '../cli.ts';
import { flushAndShow } from '../flush-and-show.ts';
import { unstoredText } from '../path-state.ts';

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
