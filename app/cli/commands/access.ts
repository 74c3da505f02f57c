/** `godwit access` and `godwit team`: who may do what in a volume, for those who may say so, at their laptops. */
import type { Command } from 'commander';
import { rightsText } from '../../../shared/model/access-list.ts';
import { volumeOf } from '../../../shared/model/fid.ts';
import type { TeamChange } from '../../../shared/ports/access-keeper.ts';
import { shellWord } from '../../../shared/util/shell-word.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
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
  type Named,
} from '../access-text.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { pathArgument } from '../paths/path-arguments.ts';
import { printable } from '../printable.ts';
import { volumeFlag } from '../volume-flag.ts';
import { formatVolumePath } from '../volume-path.ts';
import { findPath, findVolume } from '../volume-tree.ts';

interface Options {
  readonly volume?: string;
  readonly deny?: boolean;
}

/** Builds `godwit access`, which lists who may do what in a volume, with its subcommands `ls`, `give` and `take`. */
export function accessCommand(cli: Cli): Command {
  const command = ofVolume(cli, 'access', 'say who may do what in a volume, or change that');
  command.enablePositionalOptions();
  pathArgument(command, '[path]', 'of the volume that this folder shows');
  cli.does<Options>(command, (context, options, _args, [path]) =>
    path === undefined ? list(context, options) : listAt(context, options, path.names),
  );
  const ls = ofVolume(cli, 'ls', 'list who may do what in a volume');
  command.addCommand(cli.does<Options>(ls, list));
  command.addCommand(giveCommand(cli));
  command.addCommand(takeCommand(cli));
  return command;
}

const ofVolume = (cli: Cli, name: string, says: string): Command =>
  volumeFlag(cli.withData(name, says), 'which volume');

async function list(context: Context, options: Options): Promise<void> {
  const volume = options.volume ?? context.usualVolume;
  const { own, entries } = await context.daemon.command('access', { volume });
  const result = { volume, own: rightsText(own), entries: accessRows(entries) };
  context.result(result, [...accessLines(entries), `you may ${rightsText(own)}`]);
}

/** The list of the volume that is shown at a path. */
async function listAt(
  context: Context,
  { volume = context.usualVolume }: Options,
  names: readonly string[],
): Promise<void> {
  const { fileSystem } = context.daemon;
  const { root } = await findVolume(fileSystem, volume);
  const { fid, mounted } = await findPath(fileSystem, root, names, true);
  if (mounted !== undefined && mounted.volume === null) {
    const why = `${formatVolumePath(names)} shows no volume: ${mounted.why ?? 'you may not see it'}`;
    throw new GodwitError('no-right', why, '`godwit shares` lists what you may see');
  }
  const shown = (await fileSystem.volumes()).find(({ id }) => id === volumeOf(fid));
  await list(context, { volume: shown?.name ?? volume });
}

function giveCommand(cli: Cli): Command {
  const command = ofVolume(cli, 'give', 'say what somebody may do: that, and no more');
  rightsArgument(command.argument('<who>', WHO_HELP));
  flag(command, '--deny', 'they may not do that, whatever teams they are in');
  return cli.does<Options>(command, async (context, options, [name = '', text = '']) => {
    const { volume = context.usualVolume, deny = false } = options;
    const [who, rights] = [parseWho(name), parseSet(text)];
    await context.daemon.command('set-access', { volume, ...who, negative: deny, rights });
    const result = { volume, ...who, negative: deny, rights: rightsText(rights) };
    const may = `${deny ? 'may not' : 'may'} ${rightsText(rights)} in ${printable(volume)} now`;
    context.result(result, [`${whoText(who)} ${may}`]);
  });
}

