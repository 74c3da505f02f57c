/**
 * A FileSystem that lets be recorded what is done through it, when it is done, and how it ended. It does nothing else.
 *
 * The port tells opens and closes and not what a program reads between them, so an open to read counts as a read of the whole file, and
 * the close of a changed one as a write of it.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type {
  Attributes,
  ChangeOptions,
  FileSystem,
  Handle,
  MakeOptions,
  OpenFile,
  Place,
  RemoveOptions,
  RenameOptions,
} from '../../../../shared/ports/file-system.ts';
import type { Actor } from '../../../../shared/ports/recordings.ts';
import { flagsOf, type TraceFlag, type TraceRecord } from '../record.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';

export type UntimedRecord = Omit<TraceRecord, 'at' | 'client' | 'home' | 'pid' | 'program'>;

/** Who records. */
export interface Listener {
  /** Somebody wants to know. */
  readonly isOn: boolean;
  /** What has been done just now. */
  note(actor: Actor, told: UntimedRecord): void;
}

type OpenHow = Parameters<FileSystem['open']>[1];

/** Passes calls on to a FileSystem, and notes each with its result while somebody records. */
export class RecordingFileSystem implements FileSystem {
  readonly #inner: FileSystem;
  readonly #actor: Actor;
  readonly #recorder: Listener;
  /** What was opened here while somebody recorded. */
  readonly #open = new Map<Handle, Fid>();

  constructor(inner: FileSystem, actor: Actor, recorder: Listener) {
    this.#inner = inner;
    this.#actor = actor;
    this.#recorder = recorder;
  }

  volumes(): ReturnType<FileSystem['volumes']> {
    return this.#inner.volumes();
  }

  flush(...args: Parameters<FileSystem['flush']>): Promise<void> {
    return this.#inner.flush(...args);
  }

  lookup(...[dir, name, onwards]: Parameters<FileSystem['lookup']>): Promise<Attributes> {
    const told = { op: 'getattr', dir, path: name } as const;
    return this.#noted(this.#inner.lookup(dir, name, onwards), told, sized);
  }

  getattr(fid: Fid): Promise<Attributes> {
    return this.#noted(this.#inner.getattr(fid), { op: 'getattr', fid }, sized);
  }

  readdir(dir: Fid): ReturnType<FileSystem['readdir']> {
    const told = { op: 'readdir', fid: dir, flags: flagsOf('directory') } as const;
    return this.#noted(this.#inner.readdir(dir), told);
  }

