/**
 * Deltas between contents that are here, for those who have the one and fetch the other (rule D2).
 *
 * A delta is a function of the two contents, so who comes back for the rest of one gets the same stream; what was made is kept for
 * a while all the same, and given to whoever asks for these two next. The right to both was looked at before. What came with a store is kept as
 * well, once it has made the contents that it says: mostly others have the version before, and nothing has to be made for them.
 *
 * Invariants
 * 1. So many are made at a time, in the order of their class and arrival; where too many wait, the contents are sent whole at once.
 * 2. A file that somebody uses stays; the others go when there are too many, the one least lately used first.
 */
import type { ContentStore, Located } from '../../shared/ports/content-store.ts';
import type { Delta, MadeContent } from '../../shared/ports/delta.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { StreamFiles } from '../../shared/ports/stream-files.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { KnownContent } from '../core/events.ts';
import {
  CHUNK_LIST_BYTES,
  KEPT_DELTAS,
  KEPT_DELTA_BYTES,
  MAX_DEVICE_WAITING_DELTAS,
  MAX_WAITING_DELTAS,
} from '../limits.ts';
import type { Turn, WorkQueue } from './work-queue.ts';

interface Ports {
  readonly delta: Delta;
  readonly files: StreamFiles;
  readonly contentStore: ContentStore;
  readonly log: Log;
}

/** A delta in use; whoever got it gives it back. */
export interface DeltaInUse extends MadeContent {
  readonly path: string;
  /** `spoilt`: the file is not what it was. */
  giveBack(spoilt?: boolean): void;
}

export interface Asker extends Turn {
  /** Is anybody there still to have it? */
  readonly isThere: () => boolean;
}

interface Made extends MadeContent {
  readonly path: string;
}

interface Entry {
  /** null: no delta is worth it. Undefined: it is being made. */
  made: Made | null | undefined;
  done: Promise<Made | null>;
  readonly askers: Asker[];
  users: number;
}

/** Makes deltas between two contents, and keeps the recent ones; counts and bytes are bounded. */
export class DeltaMaker {
  readonly #ports: Ports;
  readonly #queue: WorkQueue;
  readonly #makeRoom: () => Promise<boolean>;
  readonly #kept: { readonly count: number; readonly bytes: number };
  /** By the two digests, the least lately used first. */
  readonly #entries = new Map<string, Entry>();
  /** Chunk lists by digest, the least lately used first. */
  readonly #lists = new Map<string, Uint8Array>();
  #listBytes = 0;

  constructor(
    ports: Ports,
    queue: WorkQueue,
    makeRoom: () => Promise<boolean>,
    kept = { count: KEPT_DELTAS, bytes: KEPT_DELTA_BYTES },
  ) {
    this.#ports = ports;
    this.#kept = kept;
    this.#queue = queue;
    this.#makeRoom = makeRoom;
  }

