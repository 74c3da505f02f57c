/**
 * Keeps the lists of file groups right when a program saves a file by a rename over it (rule W3): what comes takes the place of what goes, in the
 * group's list too. Its membership is an attribute, kept by the core; the list is a file.
 *
 * It runs after the program's call, one list at a time. If it fails (the list is not here and the server is away), it is logged;
 * the file is in its group all the same, and `godwit group add` puts it on the list.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { formatGroup, groupOf, parseGroup } from '../../../shared/model/file-group.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { FileSystem, Place, RenameOptions } from '../../../shared/ports/file-system.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';

export interface Rename {
  readonly from: Place;
  readonly to: Place;
  readonly options?: RenameOptions | undefined;
}

interface Replaced {
  readonly group: Fid;
  readonly before: Fid;
  readonly after: Fid;
}

/**
 * Updates the lists of file groups after a program replaces a file by a rename (rule W3). Failures
 * are logged.
 */
export class GroupLists {
  /** Not that of a program: what is done here is the daemon's own. */
  readonly #fileSystem: FileSystem;
  readonly #log: Log;
  #last: Promise<void> = Promise.resolve();

  constructor(fileSystem: FileSystem, log: Log) {
    this.#fileSystem = fileSystem;
    this.#log = log;
  }

  /** Runs a rename, and has the list changed if it replaces a file of a group. Rejects as the rename does. */
  async around(rename: Rename, run: () => Promise<unknown>): Promise<unknown> {
    const replaced = await this.#replacedBy(rename);
    const done = await run();
    if (replaced !== null) this.#last = this.#last.then(() => this.#updateList(replaced));
    return done;
  }

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    return this.#last;
  }

  async #replacedBy({ from, to, options }: Rename): Promise<Replaced | null> {
    // A front end that reports changes of a disk keeps the vnode, and the group with it.
    if (options?.observed !== undefined || options?.noReplace === true) return null;
    try {
      const there = await this.#fileSystem.lookup(to.dir, to.name);
      const group = groupOf(there);
      if (group === null || there.kind !== 'file') return null;
      const moved = await this.#fileSystem.lookup(from.dir, from.name);
      if (moved.kind !== 'file' || moved.fid === there.fid) return null;
      // It is in a group of its own, which it keeps.
      if (groupOf(moved) !== null) return null;
      return { group, before: there.fid, after: moved.fid };
    } catch (error) {
      // The rename reports what is wrong.
      if (error instanceof GodwitError) return null;
      throw error;
    }
  }

  async #updateList({ group, before, after }: Replaced): Promise<void> {
    try {
      const found = parseGroup(await this.#read(group));
      if (found === null || !found.files.includes(before)) return;
      const files = found.files.filter((fid) => fid !== after);
      const text = formatGroup({
        ...found,
        files: files.map((fid) => (fid === before ? after : fid)),
      });
      await this.#write(group, text);
    } catch (error) {
      this.#log.warn('the list of a file group is not right any more', {
        ...{ group, before, after },
        why: String(error),
      });
    }
  }

  async #read(group: Fid): Promise<string> {
    const { handle, path } = await this.#fileSystem.open(group, { mode: 'read' });
    try {
      return await readFile(path, 'utf8');
    } finally {
      await this.#fileSystem.close(handle, null);
    }
  }

  async #write(group: Fid, text: string): Promise<void> {
    const { handle, path } = await this.#fileSystem.open(group, { mode: 'write', truncate: true });
    try {
      await writeFile(path, text);
      await this.#fileSystem.close(handle, {});
    } catch (error) {
      await this.#fileSystem.abandon(handle).catch(() => undefined);
      throw error;
    }
  }
}
