/** The file-system port over the core. */
import type { VolumeInfo } from '../../shared/model/change.ts';
import type { Fid, VolumeId } from '../../shared/model/fid.ts';
import type { FileStore } from '../../shared/ports/file-store.ts';
import type {
  AttributeChange,
  Attributes,
  ChangeOptions,
  Changed,
  FileSystem,
  Handle,
  MakeOptions,
  NamedAttributes,
  OpenFile,
  OpenHow,
  Place,
  RemoveOptions,
  RenameOptions,
} from '../../shared/ports/file-system.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { Call } from '../core/events.ts';
import type { OpenedContent } from '../core/calls/open-files.ts';
import type { AnsweredWhen, CallBroker } from './call-broker.ts';

/**
 * The file-system port over the core. It rejects with a GodwitError, as the port's contract says.
 */
export class CoreFileSystem implements FileSystem {
  readonly #broker: CallBroker;
  readonly #fileStore: FileStore;
  readonly #flush: (volume: VolumeId, timeoutMs: number | null) => Promise<void>;
  readonly #when: AnsweredWhen;
  readonly #crosses: boolean;
  /** Contents whose callers bring them. */
  readonly #bare = new Map<Handle, string>();

  /** `when` as in CallBroker; `crosses`: names lead across mount points. */
  constructor(
    broker: CallBroker,
    fileStore: FileStore,
    flush: (volume: VolumeId, timeoutMs: number | null) => Promise<void>,
    when: AnsweredWhen,
    crosses = false,
  ) {
    this.#broker = broker;
    this.#crosses = crosses;
    this.#when = when;
    this.#fileStore = fileStore;
    this.#flush = flush;
  }

  volumes(): Promise<VolumeInfo[]> {
    return this.#call({ op: 'volumes' });
  }

  lookup(dir: Fid, name: string, onwards: readonly string[] = []): Promise<Attributes> {
    const way = onwards.length === 0 ? {} : { onwards };
    return this.#call({ op: 'lookup', dir, name, crosses: this.#crosses, ...way });
  }

  getattr(fid: Fid): Promise<Attributes> {
    return this.#call({ op: 'getattr', fid });
  }

  readdir(dir: Fid): Promise<NamedAttributes[]> {
    return this.#call({ op: 'readdir', dir, crosses: this.#crosses });
  }

  create(dir: Fid, name: string, options: MakeOptions): Promise<Attributes> {
    return this.#call({ op: 'create', dir, name, options });
  }

  async createOpen(dir: Fid, name: string, options: MakeOptions): Promise<OpenFile> {
    const made = { op: 'create-open', dir, name, options } as const;
    const { handle, content, attributes } = await this.#call<OpenedContent>(made);
    return { handle, path: this.#fileStore.pathOf(content), attributes };
  }

  mkdir(dir: Fid, name: string, options: MakeOptions): Promise<Attributes> {
    return this.#call({ op: 'mkdir', dir, name, options });
  }

  symlink(
    dir: Fid,
    name: string,
    target: string,
    options: Omit<MakeOptions, 'mode' | 'xattrs'>,
  ): Promise<Attributes> {
    return this.#call({ op: 'symlink', dir, name, target, options });
  }

  link(fid: Fid, place: Place, options: ChangeOptions = {}): Promise<Attributes> {
    return this.#call({ op: 'link', fid, place, options });
  }

  async remove(place: Place, options: RemoveOptions = {}): Promise<void> {
    await this.#call({ op: 'remove', place, options });
  }

  async rmdir(place: Place, options: RemoveOptions = {}): Promise<void> {
    await this.#call({ op: 'rmdir', place, options });
  }

  async rename(from: Place, to: Place, options: RenameOptions = {}): Promise<void> {
    await this.#call({ op: 'rename', from, to, options });
  }

  setattr(fid: Fid, change: AttributeChange): Promise<Attributes> {
    return this.#call({ op: 'setattr', fid, change });
  }

  async open(fid: Fid, how: OpenHow): Promise<OpenFile> {
    const { handle, content, attributes } = await this.#call<OpenedContent>({
      ...{ op: 'open', fid, how },
    });
    if (how.mode === 'write') {
      if (how.bare === true) this.#bare.set(handle, content);
      return { handle, path: this.#fileStore.pathOf(content), attributes };
    }
    try {
      return { handle, path: await this.#fileStore.fileOf(content), attributes };
    } catch (error) {
      await this.#call({ op: 'close', handle, changed: null });
      throw error;
    }
  }

  async close(handle: Handle, changed: Changed | null): Promise<Attributes> {
    const { bytes, ...attributes } = changed ?? {};
    const content = this.#bare.get(handle);
    if (bytes !== undefined) {
      if (content === undefined) throw new GodwitError('bad-handle', 'it was not opened bare');
      this.#fileStore.hold(content, bytes);
    }
    const closed = await this.#call<Attributes>({
      ...{ op: 'close', handle, changed: changed && attributes },
    });
    this.#bare.delete(handle);
    return closed;
  }

  async abandon(handle: Handle): Promise<void> {
    this.#bare.delete(handle);
    await this.#call({ op: 'abandon', handle });
  }

  flush(volume: VolumeId, timeoutMs: number | null): Promise<void> {
    return this.#flush(volume, timeoutMs);
  }

  #call<T>(what: Call): Promise<T> {
    return this.#broker.call(what, null, this.#when);
  }
}
