/** `godwit share`, `shares`, `accept`, `leave` and `unshare`: folders that people share with one another, each a volume of its own. */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { has, USUAL_SETS } from '../../../shared/model/access-list.ts';
import type { Attributes } from '../../../shared/ports/file-system.ts';
import type { Share } from '../../../shared/control/access.ts';
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import { labelOf } from '../../../shared/model/shared-name.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { accessRows, parseWho, whoText } from '../access-text.ts';
import { DAEMON_PREFIX, flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { refuseLeftOut } from '../left-out.ts';
import { pathArgument } from '../paths/path-arguments.ts';
import { printable } from '../printable.ts';
import { begunBeside, shareFiles } from '../share-files.ts';
import { parseGrant, shareLines, WITH_HELP, type Grant } from '../share-text.ts';
import { volumeFlag } from '../volume-flag.ts';
import { formatVolumePath } from '../volume-path.ts';
import { findPath, findVolume } from '../volume-tree.ts';

const MODE = 0o755;
const NONCE_BYTES = 16;
/** How often it is looked whether the folder shows a volume, and how long between. */
const MOST_LOOKS = 100;
const LOOK_MS = 100;
/** A flush looks at the disk first. */
const SEEN_MS = 5000;

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
      await placeOf(context, volume, names);
      throw new GodwitError('usage', 'share: name somebody', 'for example `--with ann:write`');
    }
    const place = await currentPlace(context, volume, names);
    const about = { names, volume, yes: options.yes === true, grants };
    const shared = place.shows ?? (await makeShared(context, place, about));
    if (shared === null) return context.result({ shared: false }, ['nothing is shared']);
    for (const { kind, name, rights } of grants) {
      const row = { kind, name, negative: false, rights };
      await context.daemon.command('set-access', { volume: shared, ...row });
    }
    const lines = grants.map((grant) => `${whoText(grant)} may ${grant.said} there now`);
    context.result({ volume: shared, path: place.shown, with: accessRows(grants.map(asRow)) }, [
      `${context.shown(names, volume)} is the volume ${printable(shared)}`,
      ...lines,
    ]);
  });
}

const asRow = ({ kind, name, rights }: Grant) => ({ kind, name, negative: false, rights });

function withFlag(command: Command, says: string): Command {
  const option = new Option('--with <who>', says);
  option.env(`${DAEMON_PREFIX}WITH`);
  option.argParser((text: string, before: readonly string[] = []) => [...before, text]);
  return command.addOption(option);
}

interface Place {
  readonly dir: Fid;
  readonly last: string;
  readonly shown: string;
  /** The name of the volume that is shown there; null: none is. */
  readonly shows: string | null;
  /** A folder is there. */
  readonly isThere: boolean;
  /** With files in it; null: there is none, or it is empty. */
  readonly full: Attributes | null;
}

/** Where a folder is, or is to be. Throws GodwitError `usage` for the root, `not-a-directory`, `no-right`. */
async function placeOf(context: Context, volume: string, names: readonly string[]): Promise<Place> {
  const { fileSystem } = context.daemon;
  const { found, ...place } = await lookAt(context, volume, names);
  const { shown } = place;
  if (found === null) return { ...place, shows: null, isThere: false, full: null };
  if (found.mounted !== undefined) {
    const { volume: shows, why } = found.mounted;
    if (shows !== null) return { ...place, shows, isThere: false, full: null };
    throw new GodwitError('no-right', `${shown}: ${why ?? 'it shows a volume that is not yours'}`);
  }
  if (found.kind !== 'directory') {
    throw new GodwitError('not-a-directory', `${shown}: folders are shared, and this is none`);
  }
  const isFull = (await fileSystem.readdir(found.fid)).length > 0;
  return { ...place, shows: null, isThere: true, full: isFull ? found : null };
}

