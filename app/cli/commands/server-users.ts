/** `godwit server user`: the people of a server, beside one that runs or without one. */
import type { Command } from 'commander';
import type { VolumeInTheWay } from '../../../server/maintenance/accounts/people.ts';
import { shellWord } from '../../../shared/util/shell-word.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { agrees, canAsk } from '../ask.ts';
import { flag, SERVER_PREFIX, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { formatCount, formatTable } from '../format.ts';
import { printable } from '../printable.ts';
import { serverData, serverLeaf, type ServerFlags } from '../server-flags.ts';

interface RemoveFlags extends ServerFlags {
  readonly yes?: boolean;
}

/** Builds `godwit server user` with its subcommands `add`, `rename`, `remove` and `ls`. */
export function userCommand(cli: Cli): Command {
  const command = cli.holds(serverLeaf(cli, 'user', 'the people of this server'));
  command.enablePositionalOptions();
  command.addCommand(addCommand(cli));
  command.addCommand(renameCommand(cli));
  command.addCommand(removeCommand(cli));
  command.addCommand(lsCommand(cli));
  return command;
}

const administration = () => import('../../../server/maintenance/administration.ts');

function addCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'add', 'add somebody, who may see nothing yet');
  command.argument('<name>', 'as others shall see it');
  return cli.does<ServerFlags>(command, async (context, options, [name = '']) => {
    const inTheWay = await (await administration()).addPerson(serverData(options), name);
    const next = `\`godwit server invite ${shellWord(name)}\` invites a device of theirs`;
    const added = `${printable(name)} was added`;
    const lines = inTheWay === null ? [`${added}; ${next}`] : [added, ...pastLines(name, inTheWay)];
    context.result({ added: name, inTheWay }, lines);
  });
}

/** A volume of somebody of that name who was removed is given to nobody unasked: it may have been another person. */
function pastLines(name: string, { owner, isRemoved }: VolumeInTheWay): string[] {
  const [shown, word] = [printable(name), shellWord(name)];
  const whose = owner === null ? 'nobody’s' : `of ${printable(owner)}`;
  const is = isRemoved ? 'was removed, and can be restored' : `is ${whose}`;
  const back = isRemoved ? `\`godwit server volume restore ${word}\`, then ` : '';
  return [
    `there is a volume ${shown} already, which ${is}; to let them into it: ${back}\`godwit server invite ${word} --volume ${word}\``,
    `for a new volume of their own: \`godwit server volume rename ${word} OTHER\`, then \`godwit server invite ${word}\``,
  ];
}

function renameCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'rename', 'give somebody another name');
  command.argument('<old>', 'the name they have').argument('<new>', 'the name they get');
  return cli.does<ServerFlags>(command, async (context, options, [name = '', to = '']) => {
    await (await administration()).renamePerson(serverData(options), name, to);
    const line = `${printable(name)} is called ${printable(to)} now; their volumes keep their names`;
    context.result({ renamed: name, to }, [line]);
  });
}

function removeCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'remove', 'admit nobody of that name; their volumes stay');
  command.argument('<name>', 'whose devices are revoked for good');
  flag(command, '-y, --yes', 'do not ask before the last one goes who may write', SERVER_PREFIX);
  return cli.does<RemoveFlags>(command, async (context, options, [name = '']) => {
    const left = await (await administration()).volumesLeftBy(serverData(options), name);
    if (options.yes !== true && left.length > 0 && !(await isAgreed(context, name, left))) {
      context.note('nobody was removed');
      return EXIT.failed;
    }
    return remove(context, options, name);
  });
}

/** Throws GodwitError `usage` if nobody is there who could be asked. */
function isAgreed(context: Context, name: string, left: readonly string[]): Promise<boolean> {
  const volumes = left.map((volume) => printable(volume)).join(', ');
  const what = `nobody else may write in ${volumes}`;
  if (canAsk(context))
    return agrees(context, `Nobody but ${printable(name)} may write in ${volumes}. Go on?`);
  throw new GodwitError(
    'usage',
    `${name}: ${what}; nobody was removed`,
    'give --yes if that is meant',
  );
}

async function remove(context: Context, options: ServerFlags, name: string): Promise<ExitCode> {
  const removed = await (await administration()).removePerson(serverData(options), name);
  const { devices, volumes } = removed;
  const left = volumes.map(
    (volume) =>
      `the volume ${printable(volume)} stays; if nobody needs it: godwit server volume remove ${shellWord(volume)}`,
  );
  const gone = `${printable(name)} was removed; ${formatCount(devices, 'device')} admitted no longer`;
  context.result({ removed: name, ...removed }, [gone, ...left]);
  return EXIT.fine;
}

function lsCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'ls', 'list people, and what they may see');
  return cli.does<ServerFlags>(command, async (context, options) => {
    const users = await (await administration()).listPeople(serverData(options));
    const rows = users.map(({ name, home, volumes, devices }) => [
      printable(name),
      home === null ? '-' : printable(home),
      String(devices),
      volumes.map(({ volume, rights }) => `${printable(volume)} (${rights})`).join(', '),
    ]);
    const head = ['name', 'home', 'devices', 'may see'];
    context.result({ users }, users.length === 0 ? ['no users'] : formatTable([head, ...rows]));
  });
}
