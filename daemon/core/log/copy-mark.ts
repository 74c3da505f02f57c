/**
 * Marks of conflict copies (rule C4): the device that makes a copy says so, and says of what a person calls like one that it is none. What is said
 * belongs to the logged update, and goes to a server that knows of it.
 *
 * Names that an older program gave, and those that are offered again to a restored server, have no mark: they are judged by name.
 */
import type { ChangeSet } from '../../../shared/model/change.ts';
import { lostNameOf } from '../../../shared/model/conflict-name.ts';
import type { CopyMark, MetadataUpdate } from '../../../shared/model/update.ts';
import { COPIES_FROM, withoutMark } from '../../../shared/wire/updates.ts';
import type { ClientState } from '../state.ts';

/**
 * What an update says of a name that a program gives. `copyOf`: a front end gives it to a conflict copy, where this name is lost; undefined: it gives
 * it to nothing of that kind.
 */
export function markOf(name: string, copyOf: string | undefined): { copyOf?: CopyMark } {
  if (copyOf !== undefined) return { copyOf };
  return lostNameOf(name) === null ? {} : { copyOf: null };
}

/** The update as the server can read it. */
export function readable({ meta }: ClientState, update: MetadataUpdate): MetadataUpdate {
  const isKnown = Number(meta.get('protocol') ?? 1) >= COPIES_FROM;
  return isKnown || !('copyOf' in update) ? update : withoutMark(update);
}

/** The name that was lost, beside which a commit puts a conflict copy; null: this name is none of a copy. */
export function lostNameIn({ copyOf }: ChangeSet, name: string): string | null {
  return copyOf === undefined ? lostNameOf(name) : copyOf;
}
