/** `godwit ui`: the window of the tray in a browser of this machine, served by the daemon for as long as that runs. */
import type { Command } from 'commander';
import { flag, type Cli } from '../cli.ts';
import { openWithDesktop } from '../open-with-desktop.ts';

/** Builds `godwit ui`, which opens the window in a browser, or prints its address. */
export function uiCommand(cli: Cli): Command {
  const command = cli.withData(
    'ui',
    'show the window in a browser; the daemon serves it here alone',
  );
  flag(command, '--print', 'print the address, and open nothing; it is good once, for a minute');
  return cli.does<{ print?: boolean }>(command, async (context, { print = false }) => {
    const { url } = await context.daemon.command('ui', {});
    const opened = !print && !context.json && (await openWithDesktop(url));
    if (opened) {
      context.result({ url, opened }, ['the window is in your browser']);
      return;
    }
    context.result({ url, opened }, [url]);
    if (!print) context.note('no browser could be opened: open this address on this machine, once');
  });
}
