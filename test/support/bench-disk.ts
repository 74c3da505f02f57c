/** Does a client's work on files, in a map of texts by path, for the client bench. */
import type { FileOutcome } from '../../daemon/core/events.ts';
import type { FileTask } from '../../daemon/core/effects.ts';
import { blake3 } from '@noble/hashes/blake3.js';
import type { Digest } from '../../shared/model/vnode.ts';
import { present } from '../../shared/util/assert.ts';

/** The digest of a text as the bench stores it. */
export const digestOfText = (text: string): Digest =>
  Buffer.from(blake3(new TextEncoder().encode(text))).toString('hex') as Digest;

/** Carries out one piece of file work on the map. `nextId` numbers the files that are given to callers. */
export function workOn(
  disk: Map<string, string>,
  work: FileTask,
  nextId: () => number,
): FileOutcome {
  const given = (text: string): FileOutcome => {
    const path = `given-${nextId()}`;
    disk.set(path, text);
    return fine(path, text);
  };
  switch (work.what) {
    case 'adopt': {
      const text = work.received === null ? '' : taken(disk, work.received.path);
      disk.set(work.name, text);
      return fine(null, text);
    }
    case 'stage':
      disk.set(work.name, work.from === null ? '' : present(disk.get(work.from), 'from'));
      return fine(null);
    case 'check':
      return fine(null, present(disk.get(work.name), 'a file of the store'));
    case 'seal':
      return fine(null, present(disk.get(work.name), 'a staged file'));
    case 'take':
      return given(taken(disk, work.name));
    case 'copy-out':
      return given(present(disk.get(work.name), 'a cached file'));
    case 'hand-over':
      return given(work.spool === null ? '' : taken(disk, work.spool));
    case 'local-copy':
    case 'any-copy':
      return { ok: true, path: null, digest: null, length: 0 };
    case 'read':
      return { ok: true, path: null, digest: null, length: 0, text: disk.get(work.name) ?? null };
    case 'discard':
      disk.delete(work.spool);
      return fine(null);
    case 'remove':
      disk.delete(work.name);
      return fine(null);
    case 'lose':
      disk.set(`lost+found/${work.readable}`, present(disk.get(work.name), 'a file'));
      return fine(null);
  }
}

function fine(path: string | null, text = ''): FileOutcome {
  return { ok: true, path, digest: digestOfText(text), length: text.length };
}

function taken(disk: Map<string, string>, path: string): string {
  const text = present(disk.get(path), 'a file');
  disk.delete(path);
  return text;
}
