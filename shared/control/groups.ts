/** File groups (shared/model/file-group.ts) as people see them, and what they can ask of them. */
import type { FileGroup, GroupKind } from '../model/file-group.ts';
import type { Fid } from '../model/fid.ts';

/** `create` and `add` take files, and of folders all files in them; `remove` takes them out again, `end` ends the group. Files stay. */
export const GROUP_ACTS = ['create', 'add', 'remove', 'end'] as const;
export type GroupAct = (typeof GROUP_ACTS)[number];

export interface NamedGroup extends FileGroup {
  readonly name: string;
  readonly fid: Fid;
  /** The answer to `create` and `add`: names of the groups that its new files have left for it. Left out: none, or an older daemon. */
  readonly movedFrom?: readonly string[];
}

/** Of a volume, in the order of their names. */
export interface GroupList {
  readonly groups: readonly NamedGroup[];
}

export interface GroupedFile {
  readonly fid: Fid;
  /** In the volume, with a slash before it; null: it is gone, or (of suggestions) not known here. */
  readonly path: string | null;
}

/** One group, in the order in which its files are wanted. */
export interface GroupContents {
  readonly name: string;
  readonly kind: GroupKind;
  readonly files: readonly GroupedFile[];
}

/** Files that were used together, as `godwit group suggest` shows them. */
export interface SuggestedGroup {
  /** Name of the volume. */
  readonly volume: string;
  readonly files: readonly GroupedFile[];
  readonly times: number;
}
