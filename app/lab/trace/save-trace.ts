/** A trace into a file, whole or not at all: it is written beside its place, as NAME.part, and is named when it is complete. */
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

export interface SaveOptions {
  /** What is there may be replaced. */
  readonly replace: boolean;
  readonly signal: AbortSignal;
}

/** Rejects with EEXIST where something has the name, with the signal's reason where it is aborted, and with what the disk says. */
export async function saveText(
  path: string,
  pieces: AsyncIterable<string>,
  { replace, signal }: SaveOptions,
): Promise<void> {
  if (!replace && existsSync(path)) throw taken(path);
  const part = `${path}.part`;
  const file = await open(part, 'w', 0o644);
  try {
    await writeAll(file, pieces, signal).finally(() => file.close());
    if (replace) renameSync(part, path);
    else putInPlace(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

async function writeAll(
  file: FileHandle,
  pieces: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  for await (const piece of pieces) {
    signal.throwIfAborted();
    await file.writeFile(piece);
  }
  await file.sync();
}

/** Never over a file that was made meanwhile. */
function putInPlace(part: string, path: string): void {
  try {
    linkSync(part, path);
    rmSync(part);
  } catch (error) {
    // Some file systems have no links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      throw error;
    }
    if (existsSync(path)) throw taken(path);
    renameSync(part, path);
  }
}

function taken(path: string): Error {
  return Object.assign(new Error(`EEXIST: ${path}`), { code: 'EEXIST', path });
}
