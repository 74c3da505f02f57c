/** Watches of directories on the native addon, in turns: what waits beyond one lets other work of this thread go first. */
import { endianness } from 'node:os';
import { setImmediate } from 'node:timers';
import type { DirectoryEvents, DirectoryWatches } from '../ports/host.ts';
import { native } from './binding.ts';

/** About a thousand events: some milliseconds of work. */
const TURN_BYTES = 32 * 1024;

const IN_Q_OVERFLOW = 0x4000;
const IN_IGNORED = 0x8000;
const IN_UNMOUNT = 0x2000;
const IN_ISDIR = 0x40000000;
/** Watch, mask, cookie, length: 32 bits each, in the machine's own order. */
const HEADER_BYTES = 16;
/** Nobody syncs it, so it is watched for nothing else. */
const ELSEWHERE = '/';
const IS_LITTLE = endianness() === 'LE';

/** Watches on directories by inotify, through the native addon. */
export class NativeWatches implements DirectoryWatches {
  readonly #events: DirectoryEvents;
  readonly #id: number;
  /** Those of directories that somebody wants to hear of. */
  readonly #numbers = new Set<number>();
  /** A watch that has just ended, and who waits for its end. */
  #ending: { readonly watch: number; readonly heard: () => void } | null = null;
  #hearing: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** Throws EMFILE where the system gives no more of these. */
  constructor(events: DirectoryEvents) {
    this.#events = events;
    this.#id = native.watchesOpen(() => this.#take());
  }

  add(path: string, follow: boolean): number {
    const watch = native.watchesAdd(this.#id, path, follow);
    this.#numbers.add(watch);
    return watch;
  }

  remove(watch: number): void {
    this.#numbers.delete(watch);
    native.watchesRemove(this.#id, watch);
  }

  hear(): Promise<void> {
    this.#hearing = this.#hearing.then(() => this.#hearOnce());
    return this.#hearing;
  }

  /** The kernel tells in one order: a watch is made and ended, and the end of it comes after all that happened before. */
  #hearOnce(): Promise<void> {
    const watch = this.#isClosed ? null : this.#watchElsewhere();
    if (watch === null) return Promise.resolve();
    const heard = new Promise<void>((resolve) => (this.#ending = { watch, heard: resolve }));
    native.watchesRemove(this.#id, watch);
    return heard;
  }

  /** null: the system gives none. */
  #watchElsewhere(): number | null {
    try {
      const watch = native.watchesAdd(this.#id, ELSEWHERE, true);
      return this.#numbers.has(watch) ? null : watch;
    } catch {
      return null;
    }
  }

  #heard(): void {
    this.#ending?.heard();
    this.#ending = null;
  }

  close(): void {
    this.#isClosed = true;
    this.#heard();
    native.watchesClose(this.#id);
  }

  #take(): void {
    if (this.#isClosed) return;
    const bytes = native.watchesTake(this.#id, TURN_BYTES);
    if (bytes.length === 0) return;
    setImmediate(() => this.#take());
    for (const event of readEvents(bytes)) {
      if (this.#isClosed) return;
      if (event === 'lost') {
        this.#events.lost();
        this.#heard();
      } else if (event.watch !== this.#ending?.watch) this.#events.happened(event);
      else if (event.isEnded) this.#heard();
    }
  }
}

type WatchEvent = Parameters<DirectoryEvents['happened']>[0] | 'lost';

function* readEvents(bytes: Uint8Array): Generator<WatchEvent> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + HEADER_BYTES <= bytes.length;) {
    const watch = view.getInt32(at, IS_LITTLE);
    const mask = view.getUint32(at + 4, IS_LITTLE);
    const length = view.getUint32(at + 12, IS_LITTLE);
    const name = textOf(bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length));
    at += HEADER_BYTES + length;
    if ((mask & IN_Q_OVERFLOW) !== 0) yield 'lost';
    else {
      yield {
        watch,
        name,
        isDirectory: (mask & IN_ISDIR) !== 0,
        isEnded: (mask & (IN_IGNORED | IN_UNMOUNT)) !== 0,
      };
    }
  }
}

/** NULs fill it up. null: there is none. */
function textOf(bytes: Uint8Array): string | null {
  const end = bytes.indexOf(0);
  const name = end < 0 ? bytes : bytes.subarray(0, end);
  return name.length === 0 ? null : Buffer.from(name).toString('utf8');
}
