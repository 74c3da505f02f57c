/**
 * `godwit status`: prints the state of the daemon. With `--watch --json`, one object a line for each revision.
 */
import type { Command } from 'commander';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatCount } from '../format.ts';
import { LiveLine } from '../live-line.ts';
import { pathState, stateText } from '../path-state.ts';
import { brief } from '../printable.ts';
import { sharingOf, sharingText } from './sharing.ts';
import { statusLine, statusLines } from '../status-lines.ts';
import { formatVolumePath, parseVolumePath } from '../volume-path.ts';
import { DEFAULT_VOLUME, findPath, findVolume } from '../volume-tree.ts';
import { volumeFlag } from '../volume-flag.ts';

/** What a path says that the volume has nothing at. */
const ABSENT: ReadonlySet<string> = new Set(['not-found', 'not-a-directory']);
/** What a daemon says that does not know a command. */
const UNHEARD_OF: ReadonlySet<string> = new Set(['not-found', 'bad-message', 'usage']);

/**
 * Builds `godwit status`, which prints the state of the daemon or of one path, or follows it with
 * `--watch`.
 */
export function statusCommand(cli: Cli): Command {
  const command = cli.withData('status', 'say what the daemon is doing');
  command.argument('[path]', 'say it of this file or folder of the volume alone');
  flag(command, '-w, --watch', 'go on saying it until Ctrl-C');
  volumeFlag(command, 'volume of the path');
  type Options = { watch?: boolean; volume?: string };
  return cli.does<Options>(command, async (context, options, [path]) => {
    const { watch: watches = false, volume = DEFAULT_VOLUME } = options;
    if (path !== undefined) {
      if (watches) throw new GodwitError('usage', '--watch is for the daemon, not for a path');
      return showPath(context, volume, path);
    }
    if (watches) return watch(context);
    const status = await context.daemon.status();
    context.result(status, statusLines(status));
  });
}

/** What the queue has of it is asked last: what has gone meanwhile is synced. */
async function showPath(context: Context, volume: string, text: string): Promise<void> {
  const names = parseVolumePath(text);
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
      `${brief(shown)}: not synced: ${brief(reason ?? '')}`,
    ]);
    return;
  }
  const { fid, sync, kind, cached, behind = false, pinned = false } = found;
  const queue = await context.daemon.command('queue-at', { volume, path: names });
  const state = pathState(sync, queue);
  const { unsettled } = await context.daemon.status();
  const path = formatVolumePath(names);
  const newer = behind ? ['another laptop has a newer version that it has not sent yet'] : [];
  const sharing = await sharingOf(context, fid);
  const said =
    sharing === null || sharing.order === 'auto' ? [] : [`sharing: ${sharingText(sharing, path)}`];
  const here =
    kind === 'file' ? [cached ? 'its contents are here' : 'its contents are not here'] : [];
  const about = {
    ...state,
    leftOut: reason,
    cached,
    pinned,
    behind,
    sharing,
    unseenChanges: unsettled.paths,
  };
  context.result({ volume, path, kind, ...about }, [
    reason === null
      ? `${brief(path)}: ${brief(stateText(state))}`
      : `${brief(path)}: not as here: ${brief(reason)}`,
    ...(reason === null ? here : []),
    ...(pinned ? ['pinned: it is kept here'] : []),
    ...newer,
    ...said,
  ]);
  if (unsettled.paths === 0) return;
  const changes = formatCount(unsettled.paths, 'change');
  context.note(`${changes} in the folder are not looked at yet: this may be one of them`);
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

async function watch(context: Context): Promise<void> {
  const line = new LiveLine(context.io.stdout);
  const show = (status: StatusSnapshot): void => {
    if (context.json) context.result(status);
    else line.show(statusLine(status));
  };
  for await (const status of context.daemon.snapshots(context.interruption.claim())) show(status);
  line.end();
}