  get paths(): string[] {
    return [...this.#entries.values()].flatMap(({ made }) => made?.path ?? []);
  }

  get inUse(): number {
    return [...this.#entries.values()].filter(({ users }) => users > 0).length;
  }

  /** null: the contents had better be sent whole. */
  async make(base: KnownContent, content: KnownContent, asker: Asker): Promise<DeltaInUse | null> {
    const key = `${base.digest} ${content.digest}`;
    const known = this.#entries.get(key);
    if (known?.made === undefined) known?.askers.push(asker);
    if (known !== undefined) this.#touch(key, known);
    const entry = known ?? this.#begin(key, base, content, asker);
    if (entry === null) return null;
    entry.users++;
    const made = await entry.done;
    if (made === null) {
      this.#givenBack(key, entry, false);
      return null;
    }
    let isOurs = true;
    const giveBack = (spoilt = false): void => {
      if (isOurs) this.#givenBack(key, entry, spoilt);
      isOurs = false;
    };
    return { ...made, giveBack };
  }

  /** One that came with a store, and has made these contents of that base: its file is ours from now on. */
  async keep(base: KnownContent, content: KnownContent, came: Made): Promise<void> {
    const key = `${base.digest} ${content.digest}`;
    try {
      if (this.#entries.has(key) || !isWorth(came, content)) return await this.#remove(came.path);
      const made = { ...came, path: await this.#ports.files.moveIn(came.path) };
      if (this.#entries.has(key)) return await this.#remove(made.path);
      this.#entries.set(key, { made, done: Promise.resolve(made), askers: [], users: 0 });
      this.#trim();
    } catch (error) {
      this.#ports.log.warn('a delta could not be kept', { error: String(error) });
      await this.#remove(came.path);
    }
  }

  /** The disk is full. True: something went. */
  async clear(): Promise<boolean> {
    const idle = [...this.#entries].filter(
      ([, { users, made }]) => users === 0 && made !== undefined,
    );
    for (const [key] of idle) this.#entries.delete(key);
    const paths = idle.flatMap(([, { made }]) => made?.path ?? []);
    for (const path of paths) await this.#remove(path);
    return paths.length > 0;
  }

  /** When nothing is being made; nobody uses any. */
  async close(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ done }) => done));
    await this.clear();
  }

  #begin(key: string, base: KnownContent, content: KnownContent, asker: Asker): Entry | null {
    const { waiting } = this.#queue;
    if (waiting >= MAX_WAITING_DELTAS) return null;
    if (this.#queue.waitingOf(asker.whose) >= MAX_DEVICE_WAITING_DELTAS) return null;
    const askers = [asker];
    const entry: Entry = { made: undefined, done: Promise.resolve(null), askers, users: 0 };
    this.#entries.set(key, entry);
    // Where the queue is free it is begun at once, and over at once where the asker has gone already.
    entry.done = this.#queue.run(asker, async () => {
      const isWanted = askers.some(({ isThere }) => isThere());
      const made = isWanted ? await this.#made(base, content) : undefined;
      // What failed, or nobody waited for, may be asked for again.
      if (made === undefined) this.#entries.delete(key);
      entry.made = made ?? null;
      askers.length = 0;
      return made ?? null;
    });
    return entry;
  }

  /** null: not worth it; undefined: it could not be made. */
  async #made(base: KnownContent, content: KnownContent): Promise<Made | null | undefined> {
    try {
      return await this.#try(base, content);
    } catch (error) {
      const isFull = error instanceof GodwitError && error.code === 'disk-full';
      if (isFull) await this.#makeRoom();
      this.#ports.log.warn('a delta could not be made', { error: String(error) });
      return undefined;
    }
  }

  async #try(base: KnownContent, content: KnownContent): Promise<Made | null | undefined> {
    const { delta, files } = this.#ports;
    const [from, to] = [await this.#located(base), await this.#located(content)];
    if (from === null || to === null) return undefined;
    const list = this.#lists.get(base.digest) ?? (await delta.list(from, null));
    this.#remember(base.digest, list);
    const path = files.newPath();
    const made = (await delta.make(list, to, path)).delta;
    return made === null ? null : { ...made, path };
  }

  async #located({ digest, length }: KnownContent): Promise<Located | null> {
    const found = await this.#ports.contentStore.locate(digest);
    return found?.length === length ? found : null;
  }

  #remember(digest: string, list: Uint8Array): void {
    this.#listBytes += list.length - (this.#lists.get(digest)?.length ?? 0);
    this.#lists.delete(digest);
    this.#lists.set(digest, list);
    for (const [oldest, { length }] of this.#lists) {
      if (this.#listBytes <= CHUNK_LIST_BYTES) return;
      this.#lists.delete(oldest);
      this.#listBytes -= length;
    }
  }

  #touch(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
  }

  #givenBack(key: string, entry: Entry, spoilt: boolean): void {
    entry.users--;
    const isKnown = this.#entries.get(key) === entry;
    if (spoilt && isKnown) this.#entries.delete(key);
    const isLeft = this.#entries.get(key) === entry;
    if (!isLeft && entry.users === 0 && entry.made) void this.#remove(entry.made.path);
    this.#trim();
  }

  #trim(): void {
    let bytes = 0;
    let count = 0;
    for (const { made } of this.#entries.values()) {
      bytes += made?.length ?? 0;
      count += 1;
    }
    for (const [key, { users, made }] of this.#entries) {
      if (bytes <= this.#kept.bytes && count <= this.#kept.count) return;
      if (users > 0 || made === undefined) continue;
      this.#entries.delete(key);
      count -= 1;
      bytes -= made?.length ?? 0;
      if (made !== null) void this.#remove(made.path);
    }
  }

  async #remove(path: string): Promise<void> {
    try {
      await this.#ports.files.discard(path);
    } catch (error) {
      this.#ports.log.warn('a file of a stream could not be removed', { error: String(error) });
    }
  }
}

/** As the Delta port has it: shorter than three quarters. */
function isWorth({ length }: MadeContent, content: KnownContent): boolean {
  return length * 4 < content.length * 3;
}
