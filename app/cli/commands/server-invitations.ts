import type { Command } from 'commander';
import { oneOf, parseCount } from '../arguments.ts';
import { flag, SERVER_PREFIX, type Cli } from '../cli.ts';
import { formatTable } from '../format.ts';
import { printable } from '../printable.ts';
import { onServer, serverData, serverLeaf, type ServerFlags } from '../server-flags.ts';
import { DEFAULT_VOLUME } from '../volume-tree.ts';

const DEFAULT_HOURS = 24;
/** Enough of an invitation's number to tell it from others. */
const SHOWN_DIGITS = 8;

interface InviteFlags extends ServerFlags {
  readonly user?: string;
  readonly volume?: string;
  readonly rights?: 'read' | 'write';
  readonly hours?: number;
  readonly address?: string;
}

/** Builds `godwit server invite`, which makes an invitation for one device and prints it. */
export function inviteCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'invite', 'make an invitation for one device');
  const add = (flags: string, text: string, parse?: (value: string) => unknown) =>
    flag(command, flags, text, SERVER_PREFIX, parse);
  add('--user <name>', 'whose device it is (default: owner)');
  add('--volume <name>', `what it may see (default: ${DEFAULT_VOLUME})`);
  add('--rights <rights>', 'read or write (default: write)', oneOf('read', 'write'));
  add('--hours <count>', `how long it is good for (default: ${DEFAULT_HOURS})`, parseCount);
  add('--address <host:port>', 'where the device finds the server (default: where it listens)');
  return cli.does<InviteFlags>(command, async (context, options) => {
    const { createInvitation } = await import('../../../server/maintenance/administration.ts');
    const asked = {
      user: options.user ?? 'owner',
      volume: options.volume ?? DEFAULT_VOLUME,
      rights: options.rights ?? 'write',
      hours: options.hours ?? DEFAULT_HOURS,
      ...(options.address === undefined ? {} : { address: options.address }),
    };
    const invitation = await onServer(createInvitation(serverData(options), asked));
    context.result({ invitation }, [invitation]);
  });
}

/** Builds `godwit server invitations`, which lists all invitations with their state and expiry. */
export function invitationsCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'invitations', 'list invitations');
  return cli.does<ServerFlags>(command, async (context, options) => {
    const { listInvitations } = await import('../../../server/maintenance/administration.ts');
    const invitations = await listInvitations(serverData(options));
    const rows = invitations.map(({ id, user, volume, rights, state, expires }) => [
      id.slice(0, SHOWN_DIGITS),
      printable(user),
      printable(volume),
      rights,
      state,
      expires,
    ]);
    const head = ['begins with', 'user', 'volume', 'rights', 'state', 'expires'];
    context.result(
      { invitations },
      invitations.length === 0 ? ['no invitations'] : formatTable([head, ...rows]),
    );
  });
}
