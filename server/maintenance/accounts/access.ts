/**
 * What who runs the server does with access lists and teams, on the database of a server that may be running in another process. It sees a change within
 * ACCESS_POLL.
 */
import type {
  AccessAnswer,
  AccessQuestion,
  AccessRefusal,
  ListedEntry,
  ListedTeam,
} from '../../../shared/model/decide-access.ts';
import type { AskedRow, TeamChange } from '../../../shared/ports/access-keeper.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { askAccess } from '../../adapters/meta-sqlite/access-rows.ts';
import { Statements } from '../../adapters/meta-sqlite/statements.ts';
import { presentVolume } from '../volumes/volumes.ts';

/** The list of a volume. Throws GodwitError `no-such-volume`, `volume-removed`. */
export function listAccess(database: Sqlite, volume: string): readonly ListedEntry[] {
  const { id } = presentVolume(database, volume);
  const answer = ask(database, { ask: 'list', volume: id }, false);
  return answer.answer === 'list' ? answer.entries : [];
}

/**
 * A row of the list becomes this; without rights it goes. `isMeant`: even if nobody is left who may change the list. Throws GodwitError
 * `no-such-volume`, `volume-removed`, `not-found`, `last-administrator`, `usage`.
 */
export function setAccess(database: Sqlite, volume: string, row: AskedRow, isMeant: boolean): void {
  const { id } = presentVolume(database, volume);
  ask(database, { ask: 'set', volume: id, ...row }, isMeant);
}

/** All teams; or one, with its members. Throws GodwitError `not-found`. */
export function listTeams(database: Sqlite, team: string | null): readonly ListedTeam[] {
  const answer = ask(database, { ask: 'teams', team }, false);
  return answer.answer === 'teams' ? answer.teams : [];
}

/** Throws GodwitError `not-found`, `exists`, `last-administrator`, `team-ring`, `usage`. */
export function changeTeam(database: Sqlite, change: TeamChange, isMeant: boolean): void {
  ask(database, change, isMeant);
}

function ask(database: Sqlite, question: AccessQuestion, isMeant: boolean): AccessAnswer {
  const statements = new Statements(database);
  const decide = database.transaction(() =>
    askAccess(statements, question, { person: null, isMeant }),
  );
  const answer = decide.immediate();
  if (answer.answer !== 'refused') return answer;
  throw new GodwitError(answer.code, answer.message, REMEDIES[answer.code]);
}

const REMEDIES: Partial<Record<AccessRefusal, string>> = {
  'not-found': 'see `godwit server user ls` and `godwit server team ls`',
  'last-administrator':
    'first give it to somebody else: `godwit server access give VOLUME NAME admin`; or give --yes if that is meant',
  'team-ring': 'see who is in which with `godwit server team ls NAME`',
  exists: 'choose another name',
  usage: 'choose another name, or end what nobody needs',
};
