/** `godwit group`: files that are worth having together. When one is opened the others are fetched, as far as the line has room. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type {
  GroupAct,
  GroupList,
  NamedGroup,
  SuggestedGroup,
} from '../../../shared/control/groups.ts';
import type { GroupKind } from '../../../shared/model/file-group.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatCount, formatTable } from '../format.ts';
import { laboratory, notInstalled } from '../laboratory.ts';
import { printable } from '../printable.ts';
import { pathArgument } from '../paths/path-arguments.ts';
import type { GivenPath } from '../paths/resolve-path.ts';
import { findPath, findVolume } from '../volume-tree.ts';
import { volumeFlag } from '../volume-flag.ts';

interface Options {
  readonly volume?: string;
}

/** Builds `godwit group` with its subcommands `create`, `add`, `remove`, `ls` and `suggest`. */
export function groupCommand(cli: Cli): Command {
  const command = cli.holds(cli.withData('group', 'files that are worth having together'));
  command.enablePositionalOptions();
  command.addCommand(createCommand(cli));
  command.addCommand(addCommand(cli));
  command.addCommand(removeCommand(cli));
  command.addCommand(lsCommand(cli));
  command.addCommand(suggestCommand(cli));
  return command;
}

function ofVolume(cli: Cli, name: string, says: string): Command {
  const command = cli.withData(name, says);
  return volumeFlag(command, 'volume of the files');
}

function createCommand(cli: Cli): Command {
  const command = ofVolume(cli, 'create', 'make a group of files, and of what is in folders');
  pathArgument(command.argument('<name>'), '<paths...>', 'in the order in which they are wanted');
  return cli.does<Options>(command, async (context, options, [name = ''], paths) => {
    tell(context, await order(context, options, 'create', name, paths), 'made');
  });
}

function addCommand(cli: Cli): Command {
  const command = ofVolume(cli, 'add', 'add files to the end of a group');
  pathArgument(command.argument('<name>'), '<paths...>', '');
  return cli.does<Options>(command, async (context, options, [name = ''], paths) => {
    tell(context, await order(context, options, 'add', name, paths), 'changed');
  });
}

function removeCommand(cli: Cli): Command {
  const says = 'take files out of a group; without files: end the group, and keep its files';
  const command = ofVolume(cli, 'remove', says);
  pathArgument(command.argument('<name>'), '[paths...]', '');
  return cli.does<Options>(command, async (context, options, [name = ''], paths) => {
    const ends = paths.length === 0;
    const group = await order(context, options, ends ? 'end' : 'remove', name, paths);
    tell(context, group, ends ? 'ended' : 'changed');
  });
}

function lsCommand(cli: Cli): Command {
  const command = ofVolume(cli, 'ls', 'list the groups, or the files of one').argument('[name]');
  return cli.does<Options>(command, async (context, options, [name]) => {
    const { volume = context.usualVolume } = options;
    if (name !== undefined) {
      const group = await context.daemon.command('group', { volume, name });
      const lines = group.files.map(({ fid, path }) =>
        path === null ? `${fid} (gone)` : context.shown(path, volume),
      );
      return context.result(group, lines);
    }
    const list = await groupsOf(context, volume);
    context.result(
      list,
      formatTable(
        list.groups.map(({ name: each, kind, files }) => [
          printable(each),
          formatCount(files.length, 'file'),
          kind === 'inferred' ? 'inferred' : '',
        ]),
      ),
    );
  });
}

function suggestCommand(cli: Cli): Command {
  const command = ofVolume(cli, 'suggest', 'list files that were opened together more than once');
  flag(command, '--keep', 'make groups of them, marked as inferred');
  flag(command, '--trace <file>', 'by what each process of this trace opened, instead');
  flag(command, '--root <dir>', 'where the volume is in the trace (default: its root)');
  return cli.does<SuggestOptions>(command, async (context, options) => {
    const { volume = context.usualVolume } = options;
    const found = await suggestions(context, options);
    const names: string[] = [];
    if (options.keep === true) {
      const taken = new Set((await groupsOf(context, volume)).groups.map(({ name }) => name));
      for (const { files } of found) {
        const name = freeName(taken);
        taken.add(name);
        names.push(name);
        const fids = files.map(({ fid }) => fid);
        await orderFiles(context, volume, 'create', name, fids, 'inferred');
      }
    }
    const lines = found.flatMap(({ files, times }, index) => [
      `${names[index] ?? 'together'} ${formatCount(times, 'time')}:`,
      ...files.map(({ path, fid }) => `  ${path === null ? fid : context.shown(path, volume)}`),
    ]);
    const groupsTold = found.map((each, index) => ({ ...each, name: names[index] ?? null }));
    context.result({ suggestions: groupsTold }, lines.length === 0 ? ['nothing yet'] : lines);
  });
}

interface SuggestOptions extends Options {
  readonly keep?: boolean;
  readonly trace?: string;
  readonly root?: string;
}

/** The daemon knows when files were opened, and not by whom; a trace knows both. */
async function suggestions(context: Context, options: SuggestOptions): Promise<SuggestedGroup[]> {
  const { volume = context.usualVolume } = options;
  const { fileSystem } = context.daemon;
  const { root } = await findVolume(fileSystem, volume);
  if (options.trace === undefined) {
    if (options.root !== undefined) {
      throw new GodwitError('usage', '--root: it goes with --trace');
    }
    const told = await context.daemon.command('group-suggestions', {});
    return told.filter((each) => each.volume === volume);
  }
  const below = resolve('/', options.root ?? '/').replace(/\/$/, '');
  const lab = await laboratory();
  if (lab === null) throw notInstalled('--trace');
  return lab.suggestFrom(options.trace, { fileSystem, root, volume, below });
}

function freeName(taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    if (!taken.has(`inferred-${number}`)) return `inferred-${number}`;
  }
}

function tell(context: Context, group: NamedGroup, done: string): void {
  const { name, kind, files, movedFrom } = group;
  const words = `${printable(name)}: ${done}, ${formatCount(files.length, 'file')}`;
  const told = { name, kind, files };
  if (movedFrom === undefined) return context.result(told, [words]);
  const from = movedFrom.map(printable).join(', ');
  const moved = `a file is in one group: what was in ${from} has left it`;
  context.result({ ...told, movedFrom }, [words, moved]);
}

async function groupsOf({ daemon }: Context, volume: string): Promise<GroupList> {
  return await daemon.command('groups', { volume });
}

/** Looks up all paths first, so that one that does not exist is refused before anything is done. */
async function order(
  context: Context,
  { volume = context.usualVolume }: Options,
  act: GroupAct,
  name: string,
  paths: readonly GivenPath[],
): Promise<NamedGroup> {
  const { fileSystem } = context.daemon;
  const { root } = await findVolume(fileSystem, volume);
  const files: Fid[] = [];
  for (const { names } of paths) {
    files.push((await findPath(fileSystem, root, names, true)).fid);
  }
  return orderFiles(context, volume, act, name, files, 'chosen');
}

async function orderFiles(
  { daemon }: Context,
  volume: string,
  act: GroupAct,
  name: string,
  files: Fid[],
  kind: GroupKind,
): Promise<NamedGroup> {
  const args = { act, volume, name, files, kind };
  return await daemon.command('group-order', args);
}
