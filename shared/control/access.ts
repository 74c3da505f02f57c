/** Reports of access lists and teams of people. */
import type { RightSet } from '../model/access-list.ts';
import type { ListedEntry, ListedTeam } from '../model/decide-access.ts';

export interface AccessReport {
  /** What this person may do: a sum (shared/model/access-list.ts). */
  readonly own: RightSet;
  readonly entries: readonly ListedEntry[];
}

export interface TeamsReport {
  /** Those that this person has made or is in. `members` is there where one was asked for. */
  readonly teams: readonly ListedTeam[];
}
