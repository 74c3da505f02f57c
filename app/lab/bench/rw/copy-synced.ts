import { copyFile, open } from 'node:fs/promises';

/** As a careful program copies: when this resolves the file is on the disk. */
export async function copySynced(source: string, to: string): Promise<void> {
  await copyFile(source, to);
  const file = await open(to, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
