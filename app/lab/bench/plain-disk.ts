/**
 * The baseline: what the same files cost on the disk without Godwit. Disks differ, and one disk differs from hour to hour: a file system
 * may skip inodes that were freed lately, so that a folder fills slowly after another one was emptied.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isolatedFigure, type Figure } from './figures.ts';
import type { IngestSettings } from './ingest-settings.ts';
import { makeLargeFile, makeSmallFiles } from './make-files.ts';
import { secondsOf } from './real/seconds-of.ts';

/**
 * Measures what the same files cost on the disk without Godwit, in files and megabytes a second.
 */
export async function plainDisk(
  { files, size, large }: Pick<IngestSettings, 'files' | 'size' | 'large'>,
  signal: AbortSignal,
): Promise<Figure[]> {
  const root = mkdtempSync(join(tmpdir(), 'godwit-plain-'));
  const figures: Figure[] = [];
  try {
    if (files > 0) {
      const seconds = await secondsOf(() => makeSmallFiles(root, files, size, signal));
      const what = 'as many files in a plain folder, nothing synced';
      figures.push(isolatedFigure('plainFiles', what, files / seconds, 'files/s'));
    }
    if (large > 0) {
      const seconds = await secondsOf(() => makeSynced(join(root, 'large.bin'), large, signal));
      const what = 'a file as large in a plain folder, synced';
      figures.push(isolatedFigure('plainLarge', what, large / 1e6 / seconds, 'MB/s'));
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return figures;
}

async function makeSynced(path: string, size: number, signal: AbortSignal): Promise<void> {
  await makeLargeFile(path, size, signal);
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
