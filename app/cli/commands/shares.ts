/** `godwit share`, `shares`, `accept`, `leave` and `unshare`: folders that people share with one another, each a volume of its own. */
import { Option, type Command } from 'commander';
import { has, USUAL_SETS } from '../../../shared/model/access-list.ts';
import type { Share, ShareLook } from '../../../shared/control/access.ts';
import { labelOf } from '../../../shared/model/shared-name.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { agrees, canAsk } from '../ask.ts';
import { accessRows, parseWho, whoText } from '../access-text.ts';
import { DAEMON_PREFIX, flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { flushAndShow } from '../flush-and-show.ts';
import { formatCount } from '../format.ts';
import { pathArgument } from '../paths/path-arguments.ts';
import { printable } from '../printable.ts';
import { parseGrant, shareLines, WITH_HELP, type Grant } from '../share-text.ts';
import { stillAtIt } from '../still-at-it.ts';
import { volumeFlag } from '../volume-flag.ts';
import { formatVolumePath } from '../volume-path.ts';
import { findPath, findVolume } from '../volume-tree.ts';

interface ShareOptions {
  readonly volume?: string;
  readonly with?: readonly string[];
  readonly yes?: boolean;
}

/** Builds `godwit share`. */
export function shareCommand(cli: Cli): Command {
  const command = cli.withData('share', 'share a folder with other people');
  pathArgument(command, '<path>', 'a folder, a new one, or one that is shared already', {
    kind: 'new',
  });
  withFlag(command, WITH_HELP);
  flag(command, '-y, --yes', 'do not ask before a folder with files is shared');
  volumeFlag(command, 'volume of the path');
  return cli.does<ShareOptions>(command, async (context, options, _args, [path]) => {
    const grants = (options.with ?? []).map(parseGrant);
    const { volume = context.usualVolume } = options;
    const names = path?.names ?? [];
    if (grants.length === 0) {
      await lookAt(context, volume, names);
      throw new GodwitError('usage', 'share: name somebody', 'for example `--with ann:write`');
    }
    const place = { volume, path: [...names] };
    const look = context.daemon.command('share-look', place);
    const found = await stillAtIt(context, 'looking at the files', look);
    if (!(await isMeant(context, place, found, options.yes === true))) {
      return context.result({ shared: false }, ['nothing is shared']);
    }
    const guests = grants.map(({ kind, name, rights }) => ({ kind, name, rights }));
    const sharing = context.daemon.command('share-folder', { ...place, guests, makes: true });
    const { volume: shared } = await stillAtIt(context, 'sharing the folder', sharing);
    const lines = grants.map((grant) => `${whoText(grant)} may ${grant.said} there now`);
    context.result(
      { volume: shared, path: formatVolumePath(names), with: accessRows(grants.map(asRow)) },
      [`${context.shown(names, volume)} is the volume ${printable(shared)}`, ...lines],
    );
  });
}

const GOES_ON =
  'from now on Ctrl-C ends this command alone: the daemon goes on, and `godwit shares` lists the folder';

const asRow = ({ kind, name, rights }: Grant) => ({ kind, name, negative: false, rights });

/** With files in the folder a person is asked; and what is saved, and what others have saved, is sent while it is shown how far that is. */
async function isMeant(
  context: Context,
  { volume, path }: { readonly volume: string; readonly path: readonly string[] },
  { files, bytes, isBegun, volume: shows }: ShareLook,
  yes: boolean,
): Promise<boolean> {
  if (shows !== null || (files === 0 && !isBegun)) return true;
  if (!isBegun) {
    const count = `${formatCount(files, 'file')} (${sizeText(bytes)})`;
    const shown = context.shown(path, volume);
    context.note(`${shown} has ${count}, which stay where they are on this laptop`);
    context.note('earlier versions of them stay with the volume around it');
    if (!yes && canAsk(context) && !(await agrees(context, 'Share them?'))) return false;
  }
  await flushAndShow(context, null, false);
  context.note(GOES_ON);
  return true;
}

function withFlag(command: Command, says: string): Command {
  const option = new Option('--with <who>', says);
  option.env(`${DAEMON_PREFIX}WITH`);
  option.argParser((text: string, before: readonly string[] = []) => [...before, text]);
  return command.addOption(option);
}

/** What is there; null: nothing. Throws GodwitError `usage` for the root. */
async function lookAt({ daemon }: Context, volume: string, names: readonly string[]) {
  const [last, shown] = [names.at(-1), formatVolumePath(names)];
  if (last === undefined) {
    const remedy = 'for the volume as a whole, see `godwit access give`';
    throw new GodwitError('usage', `${shown}: a folder below the root is meant`, remedy);
  }
  const { fileSystem } = daemon;
  const { root } = await findVolume(fileSystem, volume);
  const { fid: dir } = await findPath(fileSystem, root, names.slice(0, -1), true);
  const found = await fileSystem.lookup(dir, last).catch(noneIfNotFound);
  return { dir, last, shown, found };
}

function noneIfNotFound(error: unknown): null {
  if (error instanceof GodwitError && error.code === 'not-found') return null;
  throw error;
}

/** Builds `godwit shares`. */
export function sharesCommand(cli: Cli): Command {
  const command = cli.withData('shares', 'list what is shared with you, and what you share');
  return cli.does(command, async (context) => {
    const { person, shares } = await context.daemon.command('shares', {});
    const listed = await Promise.all(
      shares
        .filter(({ isFolder }) => !isFolder)
        .map(async (share) => {
          const { entries } = await context.daemon.command('access', { volume: share.volume });
          const others = entries.filter(({ kind, name }) => kind === 'team' || name !== person);
          return { ...share, members: others };
        }),
    );
    const rows = listed.map(({ members, own, ...share }) => {
      const may = own === USUAL_SETS.admin ? 'admin' : has(own, 'write') ? 'write' : 'read';
      return { ...share, may, members: accessRows(members) };
    });
    context.result(
      { person, shares: rows },
      shareLines(listed, (path) => context.shown(path)),
    );
  });
}

/** Builds `godwit accept`. */
export function acceptCommand(cli: Cli): Command {
  const command = cli.withData('accept', 'show what somebody shares with you in your folder');
  command.argument('<name>', NAME_HELP);
  pathArgument(command, '[path]', 'a new folder for it (default: its name, at the top)', {
    kind: 'new',
  });
  volumeFlag(command, 'volume of the path');
  return cli.does<ShareOptions>(command, async (context, options, [name = ''], [path]) => {
    const { volume = context.usualVolume } = options;
    // A path that is not in the folder is named before all else.
    if (path !== undefined) await lookAt(context, volume, path.names);
    const share = await findShare(context, name);
    const names = path?.names ?? [labelOf(share.volume)];
    const shown = formatVolumePath(names);
    const asked = { share: share.volume, volume, path: [...names] };
    await context.daemon.command('accept-share', asked);
    context.result({ volume: share.volume, path: shown }, [
      `${context.shown(names, volume)} shows what is shared as ${printable(share.volume)}`,
    ]);
  });
}

/** Builds `godwit leave`. */
export function leaveCommand(cli: Cli): Command {
  const command = cli.withData('leave', 'give up what somebody shares with you');
  command.argument('<name>', NAME_HELP);
  return cli.does(command, async (context, _options, [name = '']) => {
    const share = await findShare(context, name);
    const { stays } = await context.daemon.command('leave-share', { share: share.volume });
    const lines = [`you have left ${printable(share.volume)}`];
    if (share.path !== null) lines.push(`${context.shown(share.path)} goes from your folder`);
    if (stays) lines.push('a team that you are in lets you see it still: `godwit team ls`');
    context.result({ left: share.volume, stays }, lines);
  });
}

/** Builds `godwit unshare`. */
export function unshareCommand(cli: Cli): Command {
  const command = cli.withData('unshare', 'end the sharing of a folder; its files stay yours');
  pathArgument(command, '<path>', 'a folder that is shared');
  withFlag(command, 'this person or @TEAM alone; may be given again (default: all others)');
  volumeFlag(command, 'volume of the path');
  return cli.does<ShareOptions>(command, async (context, options, _args, [path]) => {
    const { volume = context.usualVolume } = options;
    const names = path?.names ?? [];
    const { daemon } = context;
    const { shown, found } = await lookAt(context, volume, names);
    const shows = found?.mounted?.volume ?? null;
    if (shows === null) {
      throw new GodwitError('not-found', `${shown} is not shared`, 'see `godwit shares`');
    }
    const { person } = await daemon.command('shares', {});
    const { entries } = await daemon.command('access', { volume: shows });
    const given = entries.filter(({ negative }) => !negative);
    const asked = options.with?.map(parseWho);
    const isOwn = (row: { kind: string; name: string }): boolean =>
      row.kind === 'person' && row.name === person;
    const gone =
      asked === undefined
        ? given.filter((row) => !isOwn(row))
        : asked.map((who) => {
            const row = given.find(({ kind, name }) => kind === who.kind && name === who.name);
            if (row !== undefined) return row;
            const why = `${shown} is not shared with ${whoText(who)}`;
            throw new GodwitError('not-found', why, 'see `godwit shares`');
          });
    for (const { kind, name } of gone) {
      const row = { kind, name, negative: false, rights: 0 };
      await daemon.command('set-access', { volume: shows, ...row });
    }
    const lines = gone.map((row) => `${whoText(row)} may not see it any more`);
    context.result(
      { volume: shows, path: shown, without: gone.map(({ kind, name }) => ({ kind, name })) },
      [...(lines.length > 0 ? lines : [`${context.shown(names, volume)} is shared with nobody`])],
    );
  });
}

const NAME_HELP = 'its name, as `godwit shares` lists it; what is before the last dash may do';

/** By its whole name, or by what its maker called it, where that is one. Throws GodwitError `not-found`, `usage`. */
async function findShare({ daemon }: Context, name: string): Promise<Share> {
  const { shares } = await daemon.command('shares', {});
  const whole = shares.find(({ volume }) => volume === name);
  if (whole !== undefined) return whole;
  const [found, other] = shares.filter(({ volume }) => labelOf(volume) === name);
  if (found !== undefined && other === undefined) return found;
  if (found === undefined) {
    throw new GodwitError(
      'not-found',
      `nothing is shared with you as ${name}`,
      'see `godwit shares`',
    );
  }
  const which = shares.filter(({ volume }) => labelOf(volume) === name).map(({ volume }) => volume);
  throw new GodwitError('usage', `${name}: that may be ${which.join(' or ')}`, 'name one of them');
}
