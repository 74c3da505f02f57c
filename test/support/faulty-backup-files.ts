/** The disk calls of a backup, of which some fail or are the last before the process ends. */
import { basename } from 'node:path';
import { nodeBackupFiles, type BackupFiles } from '../../server/maintenance/backup/backup-files.ts';

/** Disk calls that a test can make fail. */
export class FaultyBackupFiles implements BackupFiles {
  /** Every call, as `what name`. */
  readonly calls: string[] = [];
  /** The process ends after this many calls. */
  lastCall = Infinity;
  /** The name of the errno with which a call fails, or null. */
  failing: (call: string) => string | null = () => null;

  makeFolder = this.#watched('makeFolder');
  syncFolder = this.#watched('syncFolder');
  syncFile = this.#watched('syncFile');
  list = this.#watched('list');
  length = this.#watched('length');
  copyPart = this.#watched('copyPart');
  truncate = this.#watched('truncate');
  write = this.#watched('write');
  rename = this.#watched('rename');
  remove = this.#watched('remove');

  #watched<N extends keyof BackupFiles>(name: N): BackupFiles[N] {
    const work = nodeBackupFiles[name] as (...args: unknown[]) => Promise<unknown>;
    const watched = async (...args: unknown[]): Promise<unknown> => {
      if (this.calls.length >= this.lastCall) throw new Error('the process has ended');
      const call = `${name} ${basename(String(args[0]))}`;
      this.calls.push(call);
      const code = this.failing(call);
      if (code !== null) throw Object.assign(new Error(code), { code });
      return work(...args);
    };
    return watched as BackupFiles[N];
  }
}
