/** The fetches of contents that are under way or wait for it, in the order in which they were asked for. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { DataVersion, Digest } from '../../../shared/model/vnode.ts';
import type { RequestId } from '../events.ts';
import { textOf, type FetchKey } from '../waits/wait-key.ts';

/** A fetch of contents that somebody waits for; one for each fid and version (null: the present one). */
export interface ContentsFetch {
  readonly key: FetchKey;
  readonly fid: Fid;
  readonly version: DataVersion | null;
  /** Where the contents go: into the cache, or straight to the caller. */
  readonly into: 'cache' | 'caller';
  /** Only these contents will do; null: those of that version. */
  readonly digest: Digest | null;
  /** The present version, as far as is known: its contents are here, and only others are wanted. */
  readonly unless: DataVersion | null;
  /** Nobody waits for it yet (prefetch/prefetch.ts). */
  ahead: boolean;
  /** It comes with the word of it (brought.ts): who puts it in place may ask later. */
  isBrought: boolean;
  priorityClass: 'FETCH' | 'STORE_DATA' | 'PREFETCH';
  /** While it runs. */
  request: RequestId | null;
  /** How often the server was asked to raise it. */
  raises: number;
  state: 'queued' | 'running';
  /** While it runs: how long the contents are, as far as known. */
  bytes: number;
}

/** Lists the fetches by their keys, and counts the Fetch requests in flight. */
export class FetchList {
  readonly #fetches = new Map<string, ContentsFetch>();
  #running = 0;

  get size(): number {
    return this.#fetches.size;
  }

  /** How many requests for contents are on their way; also of fetches that nobody waits for any more. */
  get running(): number {
    return this.#running;
  }

  get(key: FetchKey | null): ContentsFetch | undefined {
    return key === null ? undefined : this.#fetches.get(textOf(key));
  }

  has(key: FetchKey): boolean {
    return this.#fetches.has(textOf(key));
  }

  values(): IterableIterator<ContentsFetch> {
    return this.#fetches.values();
  }

  add(fetching: ContentsFetch): void {
    this.#fetches.set(textOf(fetching.key), fetching);
  }

  /** Nobody waits for it any more, or it has come. */
  drop(key: FetchKey): void {
    this.#fetches.delete(textOf(key));
  }

  /** Its request leaves, or is under way. */
  begin(fetching: ContentsFetch): void {
    fetching.state = 'running';
    this.#running += 1;
  }

  /** A request for contents has ended, one way or the other. */
  ended(): void {
    this.#running -= 1;
  }
}
