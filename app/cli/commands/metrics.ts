/** `godwit metrics`: the daemon's figures as Prometheus reads them, once; no port has to be open. */
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';

/**
 * Builds `godwit metrics`, which prints the daemon's metrics once, in the text format of
 * Prometheus.
 */
export function metricsCommand(cli: Cli): Command {
  const command = cli.withData('metrics', 'print the figures of the daemon for Prometheus, once');
  return cli.does(command, async (context) => {
    const { text } = (await context.daemon.command('metrics', {})) as { text: string };
    context.result({ metrics: text }, [text.trimEnd()]);
  });
}
