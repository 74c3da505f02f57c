/**
 * Rows of the table `meta` that are not as they were written, each a value by itself. One that the server tells anew is asked for, a setting is as it
 * is where nobody has set it, and a number that is given out goes on where none was given. Only where a value says what the log and the volumes mean
 * does all begin anew.
 *
 * The server refuses a device without its incarnation as a copy of it, with the remedy to pair again.
 */
import { LOST } from '../core/conflict/lost-contents.ts';
import type { ClientRows, RowChange, RowDamage } from '../../shared/ports/client-store.ts';

/** Numbers that are given out, each with how far it is put ahead of what is in use: none of what was given since is given again. */
const NUMBERS: ReadonlyArray<{
  readonly key: string;
  readonly inUse: (rows: ClientRows) => Iterable<number>;
  readonly ahead: number;
}> = [
  { key: 'last-seq', inUse: ({ update }) => numbersOf(update), ahead: 2 ** 32 },
  { key: 'last-content', inUse: ({ content }) => numbersOf(content), ahead: 2 ** 32 },
  { key: 'last-conflict', inUse: ({ conflict }) => numbersOf(conflict), ahead: 1000 },
  { key: 'last-adjustment', inUse: ({ adjustment }) => numbersOf(adjustment), ahead: 1000 },
];

/** The server tells them with the next Hello, or they are made anew at a start, or say what a person has set, or are only shown to people. */
const TOLD_ANEW =
  /^(?:device|device-name|devices|user|protocol|lease-ms|identity|run|run-place|ticket|followed|paused|recent)$/;
const OF_ONE_THING = /^(?:room|orders|held|lost)-|^network-(?:rule|used):/;
const SETTINGS =
  /^(?:invalidations|store-priorities|away-reads|validations|prefetch|dirty-limit|(?:cache|writeback)-[a-z-]+)$/;

/** What a device that is paired always has. */
const ALWAYS = ['device', 'incarnation', 'epoch', 'last-seq'];

const INCARNATION = /^incarnation(?:-next)?$/;

/** Keys that may be meant: those that were found, and, where one was altered itself or its row is gone, those that are not there. */
function keysOf(damage: readonly RowDamage[], { meta, volume }: ClientRows): string[] {
  const found = damage.filter(({ table }) => table === 'meta');
  if (found.length === 0) return [];
  const gone = volume.size === 0 ? [] : ALWAYS.filter((key) => !meta.has(key));
  return [...new Set([...found.flatMap(({ altered }) => altered), ...gone])];
}

/** It says what the log and the volumes mean; or nobody knows which it was. */
export function beginsAnew(damage: readonly RowDamage[], rows: ClientRows): boolean {
  const isUnknown = damage.some(({ table, incomplete }) => table === 'meta' && incomplete);
  const isNumber = (key: string): boolean => NUMBERS.some((number) => number.key === key);
  const isHarmless = (key: string): boolean =>
    TOLD_ANEW.test(key) || OF_ONE_THING.test(key) || SETTINGS.test(key) || INCARNATION.test(key);
  return isUnknown || keysOf(damage, rows).some((key) => !isNumber(key) && !isHarmless(key));
}

/** The numbers that are lost, put ahead of all that may have been given. */
export function numbersAgain(damage: readonly RowDamage[], rows: ClientRows): RowChange[] {
  if (!damage.some(({ table }) => table === 'meta')) return [];
  return NUMBERS.filter(({ key }) => !rows.meta.has(key)).map(({ key, inUse, ahead }) => {
    let most = 0;
    for (const number of inUse(rows)) most = Math.max(most, number);
    return { table: 'meta', key, value: most + ahead };
  });
}

/** A copy of contents may have been wanted: it is made under their own name. Where it was made before, there are two. */
export function wantedAgain(damage: readonly RowDamage[]): RowChange[] {
  const keys = damage.flatMap(({ table, altered }) => (table === 'meta' ? altered : []));
  return keys
    .filter((key) => key.startsWith(LOST))
    .map((key) => ({ table: 'meta', key, value: key.slice(LOST.length) }));
}

/** For people; null: there is nothing that they must do. */
export function toPairAgain(damage: readonly RowDamage[], rows: ClientRows): string | null {
  const isLost = keysOf(damage, rows).some((key) => INCARNATION.test(key));
  if (!isLost) return null;
  return 'the server will take this device for a copy of itself: pair it again, with `godwit up --invite INVITATION`';
}

function* numbersOf(rows: ReadonlyMap<string | number, unknown>): Iterable<number> {
  for (const key of rows.keys()) if (Number.isSafeInteger(Number(key))) yield Number(key);
}
