import type { Command } from 'commander';
import { parseCount } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { formatIso, formatTable } from '../format.ts';
import { printable } from '../printable.ts';
import { serverData, serverLeaf, type ServerFlags } from '../server-flags.ts';

/**
 * Builds `godwit server devices`, which lists all devices with their user, state and last hello.
 */
export function devicesCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'devices', 'list devices');
  return cli.does<ServerFlags>(command, async (context, options) => {
    const { listDevices } = await import('../../../server/maintenance/administration.ts');
    const devices = await listDevices(serverData(options));
    const rows = devices.map(({ id, name, user, state, lastHello }) => [
      String(id),
      printable(name),
      printable(user),
      state,
      formatIso(lastHello),
    ]);
    const head = ['number', 'name', 'user', 'state', 'last hello'];
    context.result(
      { devices },
      devices.length === 0 ? ['no devices'] : formatTable([head, ...rows]),
    );
  });
}

/** Builds `godwit server revoke`, after which the server admits a device no longer. */
export function revokeCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'revoke', 'admit a device no longer').argument(
    '<id>',
    'its number',
  );
  return cli.does<ServerFlags>(command, async (context, options, [text = '']) => {
    const id = parseCount(text);
    const { revokeDevice } = await import('../../../server/maintenance/administration.ts');
    await revokeDevice(serverData(options), id);
    context.result({ revoked: id }, [`device ${id} is admitted no longer`]);
  });
}

/** Builds `godwit server rename`, after which a device is called otherwise, on all laptops. */
export function renameCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'rename', 'call a device otherwise')
    .argument('<id>', 'its number')
    .argument('<name>', 'what it is called from now on');
  return cli.does<ServerFlags>(command, async (context, options, [text = '', given = '']) => {
    const id = parseCount(text);
    const name = given.trim();
    const { renameDevice } = await import('../../../server/maintenance/administration.ts');
    await renameDevice(serverData(options), id, name);
    context.result({ renamed: id, name }, [`device ${id} is called ${printable(name)} now`]);
  });
}
