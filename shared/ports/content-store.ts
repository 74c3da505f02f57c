/**
 * The ContentStore port: immutable contents, named by their digest.
 *
 * Contract
 * 1. `put` takes a file that lies on the same disk (the spool of the Link), whose bytes the caller knows to have that
 *    digest. When it resolves, the content survives a crash and the file at `path` is gone. Idempotent: a content
 *    that is there already, even a damaged one, is replaced by the new one.
 *    `putBytes` is the same of short contents that are in memory.
 * 2. `locate` gives the file that a content lies in and which bytes of it, or null where it is not there. Those bytes are never
 *    written again: a reader that has the file open keeps what it reads.
 * 3. `quarantine` is for a content that was read and did not match its digest: it is put aside, where a person can look at
 *    it, and `locate` says null from then on, until a new `put`.
 * 4. Methods may run side by side, `put`s of the same digest too. The empty content is never put.
 * 5. Errors: GodwitError `server-full` (no room); anything else is a broken machine.
 */
import type { Digest } from '../model/vnode.ts';

/** A content: `length` bytes of a file, from `offset` on. Others may lie before and behind it. */
export interface Located {
  readonly path: string;
  readonly offset: number;
  readonly length: number;
}

export interface ContentStore {
  put(path: string, digest: Digest): Promise<void>;
  putBytes(bytes: Uint8Array, digest: Digest): Promise<void>;
  locate(digest: Digest): Promise<Located | null>;
  quarantine(digest: Digest): Promise<void>;
  /** Removes a content; nothing where there is none. */
  remove(digest: Digest): Promise<void>;
  /** Removes a received file that no caller has taken: a file of the spool. */
  discard(path: string): Promise<void>;
}
