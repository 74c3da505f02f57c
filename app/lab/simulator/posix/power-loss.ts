/** A machine with a simulated kernel loses power, or writes out what it has before that. A process that crashes alone loses nothing: it only ends. */
import { writeOut } from './contents-calls.ts';
import type { Remains } from './contents.ts';
import type { FileSystem } from './file-system.ts';
import type { Kernel } from './kernel.ts';
import type { Process } from './process.ts';

/** How much is left, as plain data. null: it is drawn. */
export interface PowerLoss {
  /** Steps of each journal that were not durable, and are there all the same. */
  readonly kept: number | null;
  /** Of contents that were not durable. */
  readonly remains: Remains | null;
}

/** All processes have ended, and what was not durable is there or not. What was synced is there. */
export function losePower(
  kernel: Kernel,
  processes: Iterable<Process>,
  { kept, remains }: PowerLoss,
): void {
  for (const caller of processes) caller.files.clear();
  for (const fs of fileSystemsOf(kernel)) {
    for (const inode of fs.all) inode.mappedPages.clear();
    fs.losePower(kept, remains, kernel.random);
  }
}

/** Everything is durable, as after `sync`, or when a machine is put out as it should be. */
export function writeAllOut(kernel: Kernel): void {
  for (const fs of fileSystemsOf(kernel)) {
    for (const inode of fs.all) writeOut(kernel, inode);
    fs.journal.commit();
  }
}

/** Those that are mounted, once each, in the order in which they were. */
function fileSystemsOf(kernel: Kernel): ReadonlySet<FileSystem> {
  return new Set(kernel.mounts.map(({ fs }) => fs));
}
