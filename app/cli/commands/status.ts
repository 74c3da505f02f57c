/**
 * `godwit status`: prints the state of the daemon. With `--watch --json`, one object a line for each revision.
 */
import type { Command } from 'commander';
import type { LockRow } from '../../../shared/control/locks.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { lacksContents } from '../../../shared/model/vnode.ts';
import { homeFolder } from '../../../shared/system/user-folders.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatCount } from '../format.ts';
import { NEWER_ELSEWHERE, pathState, stateText } from '../path-state.ts';
import { brief } from '../printable.ts';
import { lockedText } from './locks.ts';
import { sharingOf, sharingText } from './sharing.ts';
import { MOST_MOVING, statusBlock, type Moving } from '../status-block.ts';
import { statusLines } from '../status-lines.ts';
import { programVersion } from '../../../shared/system/program-version.ts';
import { olderDaemon, RESTART } from '../older-daemon.ts';
import { signed } from '../style.ts';
import { watchStatus } from '../status-watch.ts';
import { pathArgument } from '../paths/path-arguments.ts';
import { formatVolumePath } from '../volume-path.ts';
import { findPath, findVolume } from '../volume-tree.ts';
import { volumeFlag } from '../volume-flag.ts';

/** What a path says that the volume has nothing at. */
const ABSENT: ReadonlySet<string> = new Set(['not-found', 'not-a-directory']);
/** What a daemon says that does not know a command. */
const UNHEARD_OF: ReadonlySet<string> = new Set(['not-found', 'bad-message', 'usage']);

/**
 * Builds `godwit status`, which prints the state of the daemon or of one path, or follows it with
 * `--watch`. `--verbose` prints all that the daemon tells.
 */
export function statusCommand(cli: Cli): Command {
  const command = cli.withData('status', 'say what the daemon is doing; with --verbose all of it');
  pathArgument(command, '[path]', 'say it of this file or folder alone', { kind: 'queued' });
  flag(command, '-w, --watch', 'go on saying it until Ctrl-C');
  volumeFlag(command, 'volume of the path');
  type Options = { watch?: boolean; volume?: string };
  return cli.does<Options>(command, async (context, options, _args, [path]) => {
    const { watch: watches = false, volume = context.usualVolume } = options;
    if (path !== undefined) {
      if (watches) throw new GodwitError('usage', '--watch is for the daemon, not for a path');
      return showPath(context, volume, path.names);
    }
    if (watches) return watch(context);
    const status = await context.daemon.status();
    const lines = context.json ? [] : linesOf(context, status, await movingOf(context, status));
    context.result(status, lines);
  });
}

/** What the queue has of it is asked last: what has gone meanwhile is synced. */
async function showPath(context: Context, volume: string, names: string[]): Promise<void> {
  const { fileSystem } = context.daemon;
  const { root } = await findVolume(fileSystem, volume);
  const reason = await leftOut(context, volume, names);
  const found = await findPath(fileSystem, root, names, false).catch((error: unknown) => {
    if (reason !== null && error instanceof GodwitError && ABSENT.has(error.code)) return null;
    throw error;
  });
  if (found === null) {
    const shown = formatVolumePath(names);
    context.result({ volume, path: shown, state: 'not synced', reason }, [
      `${context.shown(names, volume)}: not synced: ${brief(reason ?? '')}`,
    ]);
    return;
  }
  const { fid, sync, kind, cached, behind = false, pinned = false } = found;
  const queue = await context.daemon.command('queue-at', { volume, path: names });
  const isUnstored = lacksContents(found);
  const state = pathState(sync, queue, isUnstored);
  const { unsettled } = await context.daemon.status();
  const path = formatVolumePath(names);
  const newer = behind && !isUnstored ? [NEWER_ELSEWHERE] : [];
  const locks = await locksOf(context, fid);
  const sharing = await sharingOf(context, fid);
  const said =
    sharing === null || sharing.order === 'auto' ? [] : [`sharing: ${sharingText(sharing, path)}`];
  const here =
    kind === 'file' && !isUnstored
      ? [cached ? 'its contents are here' : 'its contents are not here']
      : [];
  const about = {
    ...state,
    leftOut: reason,
    cached,
    pinned,
    behind,
    sharing,
    ...(locks.length === 0 ? {} : { locks }),
    unseenChanges: unsettled.paths,
  };
  context.result({ volume, path, kind, ...about }, [
    reason === null
      ? `${context.shown(names, volume)}: ${brief(stateText(state))}`
      : `${context.shown(names, volume)}: not as here: ${brief(reason)}`,
    ...(reason === null ? here : []),
    ...(pinned ? ['pinned: it is kept here'] : []),
    ...newer,
    ...locks.map((lock) => lockedText(lock)),
    ...said,
  ]);
  if (unsettled.paths === 0) return;
  const changes = formatCount(unsettled.paths, 'change');
  context.note(`${changes} in the folder not looked at yet: this may be one of them`);
}

/** Who has it locked; an older daemon can't tell. */
async function locksOf({ daemon }: Context, fid: LockRow['fid']): Promise<LockRow[]> {
  try {
    const { locks } = await daemon.command('locks', {});
    return locks.filter((lock) => lock.fid === fid);
  } catch (error) {
    if (error instanceof GodwitError && UNHEARD_OF.has(error.code)) return [];
    throw error;
  }
}

/** Why it is not synced here; an older daemon can't tell. */
async function leftOut(
  { daemon }: Context,
  volume: string,
  path: string[],
): Promise<string | null> {
  if (path.length === 0) return null;
  try {
    const told = (await daemon.command('left-out', { volume, path })) as { reason: string | null };
    return told.reason;
  } catch (error) {
    if (error instanceof GodwitError && UNHEARD_OF.has(error.code)) return null;
    throw error;
  }
}

/** What is on its way, as far as anything is. An older daemon, or one that ends, tells nothing of it. */
async function movingOf({ daemon }: Context, status: StatusSnapshot): Promise<Moving> {
  const { metadata, data } = status.queues;
  const most = MOST_MOVING;
  const isSending = metadata.updates + data.updates > 0;
  const [queue, fetches] = await Promise.all([
    isSending ? daemon.command('queue', { most, of: 'data' }).catch(() => null) : null,
    status.fetches.running > 0 ? daemon.command('fetches', { most }).catch(() => null) : null,
  ]);
  return { queue, fetches };
}

function linesOf(context: Context, status: StatusSnapshot, moving: Moving): string[] {
  const style = {
    colours: context.colours,
    shown: (path: string, volume?: string) => context.shown(path, volume),
    isChosen: context.isChosen,
    home: homeOrNull(),
    now: Date.now(),
  };
  const old = olderDaemon(status, programVersion());
  const block = [
    ...statusBlock(status, moving, style),
    ...(old === null ? [] : [signed('needed', `${old}; ${RESTART}`, context.colours)]),
  ];
  if (!context.verbose) return block;
  return [...block, '', ...statusLines(status).map((line) => `  ${line}`)];
}

function homeOrNull(): string | null {
  try {
    return homeFolder();
  } catch {
    return null;
  }
}

function watch(context: Context): Promise<void> {
  return watchStatus(context, async (status) =>
    linesOf(context, status, await movingOf(context, status)),
  );
}
