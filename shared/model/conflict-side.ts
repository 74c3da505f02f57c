/**
 * One side of a conflict as it was when the conflict was found, so that a later choice can check whether it is still what the person saw. A file is
 * what its contents are: it may have been renamed, or have another fid after a safe save of the same bytes.
 */
import type { Fid } from './fid.ts';
import type { DataVersion, Digest, VnodeKind } from './vnode.ts';

export interface ConflictSide {
  readonly kind: VnodeKind;
  readonly fid: Fid;
  readonly version: DataVersion;
  /** Of a file; null: no contents of it were known yet, or it is none. */
  readonly digest: Digest | null;
  /** Of a symbolic link. */
  readonly target: string | null;
}

/** What was where when the conflict was found. */
export interface ConflictSides {
  /** At the path of the copy. */
  readonly mine: ConflictSide;
  /** At the path where the winner is; null: nothing, or both are one path. */
  readonly theirs: ConflictSide | null;
}

/** What there is to remember of a vnode: its status, or its attributes. */
export function sideOf({ kind, fid, version, digest, target }: ConflictSide): ConflictSide {
  return { kind, fid, version, digest, target };
}

/** It is what it was then: the same contents, the same target, or the same directory. null: there is nothing, or was nothing. */
export function isAsThen(now: ConflictSide | null, then: ConflictSide | null): boolean {
  if (now === null || then === null || now.kind !== then.kind) return false;
  switch (now.kind) {
    case 'symlink':
      return now.target === then.target;
    case 'directory':
      return now.fid === then.fid;
    case 'file':
      if (then.digest !== null) return now.digest === then.digest;
      return now.fid === then.fid && now.version === then.version;
  }
}

/** The side with the first contents of its file, where these are what was stored; else null. */
export function withFirstContents(side: ConflictSide, stored: ConflictSide): ConflictSide | null {
  const isFirst =
    side.kind === 'file' && side.digest === null && stored.version === side.version + 1;
  if (!isFirst || side.fid !== stored.fid || stored.digest === null) return null;
  return { ...side, version: stored.version, digest: stored.digest };
}
