/** `godwit group`: files that are worth having together. When one is opened the others are fetched, as far as the line has room. */
import type { Command } from 'commander';
import type { SuggestedGroup } from '../../../shared/control/groups.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatCount, formatTable } from '../format.ts';
import { GroupFiles, type NamedGroup } from '../group/group-files.ts';
import { filesBelow } from '../group/files-below.ts';
import { printable } from '../printable.ts';
import { parseVolumePath } from '../volume-path.ts';
import { DEFAULT_VOLUME, findPath, findVolume } from '../volume-tree.ts';

interface Options {
  readonly volume?: string;
}

export function groupCommand(cli: Cli): Command {
  const command = cli
    .plain('group', 'files that are worth having together')
    .enablePositionalOptions();
  command.addCommand(createCommand(cli));
  command.addCommand(addCommand(cli));
  command.addCommand(removeCommand(cli));
  command.addCommand(lsCommand(cli));
  command.addCommand(suggestCommand(cli));
  return command;
}

function ofVolume(cli: Cli, name: string, says: string): Command {
  const command = cli.withData(name, says);
  return flag(command, '--volume <name>', `volume of the files (default: ${DEFAULT_VOLUME})`);
}

function createCommand(cli: Cli): Command {
  const command = ofVolume(cli, 'create', 'make a group of files, and of what is in folders');
  command.argument('<name>').argument('<paths...>', 'in the order in which they are wanted');
  return cli.does<Options>(command, async (context, options, [name = '', ...paths]) => {
    const { groups, files } = await selected(context, options, paths);
    const group = await groups.create(name, { kind: 'chosen', files });
    tell(context, group, 'made');
  });
}

function addCommand(cli: Cli): Command {
  const command = ofVolume(cli, 'add', 'add files to the end of a group');
  command.argument('<name>').argument('<paths...>');
  return cli.does<Options>(command, async (context, options, [name = '', ...paths]) => {
    const { groups, files } = await selected(context, options, paths);
    tell(context, await groups.add(await groups.get(name), files), 'changed');
  });
}

function removeCommand(cli: Cli): Command {
  const says = 'take files out of a group; without files: end the group, and keep its files';
  const command = ofVolume(cli, 'remove', says);
  command.argument('<name>').argument('[paths...]');
  return cli.does<Options>(command, async (context, options, [name = '', ...paths]) => {
    const { groups, files } = await selected(context, options, paths);
    const group = await groups.get(name);
    if (paths.length > 0) return tell(context, await groups.remove(group, files), 'changed');
    await groups.end(group);
    tell(context, group, 'ended');
  });
}

function lsCommand(cli: Cli): Command {
  const command = ofVolume(cli, 'ls', 'list the groups, or the files of one').argument('[name]');
  return cli.does<Options>(command, async (context, options, [name]) => {
    const { groups, root } = await inVolume(context, options);
    if (name !== undefined) return listFiles(context, root, await groups.get(name));
    const all = await groups.all();
    context.result(
      { groups: all },
      formatTable(
        all.map(({ name: each, kind, files }) => [
          printable(each),
          formatCount(files.length, 'file'),
          kind === 'inferred' ? 'inferred' : '',
        ]),
      ),
    );
  });
}

async function listFiles(context: Context, root: Fid, group: NamedGroup): Promise<void> {
  const wanted = new Set(group.files);
  const paths = new Map<Fid, string>();
  for await (const { path, attributes } of filesBelow(context.daemon.fileSystem, root, [])) {
    if (wanted.has(attributes.fid) && !paths.has(attributes.fid)) {
      paths.set(attributes.fid, `/${path.join('/')}`);
    }
  }
  const files = group.files.map((fid) => ({ fid, path: paths.get(fid) ?? null }));
  context.result(
    { name: group.name, kind: group.kind, files },
    files.map(({ fid, path }) => (path === null ? `${fid} (gone)` : printable(path))),
  );
}

function suggestCommand(cli: Cli): Command {
  const command = ofVolume(cli, 'suggest', 'list files that were opened together more than once');
  flag(command, '--keep', 'make groups of them, marked as inferred');
  return cli.does<Options & { keep?: boolean }>(command, async (context, options) => {
    const { groups, volume } = await inVolume(context, options);
    const told = (await context.daemon.command('group-suggestions', {})) as SuggestedGroup[];
    const found = told.filter((each) => each.volume === volume);
    const names: string[] = [];
    if (options.keep === true) {
      const taken = new Set((await groups.all()).map(({ name }) => name));
      for (const { files } of found) {
        const name = freeName(taken);
        taken.add(name);
        names.push(name);
        await groups.create(name, { kind: 'inferred', files: files.map(({ fid }) => fid as Fid) });
      }
    }
    const lines = found.flatMap(({ files, times }, index) => [
      `${names[index] ?? 'together'} ${formatCount(times, 'time')}:`,
      ...files.map(({ path, fid }) => `  ${printable(path ?? fid)}`),
    ]);
    const groupsTold = found.map((each, index) => ({ ...each, name: names[index] ?? null }));
    context.result({ suggestions: groupsTold }, lines.length === 0 ? ['nothing yet'] : lines);
  });
}

function freeName(taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    if (!taken.has(`inferred-${number}`)) return `inferred-${number}`;
  }
}

function tell(context: Context, { name, kind, files }: NamedGroup, done: string): void {
  const words = `${printable(name)}: ${done}, ${formatCount(files.length, 'file')}`;
  context.result({ name, kind, files }, [words]);
}

async function inVolume(context: Context, { volume = DEFAULT_VOLUME }: Options) {
  const { fileSystem } = context.daemon;
  const { root } = await findVolume(fileSystem, volume);
  return { groups: new GroupFiles(fileSystem, root), root, volume };
}

/** Files in the order of the paths, those in folders by name. Throws `not-found`, or `usage` where there is none. */
async function selected(context: Context, options: Options, paths: readonly string[]) {
  const asked = paths.map(parseVolumePath);
  const { groups, root } = await inVolume(context, options);
  const { fileSystem } = context.daemon;
  const files: Fid[] = [];
  for (const names of asked) {
    const found = await findPath(fileSystem, root, names, true);
    if (found.kind === 'file') files.push(found.fid);
    if (found.kind !== 'directory') continue;
    for await (const { attributes } of filesBelow(fileSystem, found.fid, names)) {
      files.push(attributes.fid);
    }
  }
  const each = [...new Set(files)];
  if (each.length === 0 && paths.length > 0) {
    throw new GodwitError('usage', `${paths.join(', ')}: there is no file to put in a group`);
  }
  return { groups, files: each };
}