/** The same, after what a program has just put on the disk was seen: a folder that is new or empty may have files by now. */
async function currentPlace(
  context: Context,
  volume: string,
  names: readonly string[],
): Promise<Place> {
  const place = await placeOf(context, volume, names);
  if (place.shows !== null) return place;
  // Without the server it ends here, with that as the reason.
  await context.daemon.command('shares', {});
  // Whether all could be sent is no matter here: a folder with files waits for that later, and says what is in the way.
  await context.daemon.command('flush', { timeoutMs: SEEN_MS }).catch(() => undefined);
  await refuseLeftOut(context, { volume, path: names }, place.shown);
  return placeOf(context, volume, names);
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

interface ToShare {
  readonly names: readonly string[];
  readonly volume: string;
  readonly yes: boolean;
  readonly grants: readonly Grant[];
}

/** Rejects as the giving will, before anything is changed in the folder. A row that takes rights away offers nothing to anybody, and goes at once. */
async function mayBeGiven({ daemon }: Context, volume: string, grant: Grant): Promise<void> {
  const row = { ...asRow(grant), volume, negative: true };
  await daemon.command('set-access', row);
  await daemon.command('set-access', { ...row, rights: 0 });
}

/** Makes the volume, or takes the one of an order that was interrupted, and shows it at the place. Its name; null: that is not meant. */
async function makeShared(
  context: Context,
  place: Place,
  { grants, ...about }: ToShare,
): Promise<string | null> {
  const { dir, last, shown, isThere, full } = place;
  const { fileSystem } = context.daemon;
  const make = async (): Promise<string> => {
    const around = (await fileSystem.volumes()).find(({ id }) => id === volumeOf(dir));
    const made =
      (await unfinished(context, last)) ?? (await newVolume(context, around?.name, last));
    for (const grant of grants) await mayBeGiven(context, made, grant);
    return made;
  };
  const mount = async (made: string, name: string): Promise<void> => {
    const { id } = await findVolume(fileSystem, made);
    await fileSystem.mkdir(dir, name, { mode: full?.mode ?? MODE, mounts: id });
  };
  const kept = (made: string): Promise<void> => inFolder(context, made);
  const begun = await begunBeside(context, place);
  if (full !== null || begun !== null) {
    const folder = { ...about, dir, last, shown, found: full };
    return shareFiles(context, folder, begun, { make, mount, kept });
  }
  const made = await make();
  if (isThere) await fileSystem.rmdir({ dir, name: last });
  await mount(made, last);
  await kept(made);
  return made;
}

/** Resolves when the folder keeps the volume, so that what is put there next is of it; or when that takes long, or there is no folder. */
async function inFolder({ daemon }: Context, name: string): Promise<void> {
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const { shares } = await daemon.command('shares', {});
    const share = shares.find(({ volume }) => volume === name);
    if (!shares.some(({ isFolder }) => isFolder) || share === undefined || share.path !== null) {
      return;
    }
    await setTimeout(LOOK_MS);
  }
}

async function newVolume(context: Context, volume = '', label = ''): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES).toString('hex');
  return (await context.daemon.command('make-volume', { volume, label, nonce })).volume;
}

/** A volume of that name that nobody else may see, that is shown nowhere, and that is empty; null: there is none. */
async function unfinished({ daemon }: Context, label: string): Promise<string | null> {
  const { shares } = await daemon.command('shares', {});
  const own = shares.filter(
    (share) =>
      share.path === null &&
      !share.isFolder &&
      has(share.own, 'administer') &&
      share.volume !== label &&
      labelOf(share.volume) === label,
  );
  for (const { volume } of own) {
    const { entries } = await daemon.command('access', { volume });
    const { root } = await findVolume(daemon.fileSystem, volume);
    const isEmpty = (await daemon.fileSystem.readdir(root)).length === 0;
    if (entries.length === 1 && isEmpty) return volume;
  }
  return null;
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
    await refuseLeftOut(context, { volume, path: names }, shown);
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
