/**
 * Access lists of volumes and teams of people, as the person of this device may see and change them.
 *
 * `volume` is the name of one. All reject GodwitError: `not-connected`, `server-too-old`, `no-such-volume`, `not-administrator`, `last-administrator`,
 * `not-found`, `exists`, `team-ring`, `usage`. A change resolves when it is in force at devices that are connected.
 */
import type { AccessReport, SharesReport, TeamsReport } from '../control/access.ts';
import type { AccessQuestion } from '../model/decide-access.ts';

/** A row of a list, as it is to be. */
export type AskedRow = Omit<Extract<AccessQuestion, { ask: 'set' }>, 'ask' | 'volume'>;

export type TeamChange = Extract<
  AccessQuestion,
  { ask: 'make-team' | 'end-team' | 'switch-team' | 'member' }
>;

export interface AccessKeeper {
  list(volume: string): Promise<AccessReport>;
  set(volume: string, row: AskedRow): Promise<void>;
  /** `team` null: all, without their members. */
  teams(team: string | null): Promise<TeamsReport>;
  changeTeam(change: TeamChange): Promise<void>;
  /** The volumes that this person may see, who gave them, and where they are in the folder. */
  shares(): Promise<SharesReport>;
  /** Makes a volume for a folder of this one. Asked again with the same `nonce`, 32 hex digits, it is the same. Gives its name, when this device sees it. */
  makeVolume(volume: string, label: string, nonce: string): Promise<string>;
  /**
   * All that is in the folder at a path of `volume` goes into the volume `shared`, which is mounted beside it in the folder of this laptop. With null it is
   * only looked whether that can be. Rejects `usage` where there is no such folder here, and as a front end does (shared/ports/feed.ts).
   */
  handOver(volume: string, path: readonly string[], shared: string | null): Promise<void>;
  /** Gives up what the own row of the list gives. */
  leave(volume: string): Promise<void>;
}
