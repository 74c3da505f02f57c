/** Access lists and teams as people write and read them. A team has a sign before its name. */
import type { Command } from 'commander';
import {
  parseRights,
  rightsText,
  USUAL_SETS,
  type RightSet,
} from '../../shared/model/access-list.ts';
import type { ListedEntry, ListedTeam } from '../../shared/model/decide-access.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { wordArgument } from './fixed-values.ts';
import { formatCount, formatTable } from './format.ts';
import { printable } from './printable.ts';

const SIGN = '@';

/** How the arguments of `give` are explained. */
export const WHO_HELP = 'a person, or @TEAM';
const RIGHTS_HELP =
  'read, write or admin; or some of lookup,read,insert,delete,write,lock,administer';

/** Adds the argument that says what somebody may do. */
export function rightsArgument(command: Command): Command {
  return wordArgument(command, '<rights>', RIGHTS_HELP, { words: Object.keys(USUAL_SETS) });
}

/** A person or a team that a person has typed. */
export type Named = Pick<ListedEntry, 'kind' | 'name'>;

/** `ann`, or `@crew`. Throws GodwitError `usage` for a sign without a name. */
export function parseWho(text: string): Named {
  if (text === '')
    throw new GodwitError('usage', 'nobody is named', 'a person is NAME, a team @NAME');
  if (!text.startsWith(SIGN)) return { kind: 'person', name: text };
  return { kind: 'team', name: parseTeam(text) };
}

/** The name of a team, with or without its sign. Throws GodwitError `usage`. */
export function parseTeam(text: string): string {
  const name = text.startsWith(SIGN) ? text.slice(SIGN.length) : text;
  if (name !== '') return name;
  throw new GodwitError('usage', `${text}: not the name of a team`, 'a team is @NAME');
}

/** Throws GodwitError `usage`. */
export function parseSet(text: string): RightSet {
  const set = parseRights(text);
  if (set !== null && set !== 0) return set;
  const some = 'some of lookup, read, insert, delete, write, lock, administer with commas between';
  throw new GodwitError('usage', `${text}: not a right`, `it is read, write, admin; or ${some}`);
}

/** For people to read. */
export const whoText = ({ kind, name }: Named): string =>
  `${kind === 'team' ? SIGN : ''}${printable(name)}`;

/** A table of rows, those that deny something marked. */
export function accessLines(entries: readonly ListedEntry[]): string[] {
  if (entries.length === 0) return ['nobody is on the list'];
  const rows = entries.map(({ negative, rights, ...who }) => [
    whoText(who),
    `${negative ? 'not ' : ''}${rightsText(rights)}`,
  ]);
  return formatTable([['who', 'may'], ...rows]);
}

/** A table of teams; or of one, and who is in it. */
export function teamLines(teams: readonly ListedTeam[]): string[] {
  if (teams.length === 0) return ['no teams'];
  const rows = teams.map(({ name, owner, isOff, size, members }) => [
    whoText({ kind: 'team', name }),
    owner === null ? '-' : printable(owner),
    members === undefined ? formatCount(size, 'member') : members.map(whoText).join(', '),
    isOff ? 'switched off' : '',
  ]);
  return formatTable([['team', 'owner', 'who', ''], ...rows]);
}

/** The same for programs: rights as a text. */
export const accessRows = (entries: readonly ListedEntry[]) =>
  entries.map(({ rights, ...row }) => ({ ...row, rights: rightsText(rights) }));
