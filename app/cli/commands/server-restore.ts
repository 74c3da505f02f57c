/** `godwit server restore`: said once, after the data folder of a server was put back from a backup and before it is started. */
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { printable } from '../printable.ts';
import { serverData, serverLeaf, type ServerFlags } from '../server-flags.ts';

export function restoreCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'restore', 'go on from a backup that was put in place');
  return cli.does<ServerFlags>(command, async (context, options) => {
    const { beginEpoch } = await import('../../../server/main.ts');
    const volumes = await beginEpoch(serverData(options));
    context.result({ volumes }, [
      ...volumes.map(
        ({ volume, lastCommit }) =>
          `volume ${printable(volume)} goes on from its commit ${lastCommit}; devices offer what they know of later ones`,
      ),
      'start the server now; a device that was paired after the backup needs a new invitation',
    ]);
  });
}
