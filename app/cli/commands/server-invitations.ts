import type { Command } from 'commander';
import { parseAddress } from '../../../shared/control/addresses.ts';
import type { InvitationRow } from '../../../server/maintenance/accounts/accounts.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { asUsage, parseCount } from '../arguments.ts';
import { oneOf } from '../fixed-values.ts';
import { flag, SERVER_PREFIX, type Cli } from '../cli.ts';
import { formatIso, formatTable } from '../format.ts';
import { printable } from '../printable.ts';
import { onServer, serverData, serverLeaf, type ServerFlags } from '../server-flags.ts';
import { DEFAULT_VOLUME } from '../volume-tree.ts';

const DEFAULT_HOURS = 24;
/** Stands for the port of the server, which is not known yet. */
const ANY_PORT = 1;
/** Of a terminal that does not say how wide it is. */
const COLUMNS = 80;
/** Enough of an invitation's number to tell it from others. */
const SHOWN_DIGITS = 8;

interface InviteFlags extends ServerFlags {
  readonly user?: string;
  readonly volume?: string;
  readonly rights?: 'read' | 'write';
  readonly hours?: number;
  readonly address?: string;
}

/** The last port of the server completes it, which only its data folder has. */
function checkAddress(text: string): string {
  asUsage(parseAddress)(text, ANY_PORT);
  return text;
}

/** Builds `godwit server invite`, which makes an invitation for one device and prints it. */
export function inviteCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'invite', 'make an invitation for one device').argument(
    '[name]',
    'whose device it is; a new name makes a user, with a home volume',
  );
  const add = (flags: string, text: string, parse?: (value: string) => unknown) =>
    flag(command, flags, text, SERVER_PREFIX, parse);
  add('--user <name>', 'the same, without a home volume (default: owner)');
  const volume = `what it may see (default: the home of NAME; without NAME: ${DEFAULT_VOLUME})`;
  add('--volume <name>', volume);
  add('--rights <rights>', 'read or write (default: write)', oneOf('read', 'write'));
  add('--hours <count>', `how long it is good for (default: ${DEFAULT_HOURS})`, parseCount);
  const address = 'where the device finds the server (default: where it listens)';
  add('--address <host:port>', address, checkAddress);
  return cli.does<InviteFlags>(command, async (context, options, [name]) => {
    if (name !== undefined && options.user !== undefined && options.user !== name) {
      throw new GodwitError('usage', `invite: is it for ${name}, or for ${options.user}?`);
    }
    const { createInvitation } = await import('../../../server/maintenance/administration.ts');
    const asked = {
      user: name ?? options.user ?? 'owner',
      volume: options.volume ?? (name === undefined ? DEFAULT_VOLUME : null),
      rights: options.rights ?? 'write',
      hours: options.hours ?? DEFAULT_HOURS,
      ...(options.address === undefined ? {} : { address: options.address }),
    };
    const invitation = await onServer(createInvitation(serverData(options), asked));
    context.result({ invitation }, [invitation]);
    // A pipe gets the invitation alone.
    const { stdout } = context.io;
    if (stdout.isTTY !== true) return;
    const { invitationHelp, qrLines } = await import('../setup/invitation-lines.ts');
    const help = invitationHelp(invitation, asked.hours, options.address === undefined);
    for (const line of [...qrLines(invitation, stdout.columns ?? COLUMNS), ...help]) {
      context.note(line);
    }
  });
}

/**
 * Builds `godwit server invitations`, which lists open invitations; with `--all` also those that are used or expired.
 */
export function invitationsCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'invitations', 'list invitations that can be used');
  flag(command, '--all', 'also those that are used or expired');
  return cli.does<ServerFlags & { all?: boolean }>(command, async (context, options) => {
    const { listInvitations } = await import('../../../server/maintenance/administration.ts');
    const invitations = await listInvitations(serverData(options));
    const listed = invitations.filter(({ state }) => options.all === true || state === 'open');
    const lines = listed.length === 0 ? [NONE] : formatTable(tableOf(listed));
    const rest = [...restOf(invitations, 'used'), ...restOf(invitations, 'expired')];
    const more = options.all === true || rest.length === 0 ? [] : [`${rest.join(', ')}: --all`];
    // Programs choose by the state.
    context.result({ invitations }, [...lines, ...more]);
  });
}

const NONE = 'no invitation can be used: `godwit server invite` makes one';

function tableOf(invitations: readonly InvitationRow[]): string[][] {
  const rows = invitations.map(({ id, user, volume, rights, state, expires, used, device }) => [
    id.slice(0, SHOWN_DIGITS),
    printable(user),
    printable(volume),
    rights,
    state,
    formatIso(used ?? expires),
    printable(device ?? ''),
  ]);
  return [['begins with', 'user', 'volume', 'rights', 'state', 'expires or used', 'by'], ...rows];
}

function restOf(all: readonly InvitationRow[], state: InvitationRow['state']): string[] {
  const count = all.filter((each) => each.state === state).length;
  return count === 0 ? [] : [`${count} ${state}`];
}

/** Builds `godwit server withdraw`, after which an invitation that nobody has used can not be used. */
export function withdrawCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'withdraw', 'end an invitation that nobody has used').argument(
    '<begins>',
    'how its number begins (godwit server invitations)',
  );
  return cli.does<ServerFlags>(command, async (context, options, [text = '']) => {
    const begins = text.toLowerCase();
    if (!/^[0-9a-f]{1,32}$/.test(begins)) {
      const why = `${text}: no beginning of an invitation's number`;
      throw new GodwitError('usage', why, 'see `godwit server invitations`');
    }
    const { withdrawInvitation } = await import('../../../server/maintenance/administration.ts');
    const id = await withdrawInvitation(serverData(options), begins);
    const line = `the invitation ${id.slice(0, SHOWN_DIGITS)} is good no longer`;
    context.result({ withdrawn: id }, [line]);
  });
}
