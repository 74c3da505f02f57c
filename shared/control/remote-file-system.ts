/**
 * The file-system port over the control socket, for programs: `godwit cat`, the replay tool, tests.
 *
 * `observed` is for front ends inside the daemon and does not travel. Handles end with the client.
 */
import type { Fid, VolumeId } from '../model/fid.ts';
import type {
  Attributes,
  FileSystem,
  Handle,
  MakeOptions,
  NamedAttributes,
  OpenFile,
  Place,
  RemoveOptions,
  RenameOptions,
} from '../ports/file-system.ts';
import type { VolumeInfo } from '../model/change.ts';
import { GodwitError } from '../wire/error-codes.ts';
import { MAX_ONWARDS } from './arguments.ts';
import type { CallConnection, CallSocket } from './call-socket.ts';
import type { Lanes } from './lanes.ts';
import type { FsOperationName } from './file-operations.ts';

/**
 * The file-system port of a daemon, called over its control socket. It rejects with the daemon's
 * GodwitError.
 */
export class RemoteFileSystem implements FileSystem {
  readonly #calls: CallSocket;
  readonly #lanes: Lanes;
  readonly #opened = new Map<Handle, CallConnection>();

  constructor(calls: CallSocket, lanes: Lanes) {
    this.#calls = calls;
    this.#lanes = lanes;
  }

  volumes(): Promise<VolumeInfo[]> {
    return this.#call('volumes', {});
  }
  lookup(dir: Fid, name: string, onwards: readonly string[] = []): Promise<Attributes> {
    const next = onwards.slice(0, MAX_ONWARDS);
    return this.#call('lookup', { dir, name, ...(next.length === 0 ? {} : { onwards: next }) });
  }
  getattr(fid: Fid): Promise<Attributes> {
    return this.#call('getattr', { fid });
  }
  readdir(dir: Fid): Promise<NamedAttributes[]> {
    return this.#call('readdir', { dir });
  }
  create(dir: Fid, name: string, options: MakeOptions): Promise<Attributes> {
    return this.#call('create', { dir, name, options: forPrograms(options) });
  }
  createOpen(dir: Fid, name: string, options: MakeOptions): Promise<OpenFile> {
    return this.#begin('createOpen', { dir, name, options: forPrograms(options) });
  }
  mkdir(dir: Fid, name: string, options: MakeOptions): Promise<Attributes> {
    return this.#call('mkdir', { dir, name, options: forPrograms(options) });
  }
  symlink(
    dir: Fid,
    name: string,
    target: string,
    options: Omit<MakeOptions, 'mode' | 'xattrs'>,
  ): Promise<Attributes> {
    return this.#call('symlink', { dir, name, target, options: forPrograms(options) });
  }
  link(fid: Fid, place: Place): Promise<Attributes> {
    return this.#call('link', { fid, place });
  }
  remove(place: Place, { only }: RemoveOptions = {}): Promise<void> {
    if (only === undefined) return this.#call('remove', { place });
    // Callers may pass an object with more fields.
    const { fid, version } = only;
    return this.#call('remove', { place, options: { only: { fid, version } } });
  }
  rmdir(place: Place, { unmounts }: RemoveOptions = {}): Promise<void> {
    return this.#call('rmdir', { place, ...(unmounts === true ? { options: { unmounts } } : {}) });
  }
  rename(from: Place, to: Place, { noReplace, only }: RenameOptions = {}): Promise<void> {
    const options = {
      ...(noReplace === undefined ? {} : { noReplace }),
      ...(only === undefined ? {} : { only: { fid: only.fid, version: only.version } }),
    };
    const isPlain = Object.keys(options).length === 0;
    return this.#call('rename', { from, to, ...(isPlain ? {} : { options }) });
  }
  setattr(fid: Fid, change: Parameters<FileSystem['setattr']>[1]): Promise<Attributes> {
    return this.#call('setattr', { fid, change });
  }

  open(fid: Fid, how: Parameters<FileSystem['open']>[1]): Promise<OpenFile> {
    return this.#begin('open', { fid, how });
  }

  close(handle: Handle, changed: Parameters<FileSystem['close']>[1]): Promise<Attributes> {
    return this.#end('close', handle, { handle, changed });
  }

  abandon(handle: Handle): Promise<void> {
    return this.#end('abandon', handle, { handle });
  }

  /** Programs flush the whole daemon with the command of that name, which scans first. */
  async flush(_volume: VolumeId, timeoutMs: number | null): Promise<void> {
    await this.#lanes.callAlone({
      method: 'POST',
      path: '/v1/command/flush',
      body: { timeoutMs },
    });
  }

  async #begin(operation: FsOperationName, args: unknown): Promise<OpenFile> {
    const { connection } = this.#calls;
    const file = await this.#call<OpenFile>(operation, args, connection);
    this.#opened.set(file.handle, connection);
    return file;
  }

  async #end<T>(operation: FsOperationName, handle: Handle, args: unknown): Promise<T> {
    const connection = this.#opened.get(handle);
    if (connection === undefined) throw new GodwitError('bad-handle');
    try {
      const result = await this.#call<T>(operation, args, connection);
      this.#opened.delete(handle);
      return result;
    } catch (error) {
      // With its connection everything that was opened on it has ended.
      if (connection.hasEnded) this.#opened.delete(handle);
      throw error;
    }
  }

  async #call<T>(
    operation: FsOperationName,
    args: unknown,
    connection?: CallConnection,
  ): Promise<T> {
    return (await (connection ?? this.#calls.connection).call(operation, args)) as T;
  }
}

function forPrograms<T extends { readonly observed?: boolean }>(options: T): T {
  const { ...rest } = options;
  delete (rest as { observed?: boolean }).observed;
  return rest;
}
