/**
 * The files that one control connection has open. They end with the connection, so that a program that
 * dies pins no contents and leaves no private copy behind.
 *
 * Invariants
 * 1. A handle is closed only on the connection that opened it.
 * 2. After `end`, every handle of the connection is closed or abandoned, one whose `open` is still under way included.
 */
import type { FsArguments } from '../../../shared/control/file-operations.ts';
import { MAX_HANDLES } from '../../../shared/control/limits.ts';
import type {
  Attributes,
  FileSystem,
  Handle,
  MakeOptions,
  OpenFile,
} from '../../../shared/ports/file-system.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { callFileSystem } from './file-system-calls.ts';
import type { GroupLists, Rename } from './group-lists.ts';

type Mode = 'read' | 'write';

/** The open files of one control connection; `end` closes or abandons all of them. */
export class ConnectionHandles {
  /** As the program of this connection sees it. */
  readonly fileSystem: FileSystem;
  readonly #groups: GroupLists;
  readonly #log: Log;
  readonly #open = new Map<Handle, Mode>();
  #opening = 0;
  #ended = false;

  constructor(fs: FileSystem, groups: GroupLists, log: Log) {
    this.fileSystem = fs;
    this.#groups = groups;
    this.#log = log;
  }

  open({ fid, how }: FsArguments<'open'>): Promise<OpenFile> {
    return this.#opened(how.mode, () =>
      this.fileSystem.open(fid, how as Parameters<FileSystem['open']>[1]),
    );
  }

  createOpen({ dir, name, options }: FsArguments<'createOpen'>): Promise<OpenFile> {
    return this.#opened('write', () =>
      this.fileSystem.createOpen(dir, name, options as MakeOptions),
    );
  }

  async #opened(mode: Mode, open: () => Promise<OpenFile>): Promise<OpenFile> {
    if (this.#open.size + this.#opening >= MAX_HANDLES) {
      throw new GodwitError('try-again', `a program may have ${MAX_HANDLES} files open`);
    }
    this.#opening += 1;
    try {
      const file = await open();
      if (this.#ended) await this.#release(file.handle, mode);
      else this.#open.set(file.handle, mode);
      return file;
    } finally {
      this.#opening -= 1;
    }
  }

  /** A close that is refused (no room for the update) leaves the file open: nothing written is lost. */
  async close({ handle, changed }: FsArguments<'close'>): Promise<Attributes> {
    const mode = this.#take(handle);
    try {
      return await this.fileSystem.close(handle, changed as Parameters<FileSystem['close']>[1]);
    } catch (error) {
      if (!this.#ended) this.#open.set(handle, mode);
      else await this.#release(handle, mode);
      throw error;
    }
  }

  async abandon({ handle }: FsArguments<'abandon'>): Promise<void> {
    this.#take(handle);
    await this.fileSystem.abandon(handle);
  }

  rename(args: FsArguments<'rename'>): Promise<unknown> {
    const rename = args as Rename;
    return this.#groups.around(rename, () => callFileSystem(this.fileSystem, 'rename', args));
  }

  async end(): Promise<void> {
    this.#ended = true;
    const left = [...this.#open];
    this.#open.clear();
    for (const [handle, mode] of left) await this.#release(handle, mode);
  }

  #take(handle: Handle): Mode {
    const mode = this.#open.get(handle);
    if (mode === undefined) throw new GodwitError('bad-handle');
    this.#open.delete(handle);
    return mode;
  }

  async #release(handle: Handle, mode: Mode): Promise<void> {
    try {
      if (mode === 'read') await this.fileSystem.close(handle, null);
      else await this.fileSystem.abandon(handle);
    } catch (error) {
      this.#log.warn('a handle of a control connection could not be released', {
        handle,
        error: (error as Error).message,
      });
    }
  }
}
