/** `godwit server ready`: for whoever watches over a server, such as a container's health check. */
import type { Command } from 'commander';
import { formatHostPort } from '../../../shared/model/host-port.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Cli } from '../cli.ts';
import { probeQuic } from '../doctor/quic-probe.ts';
import { serverData, serverLeaf, type ServerFlags } from '../server-flags.ts';

/** Builds `godwit server ready`. Throws GodwitError `no-server` or `server-unreachable`. */
export function readyCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'ready', 'say whether the server of this data folder answers');
  return cli.does<ServerFlags>(command, async (context, options) => {
    const { listeningOf } = await import('../../../server/maintenance/administration.ts');
    const { host, port } = await listeningOf(serverData(options));
    const address = formatHostPort({ host, port });
    const result = await probeQuic(host, port);
    if (result !== 'answers') {
      throw new GodwitError(
        'server-unreachable',
        `${address}: no server answers (${result})`,
        'start it',
      );
    }
    context.result({ address }, [`the server answers on ${address}`]);
  });
}
