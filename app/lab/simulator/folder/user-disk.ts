/** The kernel of a simulated laptop, as far as this world asks for it: processes of the person, of root and of the daemon. */
import type { Disk } from '../../../../daemon/adapters/folder/disk/disk.ts';
import type { FreeDiskSpace } from '../../../../shared/model/cache.ts';
import type { HelperProcess } from '../../../../daemon/adapters/folder/disk/mount-answers.ts';
import type { ErrorName } from '../posix/kernel-error.ts';
import type { KernelFault } from '../posix/kernel-faults.ts';
import type { ProgramCalls } from '../posix/program-calls.ts';
import type { MachineDisks } from './machine-disks.ts';

/** A daemon's process, with the disk as the folder's engine sees it. */
export interface DaemonProcess {
  readonly calls: ProgramCalls;
  readonly disk: Disk;
  /** It is gone, and with it what it had open, its locks and its watches. */
  end(): void;
}

export interface UserDisk {
  /** The synced folder, and what lies beside it. */
  readonly root: string;
  readonly outside: string;
  /** Where the engine keeps what is its own, and not in the folder. */
  readonly data: string;
  /** Where another disk is mounted in the folder; null: none is. */
  readonly inner: string | null;
  /** What is mounted. */
  readonly disks: MachineDisks;
  /** Another process; it ends with `end`. */
  process(who: 'person' | 'root'): ProgramCalls;
  /** Root's process that no fault keeps from looking. */
  readonly observer: ProgramCalls;
  /** No fault keeps that program from what it does in `act`. */
  quietly<T>(calls: ProgramCalls, act: () => T): T;
  /** Gives how to end it. */
  begin(fault: KernelFault): () => void;
  /** What the daemon asks of the disk next meets an error, that many times, where a disk may say so. Gives how to end it. */
  failDaemon(code: ErrorName, times: number): () => void;
  daemon(isAlive: () => boolean): DaemonProcess;
  /** Somebody who asks whether a mount answers. */
  askMount(path: string): HelperProcess;
  /** Of the disk that the folder is on. */
  room(): FreeDiskSpace;
  /** As the file system at a path keeps a time that somebody sets. */
  keptTime(path: string, time: bigint): bigint;
  /** Unsynced data are lost; every process has ended. */
  losePower(): void;
}
