/**
 * The file beside a database that SQLite maps into memory (`-shm`). A disk that copies on write (btrfs) needs a free block for each write to it, and
 * where it has none the system ends the process (SIGBUS): there is no call that could fail. So there the file is one that is written in
 * place, as far as the system can do that; its contents are worth nothing after a crash.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

/** What statfs says of btrfs. */
const BTRFS = 0x9123683e;
const PRIVATE_FILE = 0o600;

/** Before the database is opened. Nothing happens where the file is there: other connections may use it. */
export function makeSharedMemory(database: string): void {
  try {
    if (process.platform !== 'linux' || statfsSync(dirname(database)).type !== BTRFS) return;
    const file = `${database}-shm`;
    closeSync(openSync(file, 'wx', PRIVATE_FILE));
    // Of an empty file alone it can be changed. Without the program it stays as all files are.
    spawnSync('chattr', ['+C', file], { stdio: 'ignore' });
  } catch {
    // It is there, or nothing can be made: that is SQLite's to tell.
  }
}
