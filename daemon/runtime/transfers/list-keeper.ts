/**
 * The chunk lists of contents that the server has or is being sent: a later edit is sent as a delta against them.
 *
 * The old bytes of a file are gone when an edit is noticed, so the list must be made before: of what was sent, when the server has it,
 * one after the other; of what is received, before it is handed over, since it is elsewhere then. Whatever goes wrong with a list costs
 * bytes on the wire, and nothing else; so it is never an error of a transfer.
 */
import type { Digest } from '../../../shared/model/vnode.ts';
import type { ChunkLists } from '../../../shared/ports/chunk-lists.ts';
import type { Delta, Piece } from '../../../shared/ports/delta.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { Semaphore } from '../../../shared/concurrency/semaphore.ts';
import { LISTS_WAITING } from '../../limits.ts';

export interface ListPorts {
  readonly delta: Delta;
  readonly chunkLists: ChunkLists;
  readonly log: Log;
}

/**
 * Makes and keeps chunk lists of contents that the server has, one at a time in the background. Its
 * failures are only logged: without a list, contents are sent whole.
 */
export class ListKeeper {
  readonly #ports: ListPorts;
  /** One at a time: it must not delay work that a program waits for. */
  readonly #background = new Semaphore(1);
  readonly #making = new Map<Digest, Promise<void>>();

  constructor(ports: ListPorts) {
    this.#ports = ports;
  }

  async get(digest: Digest): Promise<Uint8Array | null> {
    try {
      return await this.#ports.chunkLists.get(digest);
    } catch (error) {
      this.#logFailure('a chunk list can not be read', error);
      return null;
    }
  }

  async put(digest: Digest, list: Uint8Array): Promise<void> {
    try {
      await this.#ports.chunkLists.put(digest, list);
    } catch (error) {
      this.#logFailure('a chunk list can not be kept', error);
    }
  }

  /** What was made with it was wrong. */
  async forget(digest: Digest): Promise<void> {
    try {
      await this.#ports.chunkLists.forget(digest);
    } catch (error) {
      this.#logFailure('a chunk list can not be forgotten', error);
    }
  }

  /** Once it is made, if it is to be. */
  async ready(digest: Digest): Promise<Uint8Array | null> {
    await this.#making.get(digest);
    return this.get(digest);
  }

  /** Has the list made when its turn comes; contents that are gone by then have none. `done`: they are not needed any more. */
  later(digest: Digest, contents: Piece, done: () => Promise<void>): void {
    if (this.#making.size >= LISTS_WAITING || this.#making.has(digest)) {
      void done();
      return;
    }
    const made = this.#background
      .run(() => this.make(digest, contents, null))
      .finally(done)
      .finally(() => this.#making.delete(digest));
    this.#making.set(digest, made);
  }

  /** Resolves when there is a list, or there will be none. `like`: of the version before, so that the two have chunks in common. */
  async make(digest: Digest, contents: Piece, like: Uint8Array | null): Promise<void> {
    if ((await this.get(digest)) !== null) return;
    try {
      await this.put(digest, await this.#ports.delta.list(contents, like));
    } catch (error) {
      this.#logFailure('no chunk list could be made', error);
    }
  }

  /** Resolves when nothing is being made. */
  async settled(): Promise<void> {
    while (this.#making.size > 0) await Promise.all(this.#making.values());
  }

  #logFailure(what: string, error: unknown): void {
    this.#ports.log.debug(what, { why: (error as Error).message });
  }
}