  create(dir: Fid, name: string, options: MakeOptions): Promise<Attributes> {
    const told = { op: 'create', dir, path: name, flags: seen(options.observed) } as const;
    // The port makes files without opening them.
    return this.#noted(this.#inner.create(dir, name, options), told, named, ({ fid }) => [
      { op: 'close', fid },
    ]);
  }

  createOpen(dir: Fid, name: string, options: MakeOptions): Promise<OpenFile> {
    const told = { op: 'create', dir, path: name, flags: seen(options.observed) } as const;
    return this.#opened(this.#inner.createOpen(dir, name, options), told, ({ attributes }) => ({
      fid: attributes.fid,
    }));
  }

  mkdir(dir: Fid, name: string, options: MakeOptions): Promise<Attributes> {
    const told = { op: 'mkdir', dir, path: name, flags: seen(options.observed) } as const;
    return this.#noted(this.#inner.mkdir(dir, name, options), told, named);
  }

  symlink(...args: Parameters<FileSystem['symlink']>): Promise<Attributes> {
    const [dir, name, target, options] = args;
    const flags = seen(options.observed);
    const told = { op: 'symlink', dir, path: name, to: target, flags } as const;
    return this.#noted(this.#inner.symlink(...args), told, named);
  }

  link(fid: Fid, place: Place, options?: ChangeOptions): Promise<Attributes> {
    const flags = seen(options?.observed);
    const told = { op: 'link', fid, toDir: place.dir, to: place.name, flags } as const;
    return this.#noted(this.#inner.link(fid, place, options), told);
  }

  remove(place: Place, options?: RemoveOptions): Promise<void> {
    const told = { op: 'remove', dir: place.dir, path: place.name } as const;
    const flags = seen(options?.observed);
    return this.#noted(this.#inner.remove(place, options), { ...told, flags });
  }

  rmdir(place: Place, options?: ChangeOptions): Promise<void> {
    const told = { op: 'rmdir', dir: place.dir, path: place.name } as const;
    const flags = seen(options?.observed);
    return this.#noted(this.#inner.rmdir(place, options), { ...told, flags });
  }

  rename(from: Place, to: Place, options?: RenameOptions): Promise<void> {
    const told = { dir: from.dir, path: from.name, toDir: to.dir, to: to.name };
    // An observed move gives what it replaced, which may be nothing.
    const flags = seen(options?.moved ?? options?.observed);
    return this.#noted(this.#inner.rename(from, to, options), { op: 'rename', ...told, flags });
  }

  setattr(fid: Fid, change: Parameters<FileSystem['setattr']>[1]): Promise<Attributes> {
    return this.#noted(this.#inner.setattr(fid, change), { op: 'setattr', fid });
  }

  open(fid: Fid, how: OpenHow): Promise<OpenFile> {
    const reads = how.mode === 'read';
    const told = { op: 'open', fid } as const;
    const flags = flagsOf(
      how.mode,
      !reads && how.truncate && 'truncate',
      'whole',
      !reads && how.base !== undefined && 'observed',
    );
    return this.#opened(
      this.#inner.open(fid, how),
      { ...told, flags },
      ({ attributes }) => ({ size: attributes.size }),
      ({ attributes: { size } }) =>
        reads ? [{ op: 'read', fid, offset: 0, length: size, flags: flagsOf('whole') }] : [],
    );
  }

  #opened(
    opened: Promise<OpenFile>,
    told: UntimedRecord,
    more: (file: OpenFile) => Partial<UntimedRecord>,
    after?: (file: OpenFile) => readonly UntimedRecord[],
  ): Promise<OpenFile> {
    if (!this.#recorder.isOn) return opened;
    const known = opened.then((file) => {
      this.#open.set(file.handle, told.fid ?? file.attributes.fid);
      return file;
    });
    return this.#noted(known, told, more, after);
  }

  close(...[handle, changed]: Parameters<FileSystem['close']>): Promise<Attributes> {
    const fid = this.#open.get(handle);
    const closed = this.#inner.close(handle, changed);
    if (fid === undefined) return closed;
    return this.#noted(closed, { op: 'close', fid }, undefined, undefined, ({ size }) => {
      this.#open.delete(handle);
      if (changed === null) return [];
      return [{ op: 'write', fid, offset: 0, length: size, flags: flagsOf('whole') }];
    });
  }

  abandon(handle: Handle): Promise<void> {
    const fid = this.#open.get(handle);
    const abandoned = this.#inner.abandon(handle);
    if (fid === undefined) return abandoned;
    this.#open.delete(handle);
    return this.#noted(abandoned, { op: 'close', fid, flags: flagsOf('abandoned') });
  }

  /** `more`: fields that its result adds to the record; `after` and `before`: other records that its result is worth. */
  #noted<T>(
    work: Promise<T>,
    told: UntimedRecord,
    more: (result: T) => Partial<UntimedRecord> = () => ({}),
    after: (result: T) => readonly UntimedRecord[] = () => [],
    before: (result: T) => readonly UntimedRecord[] = () => [],
  ): Promise<T> {
    if (!this.#recorder.isOn && this.#open.size === 0) return work;
    return work.then(
      (result) => {
        const all = [...before(result), { ...told, ...more(result) }, ...after(result)];
        for (const each of all) this.#recorder.note(this.#actor, each);
        return result;
      },
      (error: unknown) => {
        const flags = flagsOf(...(told.flags ?? []), refusal(error));
        this.#recorder.note(this.#actor, { ...told, flags });
        throw error;
      },
    );
  }
}

const seen = (observed: unknown): readonly TraceFlag[] | undefined =>
  flagsOf(observed !== undefined && observed !== false && 'observed');

const sized = ({ fid, kind, size }: Attributes): Partial<UntimedRecord> => ({
  fid,
  ...(kind === 'file' ? { size } : { flags: flagsOf(kind === 'directory' && 'directory') }),
});

const named = ({ fid }: Attributes): Partial<UntimedRecord> => ({ fid });

function refusal(error: unknown): TraceFlag {
  const code = error instanceof GodwitError ? error.code : null;
  return code === 'not-found' || code === 'no-such-vnode' ? 'not-found' : 'failed';
}
