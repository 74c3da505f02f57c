/** `godwit server`: runs the server in the foreground, and holds the commands of its administrator. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { refuseForServer } from '../../../shared/control/foreign-folder.ts';
import { SCHEDULINGS } from '../../../shared/model/scheduling.ts';
import { milliseconds } from '../../../shared/model/time.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parseHostPort } from '../../../shared/control/addresses.ts';
import { formatHostPort, type HostPort } from '../../../shared/model/host-port.ts';
import { asUsage, parsePort, parseSeconds } from '../arguments.ts';
import { oneOf } from '../fixed-values.ts';
import { flag, METRICS_HELP, SCHEDULING_HELP, SERVER_PREFIX, type Cli } from '../cli.ts';
import type { PairedDevice } from '../../../server/main.ts';
import type { Context } from '../context.ts';
import { printable } from '../printable.ts';
import { namingDisk } from '../disk-room.ts';
import { aborted } from '../interruption.ts';
import { makeUsable } from '../usable-folder.ts';
import { serverData, serverLeaf, type ServerFlags } from '../server-flags.ts';
import { backupCommand, restoreCommand } from './server-backup.ts';
import { serverDiskCommand } from './server-df.ts';
import { readyCommand } from './server-ready.ts';
import { setupCommand } from './server-setup.ts';
import { topCommand } from './server-top.ts';
import { devicesCommand, renameCommand, revokeCommand } from './server-devices.ts';
import { invitationsCommand, inviteCommand, withdrawCommand } from './server-invitations.ts';
import { quotaCommand } from './server-quota.ts';
import { retentionCommand } from './server-retention.ts';
import { checkCommand, collectCommand } from './server-upkeep.ts';
import { serverAccessCommand, serverTeamCommand } from './server-access.ts';
import { userCommand } from './server-users.ts';
import { snapshotCommand } from './server-snapshots.ts';
import { volumeCommand } from './server-volumes.ts';

/** Every interface, and a port of its own. */
const DEFAULT_HOST = '0.0.0.0';
const DEFAULT_LISTEN = '0.0.0.0:4433';

const listenAddress = (text: string): HostPort => asUsage(parseHostPort)(text, DEFAULT_HOST);

/**
 * Builds `godwit server`, which runs the server until Ctrl-C, with the subcommands for its
 * administrator.
 */
export function serverCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'server', 'run the server until Ctrl-C');
  const udp = `UDP address (default: ${DEFAULT_LISTEN})`;
  flag(command, '--listen <host:port>', udp, SERVER_PREFIX, listenAddress);
  flag(command, '--metrics <port>', METRICS_HELP, SERVER_PREFIX, parsePort);
  flag(command, '--scheduling <how>', SCHEDULING_HELP, SERVER_PREFIX, oneOf(...SCHEDULINGS));
  flag(command, '--reader-wait <seconds>', WAIT_HELP, SERVER_PREFIX, parseReaderWait);
  command.enablePositionalOptions();
  cli.does<ServerFlags>(command, runServer);
  command.addCommand(setupCommand(cli));
  command.addCommand(readyCommand(cli));
  command.addCommand(inviteCommand(cli));
  command.addCommand(invitationsCommand(cli));
  command.addCommand(withdrawCommand(cli));
  command.addCommand(devicesCommand(cli));
  command.addCommand(renameCommand(cli));
  command.addCommand(revokeCommand(cli));
  command.addCommand(userCommand(cli));
  command.addCommand(volumeCommand(cli));
  command.addCommand(serverAccessCommand(cli));
  command.addCommand(serverTeamCommand(cli));
  command.addCommand(snapshotCommand(cli));
  command.addCommand(backupCommand(cli));
  command.addCommand(restoreCommand(cli));
  command.addCommand(retentionCommand(cli));
  command.addCommand(quotaCommand(cli));
  command.addCommand(checkCommand(cli));
  command.addCommand(collectCommand(cli));
  command.addCommand(serverDiskCommand(cli));
  command.addCommand(topCommand(cli));
  return command;
}

const WAIT_HELP = 'how long an open waits for what another laptop has not sent yet (default: 5)';

/** Shorter than a lease: longer, and people take it for a hang. */
const LONGEST_WAIT_MS = 25_000;

/** Whoever waits for the first laptop sees it, and whoever expects none as well. */
const pairedLine = ({ device, name, user, volume }: PairedDevice): string =>
  `${printable(name)} of ${printable(user)} has joined, for ${printable(volume)}: device ${device}`;

/** As umask has it: what is taken from group and others. */
const OWNER_ALONE = 0o077;

function parseReaderWait(text: string): number {
  const ms = parseSeconds(text);
  if (ms <= LONGEST_WAIT_MS) return ms;
  throw new GodwitError('usage', `${text}: readers wait 25 seconds at most`);
}

/** Where the folder is open to others, since it was there before, none of its files is. */
async function runServer(context: Context, options: ServerFlags): Promise<void> {
  const before = process.umask(OWNER_ALONE);
  try {
    await runUntilInterrupted(context, options);
  } finally {
    process.umask(before);
  }
}

async function runUntilInterrupted(context: Context, options: ServerFlags): Promise<void> {
  const interrupted = context.interruption.claim();
  const listen = options.listen ?? listenAddress(DEFAULT_LISTEN);
  const dataDir = serverData(options);
  refuseForServer(dataDir);
  const [{ startServer }, { createFileLog }] = await Promise.all([
    import('../../../server/main.ts'),
    import('../../../shared/logging/winston-log.ts'),
  ]);
  const { log, server } = await namingDisk([dataDir], async () => {
    makeUsable(join(dataDir, 'log'), 0o700);
    const log = createFileLog({ file: join(dataDir, 'log', 'server.log') });
    const metrics = options.metrics === undefined ? {} : { metricsPort: options.metrics };
    const sends = options.scheduling === undefined ? {} : { scheduling: options.scheduling };
    const { readerWait } = options;
    const waits = readerWait === undefined ? {} : { readerWait: milliseconds(readerWait) };
    const settings = { ...metrics, ...sends, ...waits };
    const onPaired = (paired: PairedDevice): void => context.note(pairedLine(paired));
    return { log, server: await startServer({ dataDir, listen, log, onPaired, ...settings }) };
  });
  const listening = formatHostPort(server);
  const { metrics } = server;
  const isUniform = options.scheduling === 'uniform';
  const scheduling = isUniform ? { scheduling: 'uniform' } : {};
  context.result({ listening, ...(metrics === null ? {} : { metrics }), ...scheduling }, [
    `the server listens on ${listening} (UDP); its data are in ${dataDir}`,
    ...(metrics === null ? [] : [`metrics: ${metrics}`]),
    ...(isUniform ? ['scheduling: uniform, no class goes before another'] : []),
    `invite a device: godwit server invite --data ${dataDir}`,
  ]);
  await aborted(interrupted);
  await server.close();
  await log.close();
}
