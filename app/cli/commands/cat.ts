/**
 * `godwit cat PATH...`: the contents of files, in order, to stdout. What is not cached is fetched on demand.
 */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Command } from 'commander';
import type { Fid } from '../../../shared/model/fid.ts';
import type { FileSystem, OpenFile } from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Cli } from '../cli.ts';
import { about } from '../errors.ts';
import { pathArgument } from '../paths/path-arguments.ts';
import { formatVolumePath } from '../volume-path.ts';
import { findPath, findVolume } from '../volume-tree.ts';
import { volumeFlag } from '../volume-flag.ts';

/** A multiple of three, so that the pieces of base64 join without padding. */
const BASE64_PIECE = 3 * 64 * 1024;

/**
 * Builds `godwit cat`, which fetches files as somebody who waits and prints their contents. With
 * `--json` it prints one object, with the contents in base64.
 */
export function catCommand(cli: Cli): Command {
  const says = 'print files of a volume; with --json their contents are in base64';
  const command = pathArgument(cli.withData('cat', says), '<path...>', 'files');
  volumeFlag(command, 'volume to look in');
  return cli.does<{ volume?: string }>(command, async (context, options, _args, paths) => {
    const wanted = paths.map(({ names }) => names);
    const fs = context.daemon.fileSystem;
    const { root } = await findVolume(fs, options.volume ?? context.usualVolume);
    const { stdout } = context.io;
    if (!context.json) {
      for (const names of wanted) {
        await withContents(fs, root, names, ({ path }) =>
          pipeline(createReadStream(path), stdout, { end: false }),
        );
      }
      return;
    }
    await writeJson(fs, root, wanted, stdout);
  });
}

async function withContents(
  fs: FileSystem,
  root: Fid,
  names: readonly string[],
  use: (file: OpenFile) => Promise<void>,
): Promise<void> {
  const shown = formatVolumePath(names);
  const found = await findPath(fs, root, names, true);
  if (found.kind !== 'file') throw new GodwitError('is-a-directory', `${shown}: that is a folder`);
  const file = await fs.open(found.fid, { mode: 'read' }).catch((error: unknown) => {
    throw about(shown, error);
  });
  try {
    await use(file);
  } finally {
    await fs.close(file.handle, null);
  }
}

/** The contents may be larger than memory, so the object is written as they are read. Everything is opened first: */
/** after the first byte, an error could no longer be said as an object of its own. */
async function writeJson(
  fs: FileSystem,
  root: Fid,
  wanted: ReadonlyArray<readonly string[]>,
  stdout: Writable,
): Promise<void> {
  const [names, ...rest] = wanted;
  return openAll(fs, root, names, rest, [], stdout);
}

async function openAll(
  fs: FileSystem,
  root: Fid,
  names: readonly string[] | undefined,
  rest: ReadonlyArray<readonly string[]>,
  opened: ReadonlyArray<{ path: string; file: OpenFile }>,
  stdout: Writable,
): Promise<void> {
  if (names === undefined) return writeObject(opened, stdout);
  await withContents(fs, root, names, (file) =>
    openAll(
      fs,
      root,
      rest[0],
      rest.slice(1),
      [...opened, { path: formatVolumePath(names), file }],
      stdout,
    ),
  );
}

async function writeObject(
  opened: ReadonlyArray<{ path: string; file: OpenFile }>,
  stdout: Writable,
): Promise<void> {
  stdout.write('{"files":[');
  for (const [index, { path, file }] of opened.entries()) {
    const { size } = file.attributes;
    stdout.write(
      `${index > 0 ? ',' : ''}{"path":${JSON.stringify(path)},"size":${size},"contents":"`,
    );
    for await (const piece of createReadStream(file.path, { highWaterMark: BASE64_PIECE })) {
      if (!stdout.write((piece as Buffer).toString('base64'))) await once(stdout, 'drain');
    }
    stdout.write('"}');
  }
  stdout.write(']}\n');
}
