/** `godwit server access` and `godwit server team`: who may do what in which volume, beside a server that runs or without one. */
import type { Command } from 'commander';
import { rightsText } from '../../../shared/model/access-list.ts';
import type { TeamChange } from '../../../shared/ports/access-keeper.ts';
import {
  accessLines,
  accessRows,
  parseSet,
  parseTeam,
  parseWho,
  rightsArgument,
  teamLines,
  WHO_HELP,
  whoText,
} from '../access-text.ts';
import { flag, SERVER_PREFIX, type Cli } from '../cli.ts';
import { printable } from '../printable.ts';
import { onServer, serverData, serverLeaf, type ServerFlags } from '../server-flags.ts';

interface ChangeFlags extends ServerFlags {
  readonly deny?: boolean;
  readonly yes?: boolean;
}

const administration = () => import('../../../server/maintenance/administration.ts');

/** Builds `godwit server access` with its subcommands `ls`, `give` and `take`. */
export function serverAccessCommand(cli: Cli): Command {
  const command = cli.holds(serverLeaf(cli, 'access', 'who may do what in a volume'));
  command.enablePositionalOptions();
  command.addCommand(lsCommand(cli));
  command.addCommand(giveCommand(cli));
  command.addCommand(takeCommand(cli));
  return command;
}

function lsCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'ls', 'list who may do what in a volume');
  command.argument('<volume>', 'one of those of `godwit server volume ls`');
  return cli.does<ServerFlags>(command, async (context, options, [volume = '']) => {
    const { listAccess } = await administration();
    const entries = await onServer(listAccess(serverData(options), volume));
    context.result({ volume, entries: accessRows(entries) }, accessLines(entries));
  });
}

function giveCommand(cli: Cli): Command {
  const command = serverLeaf(
    cli,
    'give',
    'say what somebody may do in a volume: that, and no more',
  );
  command.argument('<volume>', 'where').argument('<who>', WHO_HELP);
  rightsArgument(command);
  flag(command, '--deny', 'they may not do that, whatever teams they are in', SERVER_PREFIX);
  yesFlag(command);
  return cli.does<ChangeFlags>(command, async (context, options, args) => {
    const [volume = '', name = '', text = ''] = args;
    const { deny = false, yes = false } = options;
    const [who, rights] = [parseWho(name), parseSet(text)];
    const row = { ...who, negative: deny, rights };
    const { setAccess } = await administration();
    await onServer(setAccess(serverData(options), volume, row, yes));
    const may = `${deny ? 'may not' : 'may'} ${rightsText(rights)} in ${printable(volume)} now`;
    const result = { volume, ...who, negative: deny, rights: rightsText(rights) };
    context.result(result, [`${whoText(who)} ${may}`]);
  });
}

function takeCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'take', 'take somebody off the list of a volume');
  command.argument('<volume>', 'where').argument('<who>', WHO_HELP);
  flag(command, '--deny', 'take back what `give --deny` said', SERVER_PREFIX);
  yesFlag(command);
  return cli.does<ChangeFlags>(command, async (context, options, [volume = '', name = '']) => {
    const { deny = false, yes = false } = options;
    const who = parseWho(name);
    const { setAccess } = await administration();
    const row = { ...who, negative: deny, rights: 0 };
    await onServer(setAccess(serverData(options), volume, row, yes));
    const what = deny ? 'is denied' : 'is given';
    context.result({ volume, ...who, negative: deny, rights: '' }, [
      `nothing ${what} to ${whoText(who)} in ${printable(volume)} any more`,
    ]);
  });
}

const yesFlag = (command: Command): Command =>
  flag(command, '-y, --yes', 'also if nobody is left who may change the list', SERVER_PREFIX);

/** Builds `godwit server team` with its subcommands. */
export function serverTeamCommand(cli: Cli): Command {
  const command = cli.holds(serverLeaf(cli, 'team', 'teams: people who get access together'));
  command.enablePositionalOptions();
  command.addCommand(listCommand(cli));
  const ofTeam = (name: string, says: string, change: (team: string) => TeamChange, done: string) =>
    command.addCommand(changeCommand(cli, [name, says], change, done));
  command.addCommand(makeCommand(cli));
  ofTeam('remove', 'end a team', (team) => ({ ask: 'end-team', team }), 'was removed');
  const turn = (isOff: boolean) => (team: string) => ({ ask: 'switch-team', team, isOff }) as const;
  ofTeam('off', 'let nobody in by a team for a while', turn(true), 'is switched off');
  ofTeam('on', 'let people in by it again', turn(false), 'is switched on');
  command.addCommand(memberCommand(cli, true));
  command.addCommand(memberCommand(cli, false));
  return command;
}

function listCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'ls', 'list teams; or one, and who is in it');
  command.argument('[team]', 'its name');
  return cli.does<ServerFlags>(command, async (context, options, [name]) => {
    const team = name === undefined ? null : parseTeam(name);
    const teams = await (await administration()).listTeams(serverData(options), team);
    context.result({ teams }, teamLines(teams));
  });
}

function makeCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'create', 'make a team that nobody is in');
  command.argument('<team>', 'letters, digits, dots, dashes and underscores');
  const owner = 'who may change it (default: only who runs the server)';
  flag(command, '--owner <user>', owner, SERVER_PREFIX);
  type Options = ServerFlags & { owner?: string };
  return cli.does<Options>(command, async (context, options, [name = '']) => {
    const team = parseTeam(name);
    const { owner: whose } = options;
    const change = { ask: 'make-team', team, ...(whose === undefined ? {} : { owner: whose }) };
    await (await administration()).changeTeam(serverData(options), change as TeamChange, false);
    context.result({ created: team }, [`the team @${printable(team)} was made`]);
  });
}

function changeCommand(
  cli: Cli,
  [name, says]: readonly [string, string],
  change: (team: string) => TeamChange,
  done: string,
): Command {
  const command = serverLeaf(cli, name, says);
  command.argument('<team>', 'its name');
  yesFlag(command);
  return cli.does<ChangeFlags>(command, async (context, options, [text = '']) => {
    const team = parseTeam(text);
    const { yes = false } = options;
    await (await administration()).changeTeam(serverData(options), change(team), yes);
    context.result({ team, done: name }, [`the team @${printable(team)} ${done}`]);
  });
}

function memberCommand(cli: Cli, isIn: boolean): Command {
  const [name, says] = isIn ? ['add', 'put somebody into a team'] : ['drop', 'take them out of it'];
  const command = serverLeaf(cli, name, says);
  command.argument('<team>', 'its name').argument('<who>', WHO_HELP);
  yesFlag(command);
  return cli.does<ChangeFlags>(command, async (context, options, [text = '', who = '']) => {
    const [team, member] = [parseTeam(text), parseWho(who)];
    const { yes = false } = options;
    const change = { ask: 'member', team, ...member, isIn } as const;
    await (await administration()).changeTeam(serverData(options), change, yes);
    const line = `${whoText(member)} is ${isIn ? 'in' : 'not in'} the team @${printable(team)} now`;
    context.result({ team, ...member, isIn }, [line]);
  });
}
