/**
 * `godwit open FILE`: a file of the synced folder as its program shows it. Where a placeholder stands for it, it is fetched and put in its
 * place first. A double-click on a placeholder does this (build/package/deb-files.mjs).
 */
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../../../shared/control/config.ts';
import { nameBehind } from '../../../shared/model/placeholder-name.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { openWithDesktop } from '../open-with-desktop.ts';
import { printable } from '../printable.ts';
import { DEFAULT_VOLUME, findPath, findVolume } from '../volume-tree.ts';

/**
 * Builds `godwit open`, which fetches a file of the folder into its place and opens it with its
 * program. With `--print` or `--json` it opens nothing. An error is also shown as a notification of
 * the desktop.
 */
export function openCommand(cli: Cli): Command {
  const command = cli
    .withData('open', 'open a file of the folder; what a placeholder stands for is fetched first')
    .argument('<file>', 'the file, or its placeholder NAME.godwit, where it is in the folder');
  flag(command, '--print', 'fetch it and print where it is, and open nothing');
  return cli.does<{ print?: boolean }>(command, async (context, { print = false }, [text = '']) => {
    try {
      const path = await inPlace(context, text);
      const opened = !print && !context.json && (await openWithDesktop(path));
      context.result({ path, opened }, opened ? [] : [printable(path)]);
      if (!opened && !print) context.note('there is no desktop here that could open it');
    } catch (error) {
      if (!print) openOnDesktop(text, error);
      throw error;
    }
  });
}

/** Where the file is, with all its contents. */
async function inPlace(context: Context, text: string): Promise<string> {
  const { folder, names } = await inFolder(context, text);
  const volume = readConfig(context.dataDir)?.volume ?? DEFAULT_VOLUME;
  const path = await nameInVolume(context, volume, names, text);
  const report = await context.daemon.command('cache', {
    ...{ act: 'demand', volume, path },
  });
  const [exception] = report.exceptions;
  if (exception !== undefined) {
    throw new GodwitError('no-contents', `${text}: ${exception.why}`);
  }
  const place = join(folder, ...path);
  if (existsSync(place)) return place;
  throw new GodwitError('no-contents', `${text}: its file is not in its place`);
}

/** The folder of the daemon, and the names from there on. Links on the way to the file are followed, the file itself is not. */
async function inFolder(
  { daemon, dataDir }: Context,
  text: string,
): Promise<{ folder: string; names: string[] }> {
  const { folder } = await daemon.status();
  if (folder === null) {
    throw new GodwitError('usage', `${dataDir}: this daemon shows its files in no folder`);
  }
  const file = resolve(text);
  const names = relative(realOf(folder), join(realOf(dirname(file)), basename(file))).split(sep);
  if (names[0] === '..' || names[0] === '') {
    throw new GodwitError('usage', `${text}: it is not in the folder of this daemon, ${folder}`);
  }
  return { folder, names };
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    throw new GodwitError('not-found', `${folder}: there is no such folder`);
  }
}

/** What a placeholder is called in the volume. A person may have renamed it just now: then the folder is looked at. */
async function nameInVolume(
  { daemon }: Context,
  volume: string,
  names: readonly string[],
  text: string,
): Promise<string[]> {
  const name = names.at(-1) ?? '';
  const behind = nameBehind(name);
  const path = [...names.slice(0, -1), behind ?? name];
  const { fileSystem } = daemon;
  const look = async (): Promise<void> => {
    const { root } = await findVolume(fileSystem, volume);
    const { kind } = await findPath(fileSystem, root, path, false);
    if (kind === 'directory') throw new GodwitError('is-a-directory', `${text}: it is a folder`);
  };
  try {
    await look();
  } catch (error) {
    if (!(error instanceof GodwitError) || error.code !== 'not-found') throw error;
    await daemon.command('scan', {});
    await look().catch((second: unknown) => {
      const isGone = second instanceof GodwitError && second.code === 'not-found';
      if (!isGone || behind === null) throw second;
      throw new GodwitError('not-found', `${text}: it stands for no file of the volume ${volume}`);
    });
  }
  return path;
}

/** Whoever has clicked sees no terminal. Nothing where there is nobody to tell. */
function openOnDesktop(text: string, error: unknown): void {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (process.platform !== 'linux' || process.stdout.isTTY) return;
  if (!(error instanceof GodwitError) || !(DISPLAY || WAYLAND_DISPLAY)) return;
  const words = ['Godwit', `${error.message === '' ? text : error.message}; ${error.remedy}`];
  const child = spawn('notify-send', ['--', ...words], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
