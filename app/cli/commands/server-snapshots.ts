/** `godwit server snapshot`: named points in the history of a volume, beside a server that runs or without one. */
import type { Command } from 'commander';
import { flag, SERVER_PREFIX, type Cli } from '../cli.ts';
import { formatIso, formatTable } from '../format.ts';
import { SCHEDULES, type Every } from '../../../shared/model/snapshot-schedule.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parseCountOrNone } from '../arguments.ts';
import { wordArgument } from '../fixed-values.ts';
import { printable } from '../printable.ts';
import { serverData, serverLeaf, type ServerFlags } from '../server-flags.ts';

/** Builds `godwit server snapshot` with its subcommands. */
export function snapshotCommand(cli: Cli): Command {
  const command = cli.holds(serverLeaf(cli, 'snapshot', 'named points in the history of a volume'));
  command.enablePositionalOptions();
  command.addCommand(createCommand(cli));
  command.addCommand(lsCommand(cli));
  command.addCommand(removeCommand(cli));
  command.addCommand(scheduleCommand(cli));
  return command;
}

const administration = () => import('../../../server/maintenance/administration.ts');

function createCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'create', 'keep a volume as it is now, until that is removed');
  command.argument('<volume>', 'its name').argument('<name>', 'what to call it, such as yesterday');
  return cli.does<ServerFlags>(command, async (context, options, [volume = '', name = '']) => {
    const made = await (await administration()).createSnapshot(serverData(options), volume, name);
    const line = `${printable(volume)} as it is now is kept as the snapshot ${made.name}`;
    context.result({ volume, ...made }, [line]);
  });
}

function lsCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'ls', 'list the snapshots of a volume');
  command.argument('<volume>', 'its name');
  return cli.does<ServerFlags>(command, async (context, options, [volume = '']) => {
    const snapshots = await (await administration()).listSnapshots(serverData(options), volume);
    const rows = snapshots.map(({ name, made, at }) => [name, formatIso(made), String(at)]);
    const lines = formatTable([['name', 'made', 'commit'], ...rows], [2]);
    context.result({ snapshots }, snapshots.length === 0 ? ['no snapshots'] : lines);
  });
}

function removeCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'rm', 'remove a snapshot; the volume stays as it is');
  command.argument('<volume>', 'its name').argument('<name>', 'one of those that `ls` shows');
  return cli.does<ServerFlags>(command, async (context, options, [volume = '', name = '']) => {
    await (await administration()).removeSnapshot(serverData(options), volume, name);
    const rest = 'what nothing else keeps goes with a collection, once it is 7 days old';
    const line = `the snapshot ${printable(name)} was removed; ${rest}`;
    context.result({ removed: name, volume }, [line]);
  });
}

interface ScheduleFlags extends ServerFlags {
  readonly keep?: number;
}

function scheduleCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'schedule', 'say, or set, which snapshots the server makes');
  command.argument('<volume>', 'its name');
  const every = `${SCHEDULES.join(', ')}; left out: all schedules are listed`;
  wordArgument(command, '[every]', every, { words: SCHEDULES });
  const keep = 'how many of them are kept; 0 ends the schedule, and what it made stays';
  flag(command, '--keep <count>', keep, SERVER_PREFIX, parseCountOrNone);
  return cli.does<ScheduleFlags>(command, async (context, options, [volume = '', every]) => {
    const { changeSchedule, listSchedules } = await administration();
    const { keep: count } = options;
    const period = every === undefined ? null : everyFrom(every);
    if ((period === null) !== (count === undefined)) {
      throw new GodwitError('usage', 'a schedule has a period and a count: daily --keep 7');
    }
    const schedules =
      period === null || count === undefined
        ? await listSchedules(serverData(options), volume)
        : await changeSchedule(serverData(options), volume, period, count === 0 ? null : count);
    const lines = schedules.map((each) => `${each.every}: the newest ${each.keep} are kept`);
    context.result({ volume, schedules }, lines.length === 0 ? ['no schedules'] : lines);
  });
}

function everyFrom(text: string): Every {
  const every = SCHEDULES.find((each) => each === text);
  if (every !== undefined) return every;
  throw new GodwitError('usage', `${text}: a schedule is one of ${SCHEDULES.join(', ')}`);
}
