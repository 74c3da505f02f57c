/** Two laptops and a file that both have: how it is saved on the one and read on the other, through the folder or through the port. */
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Actor } from '../real/stage.ts';
import type { Through } from '../real/through.ts';

export interface Shared {
  readonly save: (contents: Buffer) => Promise<void>;
  /** Null where it is not there. */
  readonly read: () => Promise<Buffer | null>;
}

/** The file `name` of both roots, for the laptop of `actor`. It must be there. */
export async function sharedFile(through: Through, actor: Actor, name: string): Promise<Shared> {
  if (through === 'folder') {
    const path = join(actor.laptop.folder, name);
    return { save: (contents) => writeFile(path, contents), read: () => readOrNull(path) };
  }
  const fid = await actor.files.find(actor.files.root, name);
  return {
    save: (contents) => actor.files.replace(fid, contents),
    read: async () => {
      try {
        return (await actor.files.read(fid)).contents;
      } catch (error) {
        if (error instanceof GodwitError && error.code === 'not-found') return null;
        throw error;
      }
    },
  };
}

/** Copies a local file to a laptop under a name, through its folder or its port. */
export async function addFile(
  through: Through,
  { laptop, files }: Actor,
  source: string,
  name: string,
): Promise<void> {
  if (through === 'port') await files.copyIn(source, files.root, name);
  else await writeFile(join(laptop.folder, name), await readFile(source));
}

/** As a careful program saves. */
export async function saveSynced(path: string, contents: Buffer): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(contents);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function readOrNull(path: string): Promise<Buffer | null> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}
