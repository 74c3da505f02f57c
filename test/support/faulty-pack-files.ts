/**
 * The disk calls of packs on a real folder, of which some fail, or are the last before the process or the machine ends. Nothing is
 * really synced: the machine goes on, and what it would have lost is taken away by `loseUnsynced`.
 */
import { closeSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs';
import {
  nodePackFiles,
  type PackFile,
  type PackFiles,
} from '../../server/adapters/content-packs/pack-files.ts';

/** Disk calls that a test can make fail. */
export class FaultyPackFiles implements PackFiles {
  /** Every call, as `what name`. */
  readonly calls: string[] = [];
  /** Numbers of calls, from 1, that fail. */
  failing: ReadonlySet<number> = new Set();
  /** Selects further calls that fail; null selects none. */
  fails: ((call: string) => boolean) | null = null;
  /** The process ends after this many calls. */
  lastCall = Infinity;
  errorCode = 'EIO';
  /** Calls with this beginning wait in `held`. */
  hold: string | null = null;
  readonly held: Array<() => void> = [];
  /** The synced length of each pack. */
  readonly #synced = new Map<string, number>();

  get isOver(): boolean {
    return this.calls.length >= this.lastCall;
  }

  /** Simulates a loss of power: unsynced bytes keep their length, and `kept` says what is in them. */
  loseUnsynced(kept: 'zeros' | 'half'): void {
    for (const [path, synced] of this.#synced) {
      const written = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (written <= synced) continue;
      const good = kept === 'half' ? synced + Math.floor((written - synced) / 2) : synced;
      const file = openSync(path, 'r+');
      ftruncateSync(file, good);
      writeSync(file, Buffer.alloc(written - good), 0, written - good, good);
      closeSync(file);
    }
  }

  makeFolder = (path: string) => this.#call('make', path, () => nodePackFiles.makeFolder(path));
  syncFolder = (path: string) => this.#call('sync folder', path, () => Promise.resolve());
  list = (folder: string) => this.#call('list', folder, () => nodePackFiles.list(folder));
  rename = (from: string, to: string) =>
    this.#call('rename', from, () => nodePackFiles.rename(from, to));
  remove = (path: string) => this.#call('remove', path, () => nodePackFiles.remove(path));
  readSmall = (path: string, most: number) =>
    this.#call('read small', path, () => nodePackFiles.readSmall(path, most));
  readPart = (path: string, at: number, length: number) =>
    this.#call('read part', path, () => nodePackFiles.readPart(path, at, length));

  create = (path: string) =>
    this.#call('create', path, async () => {
      this.#synced.set(path, 0);
      return this.#watched(path, await nodePackFiles.create(path));
    });

  open = (path: string) =>
    this.#call('open', path, async () => this.#watched(path, await nodePackFiles.open(path)));

  #watched(path: string, file: PackFile): PackFile {
    return {
      write: (bytes, at) => this.#call('write', path, () => file.write(bytes, at)),
      sync: () =>
        this.#call('sync', path, async () => {
          this.#synced.set(path, await file.length());
        }),
      truncate: (length) => this.#call('truncate', path, () => file.truncate(length)),
      length: () => this.#call('length', path, () => file.length()),
      read: (at, length) => this.#call('read', path, () => file.read(at, length)),
      readInto: (buffer, at) => this.#call('read', path, () => file.readInto(buffer, at)),
      // A process that ends closes its files, whatever it could not do.
      close: () => file.close(),
    };
  }

  async #call<T>(what: string, path: string, work: () => Promise<T>): Promise<T> {
    if (this.isOver) throw Object.assign(new Error('the process has ended'), { code: 'ENDED' });
    const call = `${what} ${path.split('/').at(-1)}`;
    const number = this.calls.push(call);
    if (this.hold !== null && call.startsWith(this.hold)) {
      await new Promise<void>((resolve) => this.held.push(resolve));
    }
    if (this.failing.has(number) || this.fails?.(call) === true) {
      throw Object.assign(new Error(this.errorCode), { code: this.errorCode });
    }
    return work();
  }
}
