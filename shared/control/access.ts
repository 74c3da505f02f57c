/** Reports of access lists and teams of people. */
import type { RightSet } from '../model/access-list.ts';
import type { ListedEntry, ListedTeam } from '../model/decide-access.ts';

export interface AccessReport {
  /** What this person may do: a sum (shared/model/access-list.ts). */
  readonly own: RightSet;
  readonly entries: readonly ListedEntry[];
}

/** A volume that this person may see. */
export interface Share {
  readonly volume: string;
  readonly own: RightSet;
  /** Who gave it at a laptop; null: nobody did, or this person has made it. */
  readonly by: string | null;
  /** Where it is shown in the folder, from its root; null: nowhere, or there is no folder. */
  readonly path: readonly string[] | null;
  /** The folder itself shows it. */
  readonly isFolder: boolean;
}

export interface SharesReport {
  /** The name of this person. */
  readonly person: string;
  readonly shares: readonly Share[];
}

export interface TeamsReport {
  /** Those that this person has made or is in. `members` is there where one was asked for. */
  readonly teams: readonly ListedTeam[];
}

/** What sharing a folder would do. */
export interface ShareLook {
  /** The volume that it shows already; null: it is not shared. */
  readonly volume: string | null;
  /** What goes into the new volume with it. */
  readonly files: number;
  readonly bytes: number;
  /** An order before was interrupted: this one would go on. */
  readonly isBegun: boolean;
}
