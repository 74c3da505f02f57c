/**
 * `godwit status`: what the daemon says of itself. With `--watch --json`, one object a line for each revision.
 */
import type { Command } from 'commander';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { LiveLine } from '../live-line.ts';
import { statusLine, statusLines } from '../status-lines.ts';

export function statusCommand(cli: Cli): Command {
  const command = cli.withData('status', 'say what the daemon is doing');
  flag(command, '-w, --watch', 'go on saying it until Ctrl-C');
  return cli.does<{ watch?: boolean }>(command, async (context, options) => {
    if (options.watch === true) return watch(context);
    const status = await context.daemon.status();
    context.result(status, statusLines(status));
  });
}

async function watch(context: Context): Promise<void> {
  const line = new LiveLine(context.io.stdout);
  const show = (status: StatusSnapshot): void => {
    if (context.json) context.result(status);
    else line.show(statusLine(status));
  };
  for await (const status of context.daemon.snapshots(context.interruption.claim())) show(status);
  line.end();
}
