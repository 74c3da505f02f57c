/**
 * The disk calls of a backup, each under its name, so that a test can watch or fail exactly one.
 *
 * Bytes are read and written, never shared: a copy that had blocks in common with the server (a hard link, a reflink) would be
 * damaged with them.
 */
import { mkdir, open, readdir, rename, rm, stat, truncate } from 'node:fs/promises';
import { isMissing, syncPath } from '../../adapters/content-disk/content-files.ts';

export interface BackupFiles {
  /** For its owner alone. Nothing where it is there. */
  makeFolder(path: string): Promise<void>;
  /** Makes names in a folder durable. */
  syncFolder(path: string): Promise<void>;
  syncFile(path: string): Promise<void>;
  /** Names in a folder, sorted; none where there is no such folder. */
  list(path: string): Promise<string[]>;
  /** Null: there is no such file. */
  length(path: string): Promise<number | null>;
  /** The bytes from `start` up to `end`, to the same place of another file, durably. Told after each piece. */
  copyPart(from: string, to: string, part: Part, copied: Copied): Promise<void>;
  truncate(path: string, length: number): Promise<void>;
  /** A new file in place of any, durably. */
  write(path: string, text: string, mode: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** With all that is in it; nothing where there is none. */
  remove(path: string): Promise<void>;
}

export interface Part {
  readonly start: number;
  readonly end: number;
}

/** Waits as long as it takes to copy no faster than wished. */
export type Copied = (bytes: number) => Promise<void>;

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
/** Of one read. */
const PIECE = 1024 * 1024;

export const nodeBackupFiles: BackupFiles = {
  async makeFolder(path) {
    await mkdir(path, { mode: PRIVATE_FOLDER }).catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
    });
  },
  syncFolder: syncPath,
  syncFile: syncPath,
  async list(path) {
    try {
      return (await readdir(path)).sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  },
  async length(path) {
    try {
      return (await stat(path)).size;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  },
  copyPart,
  truncate,
  async write(path, text, mode) {
    const file = await open(path, 'w', mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  rename,
  remove: (path) => rm(path, { recursive: true, force: true }),
};

async function copyPart(from: string, to: string, part: Part, copied: Copied): Promise<void> {
  const source = await open(from, 'r');
  try {
    // Neither 'r+' (it must be there) nor 'w' (it is emptied) will do.
    const target = await open(to, 'a', PRIVATE_FILE);
    try {
      const bytes = Buffer.allocUnsafe(PIECE);
      let at = part.start;
      while (at < part.end) {
        const { bytesRead } = await source.read(bytes, 0, Math.min(PIECE, part.end - at), at);
        if (bytesRead === 0) throw new Error(`${from} ends at ${at}, before ${part.end}`);
        await target.writeFile(bytes.subarray(0, bytesRead));
        at += bytesRead;
        await copied(bytesRead);
      }
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
