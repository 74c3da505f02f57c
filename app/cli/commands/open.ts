/**
 * `godwit open FILE`: a file of the synced folder as its program shows it. Where a placeholder stands for it, it is fetched and put in its
 * place first. A double-click on a placeholder does this (build/package/deb-files.mjs).
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { nameBehind } from '../../../shared/model/placeholder-name.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { openWithDesktop } from '../../../shared/system/open-with-desktop.ts';
import { pathArgument } from '../paths/path-arguments.ts';
import type { GivenPath } from '../paths/resolve-path.ts';
import { printable } from '../printable.ts';
import { findPath, findVolume } from '../volume-tree.ts';

/**
 * Builds `godwit open`, which fetches a file of the folder into its place and opens it with its
 * program. With `--print` or `--json` it opens nothing. An error is also shown as a notification of
 * the desktop.
 */
export function openCommand(cli: Cli): Command {
  const says = 'open a file of the folder; what a placeholder stands for is fetched first';
  const command = cli.withData('open', says);
  pathArgument(command, '<file>', 'the file, or its placeholder NAME.godwit');
  flag(command, '--print', 'fetch it and print where it is, and open nothing');
  type Options = { print?: boolean };
  return cli.does<Options>(command, async (context, { print = false }, [text = ''], [path]) => {
    try {
      const place = path === undefined ? '' : await inPlace(context, path);
      const opened = !print && !context.json && (await openWithDesktop(place));
      context.result({ path: place, opened }, opened ? [] : [printable(place)]);
      if (!opened && !print) context.note('there is no desktop here that could open it');
    } catch (error) {
      if (!print) openOnDesktop(text, error);
      throw error;
    }
  });
}

/** Where the file is, with all its contents. */
async function inPlace(context: Context, given: GivenPath): Promise<string> {
  const { text, volume } = given;
  const { folder } = await context.daemon.status();
  const shown = context.usualVolume;
  if (folder === null) {
    const why = 'this daemon shows its files in no folder';
    throw new GodwitError('usage', `${context.dataDir}: ${why}`);
  }
  if (volume !== shown) throw new GodwitError('usage', `${text}: the folder shows ${shown} alone`);
  const path = await nameInVolume(context, given);
  const report = await context.daemon.command('cache', { act: 'demand', volume, path });
  const [exception] = report.exceptions;
  if (exception !== undefined) {
    throw new GodwitError('no-contents', `${text}: ${exception.why}`);
  }
  const place = join(folder, ...path);
  if (existsSync(place)) return place;
  throw new GodwitError('no-contents', `${text}: its file is not in its place`);
}

/** What a placeholder is called in the volume. A person may have renamed it just now: then the folder is looked at. */
async function nameInVolume(
  { daemon }: Context,
  { text, volume, names }: GivenPath,
): Promise<string[]> {
  const { fileSystem } = daemon;
  const behind = nameBehind(names.at(-1) ?? '');
  const look = async (path: string[]): Promise<string[]> => {
    const { root } = await findVolume(fileSystem, volume);
    const { kind } = await findPath(fileSystem, root, path, false);
    if (kind === 'directory') throw new GodwitError('is-a-directory', `${text}: it is a folder`);
    return path;
  };
  try {
    return await look(names);
  } catch (error) {
    if (!(error instanceof GodwitError) || error.code !== 'not-found') throw error;
    await daemon.command('scan', {});
    return look(behind === null ? names : [...names.slice(0, -1), behind]).catch(
      (second: unknown) => {
        const isGone = second instanceof GodwitError && second.code === 'not-found';
        if (!isGone || behind === null) throw second;
        throw new GodwitError(
          'not-found',
          `${text}: it stands for no file of the volume ${volume}`,
        );
      },
    );
  }
}

/** Shows the error in a desktop notice, for a person who has clicked sees no terminal. Without a desktop it does nothing. */
function openOnDesktop(text: string, error: unknown): void {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (process.platform !== 'linux' || process.stdout.isTTY) return;
  if (!(error instanceof GodwitError) || !(DISPLAY || WAYLAND_DISPLAY)) return;
  const words = ['Godwit', `${error.message === '' ? text : error.message}; ${error.remedy}`];
  const child = spawn('notify-send', ['--', ...words], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