function takeCommand(cli: Cli): Command {
  const command = ofVolume(cli, 'take', 'take somebody off the list of a volume');
  command.argument('<who>', WHO_HELP);
  flag(command, '--deny', 'take back what `give --deny` said');
  return cli.does<Options>(command, async (context, options, [name = '']) => {
    const { volume = context.usualVolume, deny = false } = options;
    const who = parseWho(name);
    await mustBeListed(context, volume, who, deny);
    await context.daemon.command('set-access', { volume, ...who, negative: deny, rights: 0 });
    const what = deny ? 'is denied' : 'is given';
    context.result({ volume, ...who, negative: deny, rights: '' }, [
      `nothing ${what} to ${whoText(who)} in ${printable(volume)} any more`,
    ]);
  });
}

/** Throws GodwitError `not-found`: to a server it is no mistake to take what is gone. */
async function mustBeListed(
  { daemon }: Context,
  volume: string,
  { kind, name }: Named,
  deny: boolean,
): Promise<void> {
  const { entries } = await daemon.command('access', { volume });
  const rows = entries.filter((row) => row.kind === kind && row.name === name);
  if (rows.some(({ negative }) => negative === deny)) return;
  const [who, which] = [whoText({ kind, name }), printable(volume)];
  if (rows.length === 0) {
    const see = `see \`godwit access --volume ${shellWord(volume)}\``;
    throw new GodwitError('not-found', `${who} is not on the list of ${which}`, see);
  }
  const [what, remedy] = deny
    ? ['denied', 'leave --deny out to take what is given']
    : ['given', 'take what is denied with --deny'];
  throw new GodwitError('not-found', `nothing is ${what} to ${who} in ${which}`, remedy);
}

/** Builds `godwit team` with its subcommands. */
export function teamCommand(cli: Cli): Command {
  const command = cli.withData('team', 'teams: people who get access to volumes together');
  command.enablePositionalOptions();
  cli.does(command, (context) => listTeams(context, null));
  const ls = cli.withData('ls', 'list your teams; or one, and who is in it');
  ls.argument('[team]', 'its name');
  cli.does(ls, (context, _options, [name]) =>
    listTeams(context, name === undefined ? null : parseTeam(name)),
  );
  command.addCommand(ls);
  const ofTeam = (name: string, says: string, change: (team: string) => TeamChange, done: string) =>
    command.addCommand(changeCommand(cli, [name, says], change, done));
  ofTeam(
    'create',
    'make a team that nobody is in, and that you may change',
    (team) => ({ ask: 'make-team', team }),
    'was made',
  );
  ofTeam('remove', 'end a team of yours', (team) => ({ ask: 'end-team', team }), 'was removed');
  const turn = (isOff: boolean) => (team: string) => ({ ask: 'switch-team', team, isOff }) as const;
  ofTeam('off', 'let nobody in by a team for a while', turn(true), 'is switched off');
  ofTeam('on', 'let people in by it again', turn(false), 'is switched on');
  command.addCommand(memberCommand(cli, true));
  command.addCommand(memberCommand(cli, false));
  return command;
}

async function listTeams(context: Context, team: string | null): Promise<void> {
  const { teams } = await context.daemon.command('teams', { team });
  context.result({ teams }, teamLines(teams));
}

function changeCommand(
  cli: Cli,
  [name, says]: readonly [string, string],
  change: (team: string) => TeamChange,
  done: string,
): Command {
  const command = cli.withData(name, says);
  command.argument('<team>', 'its name');
  return cli.does(command, async (context, _options, [text = '']) => {
    const team = parseTeam(text);
    await context.daemon.command('change-team', change(team));
    context.result({ team, done: name }, [`the team @${printable(team)} ${done}`]);
  });
}

function memberCommand(cli: Cli, isIn: boolean): Command {
  const [name, says] = isIn ? ['add', 'put somebody into a team'] : ['drop', 'take them out of it'];
  const command = cli.withData(name, says);
  command.argument('<team>', 'its name').argument('<who>', WHO_HELP);
  return cli.does(command, async (context, _options, [text = '', who = '']) => {
    const [team, member] = [parseTeam(text), parseWho(who)];
    await context.daemon.command('change-team', { ask: 'member', team, ...member, isIn });
    const line = `${whoText(member)} is ${isIn ? 'in' : 'not in'} the team @${printable(team)} now`;
    context.result({ team, ...member, isIn }, [line]);
  });
}
