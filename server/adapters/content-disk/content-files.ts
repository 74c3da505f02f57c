/** The disk calls of the content store, each under its name, so that a test can watch or fail exactly one. */
import { mkdir, open, readdir, rename, stat, unlink, writeFile } from 'node:fs/promises';

export interface ContentFiles {
  syncFile(path: string): Promise<void>;
  /** Makes names in a folder durable. */
  syncFolder(path: string): Promise<void>;
  /** Makes a folder, and those above it. Does nothing if it exists. */
  makeFolder(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** In place of what is there. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Null: there is no such file. `when` it was written last, in milliseconds since 1970. */
  look(path: string): Promise<{ readonly length: number; readonly when: number } | null>;
  /** Names in a folder, sorted; none where there is no such folder. */
  list(path: string): Promise<string[]>;
  /** Nothing where there is none. */
  remove(path: string): Promise<void>;
}

/** Syncs run on Node's pool of threads: contents go on arriving meanwhile. */
export const nodeContentFiles: ContentFiles = {
  syncFile: syncPath,
  syncFolder: syncPath,
  async makeFolder(path) {
    await mkdir(path, { recursive: true });
  },
  rename,
  write: (path, bytes) => writeFile(path, bytes, { mode: 0o600 }),
  async look(path) {
    const stats = await unlessMissing(stat(path));
    return stats === null ? null : { length: stats.size, when: stats.mtimeMs };
  },
  async list(path) {
    return ((await unlessMissing(readdir(path))) ?? []).sort();
  },
  async remove(path) {
    await unlessMissing(unlink(path));
  },
};

/** Syncs a file or a folder to the disk. Rejects with the disk's error. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Resolves to null if the file is not there. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ENOENT';
}
