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
const IS_LITTLE = endianness() === 'LE';

/** Watches on directories by inotify, through the native addon. */
export class NativeWatches implements DirectoryWatches {
  readonly #events: DirectoryEvents;
  readonly #id: number;
  #isClosed = false;

  /** Throws EMFILE where the system gives no more of these. */
  constructor(events: DirectoryEvents) {
    this.#events = events;
    this.#id = native.watchesOpen(() => this.#take());
  }

  add(path: string, follow: boolean): number {
    return native.watchesAdd(this.#id, path, follow);
  }

  remove(watch: number): void {
    native.watchesRemove(this.#id, watch);
  }

  close(): void {
    this.#isClosed = true;
    native.watchesClose(this.#id);
  }

  #take(): void {
    if (this.#isClosed) return;
    const bytes = native.watchesTake(this.#id, TURN_BYTES);
    if (bytes.length === 0) return;
    setImmediate(() => this.#take());
    for (const event of readEvents(bytes)) {
      if (this.#isClosed) return;
      if (event === 'lost') this.#events.lost();
      else this.#events.happened(event);
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
