/**
 * What a person's programs do, by path, on a daemon's file-system port: contents are written and read at the local paths
 * that the port hands out. One volume; paths begin with a slash.
 */
import { rootOf } from '../../../../shared/model/fid.ts';
import type { Fid, VolumeId } from '../../../../shared/model/fid.ts';
import type { Mtime } from '../../../../shared/model/vnode.ts';
import type {
  Attributes,
  FileSystem,
  Handle,
  NamedAttributes,
  OpenFile,
  Place,
} from '../../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { DiskError } from '../disk/memory-disk.ts';
import type { MemoryDisk } from '../disk/memory-disk.ts';

type AttributeChange = Parameters<FileSystem['setattr']>[1];

const MODE_FILE = 0o644;
const MODE_FOLDER = 0o755;

/** Reads and changes files of a volume by path, as the programs of a person do. */
export class UserFiles {
  readonly #fileSystem: FileSystem;
  readonly #disk: MemoryDisk;
  readonly #volume: VolumeId;

  constructor(fileSystem: FileSystem, disk: MemoryDisk, volume: VolumeId) {
    this.#fileSystem = fileSystem;
    this.#disk = disk;
    this.#volume = volume;
  }

  async look(path: string): Promise<Attributes> {
    if (path === '/') return this.#fileSystem.getattr(rootOf(this.#volume));
    const { dir, name } = await this.place(path);
    return this.#fileSystem.lookup(dir, name);
  }

  async exists(path: string): Promise<boolean> {
    try {
      await this.look(path);
      return true;
    } catch (error) {
      if (error instanceof GodwitError && error.code === 'not-found') return false;
      throw error;
    }
  }

