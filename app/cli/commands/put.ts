/**
 * `godwit put SRC PATH`: a file or a tree into a volume, with modes, times to the nanosecond, symlinks, hard links and
 * empty folders. PATH is the name it has then; with a slash at the end, the folder it goes into.
 */
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import type { FileSystem, Place } from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { formatCount } from '../format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { printable } from '../printable.ts';
import { startProgress } from '../progress.ts';
import { planPut, type PutPlan } from '../put/put-plan.ts';
import { PutTree } from '../put/put-tree.ts';
import { openToWrite, writeContents } from '../put/write-contents.ts';
import { pathArgument } from '../paths/path-arguments.ts';
import type { GivenPath } from '../paths/resolve-path.ts';
import { formatVolumePath, parseVolumePath } from '../volume-path.ts';
import { findPath, findVolume } from '../volume-tree.ts';
import { volumeFlag } from '../volume-flag.ts';

const DEFAULT_MODE = 0o644;

/**
 * Builds `godwit put`, which copies a file, a tree or standard input into a volume. Throws
 * GodwitError `not-a-directory` if the parent of the target is a file.
 */
export function putCommand(cli: Cli): Command {
  const command = cli
    .withData('put', 'put a file or a folder into a volume')
    .argument('<source>', 'file or folder on this machine; - for standard input');
  const what = 'its name in the volume; with / at the end, the folder it goes into';
  pathArgument(command, '<path>', what, { kind: 'new' });
  volumeFlag(command, 'volume to put it into');
  return cli.does<{ volume?: string }>(command, async (context, options, [source = ''], [path]) => {
    const names = targetNames(source, path);
    const plan = source === '-' ? null : planPut(resolve(source));
    const fs = context.daemon.fileSystem;
    const { volume = context.usualVolume } = options;
    const { root } = await findVolume(fs, volume);
    const dir = await findPath(fs, root, names.slice(0, -1), true);
    if (dir.kind !== 'directory') {
      throw new GodwitError(
        'not-a-directory',
        `${formatVolumePath(names.slice(0, -1))}: that is no folder`,
      );
    }
    const place = { dir: dir.fid, name: names.at(-1) ?? '' };
    const shown = formatVolumePath(names);
    if (plan === null) return putStdin(context, fs, place, { shown, volume });
    return putPlan(context, fs, place, { shown, volume }, plan);
  });
}

/** The root of a volume is there already and can't be put. */
function targetNames(source: string, path: GivenPath | undefined): string[] {
  const { text, names: given, isFolder: isNamed } = path ?? { text: '', names: [], isFolder: true };
  const names = [...given];
  const isFolder = isNamed || names.length === 0;
  if (isFolder && source === '-') {
    throw new GodwitError(
      'usage',
      `${text}: names a folder, and standard input has no name`,
      `give the name too, such as ${text.endsWith('/') ? text : `${text}/`}NAME`,
    );
  }
  if (isFolder) names.push(...parseVolumePath(basename(resolve(source))));
  if (names.length === 0) throw new GodwitError('usage', `${text}: the name of a file is wanted`);
  return names;
}

interface Target {
  /** From the root of its volume. */
  readonly shown: string;
  readonly volume: string;
}

async function putPlan(
  context: Context,
  fs: FileSystem,
  place: Place,
  { shown, volume }: Target,
  plan: PutPlan,
): Promise<number> {
  const progress = startProgress(context, 'put');
  let done = 0;
  try {
    const tree = new PutTree(fs, place, () => progress.update((done += 1), plan.items.length));
    await tree.run(plan);
  } finally {
    progress.stop();
  }
  for (const { path, reason } of plan.skipped) {
    context.note(`godwit: ${printable(path)}: left out: ${printable(reason)}`);
  }
  const { bytes, skipped } = plan;
  context.result({ path: shown, items: plan.items.length, bytes, skipped }, [
    `${context.shown(shown, volume)}: ${formatCount(plan.items.length, 'item')}, ${sizeText(bytes)}`,
  ]);
  return skipped.length > 0 ? EXIT.failed : EXIT.fine;
}

async function putStdin(
  context: Context,
  fs: FileSystem,
  { dir, name }: Place,
  { shown, volume }: Target,
): Promise<void> {
  const there = await fs.lookup(dir, name).catch((error: unknown) => {
    if (error instanceof GodwitError && error.code === 'not-found') return null;
    throw error;
  });
  if (there !== null && there.kind !== 'file') {
    throw new GodwitError('exists', `${shown}: something else has that name already`);
  }
  const opened = await openToWrite(fs, { dir, name }, there, { mode: DEFAULT_MODE });
  await writeContents(fs, opened, context.io.stdin, null);
  const { fid } = opened.attributes;
  const { size } = await fs.getattr(fid);
  context.result({ path: shown, items: 1, bytes: size, skipped: [] }, [
    `${context.shown(shown, volume)}: ${sizeText(size)}`,
  ]);
}