  /** Makes a file or writes an existing one anew; resolves when it is closed. `opened` hears what it is made over. */
  async write(
    path: string,
    content: string | Uint8Array,
    options: { mtime?: Mtime; opened?: (over: Attributes) => void } = {},
  ): Promise<Attributes> {
    const { dir, name } = await this.place(path);
    const opened = await this.#openFor(dir, name);
    options.opened?.(opened.attributes);
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    const { mtime } = options;
    return this.#using(opened.handle, () => {
      this.#disk.write(opened.path, bytes);
      return this.#fileSystem.close(opened.handle, mtime === undefined ? {} : { mtime });
    });
  }

  /** Opens a file that is there as it is, and closes it changed: a log that grows, a database that writes in place. */
  async edit(
    path: string,
    change: (before: Uint8Array) => Uint8Array,
    options: { opened?: (over: Attributes) => void } = {},
  ): Promise<Attributes> {
    const { fid } = await this.look(path);
    const opened = await this.#fileSystem.open(fid, { mode: 'write', truncate: false });
    options.opened?.(opened.attributes);
    return this.#using(opened.handle, () => {
      this.#disk.write(opened.path, change(this.#disk.read(opened.path)));
      return this.#fileSystem.close(opened.handle, {});
    });
  }

  /** Finds a file that is there, opens it after a pause, and writes it anew after another. */
  async saveLate(
    path: string,
    content: Uint8Array,
    { opened, pause }: { opened: (over: Attributes) => void; pause: () => Promise<void> },
  ): Promise<Attributes> {
    const { fid } = await this.look(path);
    await pause();
    const open = await this.#fileSystem.open(fid, { mode: 'write', truncate: true });
    opened(open.attributes);
    return this.#using(open.handle, async () => {
      await pause();
      this.#disk.write(open.path, content);
      return this.#fileSystem.close(open.handle, {});
    });
  }

  /** Opens a file that is there, writes, and thinks better of it. */
  async abandon(path: string, content: Uint8Array): Promise<void> {
    const { fid } = await this.look(path);
    const opened = await this.#fileSystem.open(fid, { mode: 'write', truncate: false });
    return this.#using(opened.handle, () => {
      this.#disk.write(opened.path, content);
      return this.#fileSystem.abandon(opened.handle);
    });
  }

  /** Holds a file open for reading until `meanwhile` is over; gives what it read first and last. */
  async hold(
    path: string,
    meanwhile: (attributes: Attributes, bytes: Uint8Array) => Promise<void>,
  ): Promise<{ readonly first: Uint8Array; readonly last: Uint8Array }> {
    const { fid } = await this.look(path);
    const { attributes, path: local, handle } = await this.#fileSystem.open(fid, { mode: 'read' });
    return this.#using(handle, async () => {
      const first = this.#disk.read(local);
      await meanwhile(attributes, first);
      const last = this.#disk.read(local);
      await this.#fileSystem.close(handle, null);
      return { first, last };
    });
  }

  /** What a program reads that opens the file now. */
  async opened(
    path: string,
  ): Promise<{ readonly attributes: Attributes; readonly bytes: Uint8Array }> {
    const { fid } = await this.look(path);
    const { attributes, path: local, handle } = await this.#fileSystem.open(fid, { mode: 'read' });
    return this.#using(handle, async () => {
      const bytes = this.#disk.read(local);
      await this.#fileSystem.close(handle, null);
      return { attributes, bytes };
    });
  }

  async bytes(path: string): Promise<Uint8Array> {
    return (await this.opened(path)).bytes;
  }

  async read(path: string): Promise<string> {
    return new TextDecoder().decode(await this.bytes(path));
  }

  async mkdir(path: string): Promise<Attributes> {
    const { dir, name } = await this.place(path);
    return this.#fileSystem.mkdir(dir, name, { mode: MODE_FOLDER });
  }

  async symlink(path: string, target: string): Promise<Attributes> {
    const { dir, name } = await this.place(path);
    return this.#fileSystem.symlink(dir, name, target, {});
  }

  async link(existing: string, path: string): Promise<Attributes> {
    const { fid } = await this.look(existing);
    return this.#fileSystem.link(fid, await this.place(path));
  }

  async remove(path: string): Promise<void> {
    return this.#fileSystem.remove(await this.place(path));
  }

  async rmdir(path: string): Promise<void> {
    return this.#fileSystem.rmdir(await this.place(path));
  }

  async rename(from: string, to: string): Promise<void> {
    const [source, target] = [await this.place(from), await this.place(to)];
    return this.#fileSystem.rename(source, target);
  }

  async chmod(path: string, mode: number): Promise<Attributes> {
    return this.setattr(path, { mode });
  }

  async setattr(path: string, change: AttributeChange): Promise<Attributes> {
    const { fid } = await this.look(path);
    return this.#fileSystem.setattr(fid, change);
  }

  async list(path: string): Promise<NamedAttributes[]> {
    const { fid } = await this.look(path);
    return this.#fileSystem.readdir(fid);
  }

  /** Names in a folder. */
  async names(path: string): Promise<string[]> {
    return (await this.list(path)).map(({ name }) => name);
  }

  /** Everything beneath the root as the port shows it, in order of paths. */
  async walk(): Promise<Map<string, Attributes>> {
    const found = new Map<string, Attributes>();
    const visit = async (dir: Fid, path: string): Promise<void> => {
      for (const { name, attributes } of await this.#fileSystem.readdir(dir)) {
        // What it shows is of another volume.
        if (attributes.mounted !== undefined) continue;
        found.set(`${path}/${name}`, attributes);
        if (attributes.kind === 'directory') await visit(attributes.fid, `${path}/${name}`);
      }
    };
    await visit(rootOf(this.#volume), '');
    return found;
  }

  async place(path: string): Promise<Place> {
    const names = path.split('/').slice(1);
    const name = names.pop() ?? '';
    let dir = rootOf(this.#volume);
    for (const [nth, folder] of names.entries()) {
      const onwards = [...names.slice(nth + 1), name];
      dir = (await this.#fileSystem.lookup(dir, folder, onwards)).fid;
    }
    return { dir, name };
  }

  /** A program that can't go on with a file ends, and its files are closed. */
  async #using<T>(handle: Handle, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.#fileSystem.abandon(handle).catch(() => undefined);
      throw asMet(error);
    }
  }

  async #openFor(dir: Fid, name: string): Promise<OpenFile> {
    const fid = await this.#find(dir, name);
    if (fid !== null) return this.#fileSystem.open(fid, { mode: 'write', truncate: true });
    // Programs differ in that: some make a file first, and open it then.
    if (name.length % 2 === 0) {
      return this.#fileSystem.createOpen(dir, name, { mode: MODE_FILE });
    }
    const made = await this.#fileSystem.create(dir, name, { mode: MODE_FILE });
    return this.#fileSystem.open(made.fid, { mode: 'write', truncate: true });
  }

  async #find(dir: Fid, name: string): Promise<Fid | null> {
    try {
      return (await this.#fileSystem.lookup(dir, name)).fid;
    } catch (error) {
      if (!(error instanceof GodwitError) || error.code !== 'not-found') throw error;
      return null;
    }
  }
}

/** The errors of a program's own reads and writes: those of the system. */
function asMet(error: unknown): unknown {
  if (!(error instanceof DiskError)) return error;
  return new GodwitError(error.code === 'ENOSPC' ? 'disk-full' : 'disk-failing', error.message);
}
