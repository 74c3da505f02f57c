/**
 * What an administrator's command and the server that runs say to each other about collections: rows of `meta`. The command asks and looks
 * for the outcome; the server looks for requests.
 */
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import type { Collected } from './collect-contents.ts';
import { readMeta, writeMeta } from '../meta-rows.ts';

export interface CollectionRequest {
  /** A random word. */
  readonly id: string;
  /** How old contents must be that nothing names. */
  readonly days: number;
}

/** `taken`: the server has begun, or will when it is done with another one. */
export type CollectionOutcome =
  | { readonly id: string; readonly state: 'taken' }
  | { readonly id: string; readonly state: 'done'; readonly collected: Collected }
  | {
      readonly id: string;
      readonly state: 'failed';
      readonly code: string;
      readonly message: string;
    };

const REQUEST = 'collection-request';
const OUTCOME = 'collection-outcome';
const LAST = 'collected';

/** In the place of one that nobody took. */
export function askForCollection(database: Sqlite, request: CollectionRequest): void {
  writeMeta(database, REQUEST, request);
}

/** Null: nobody asks. */
export function takeRequest(database: Sqlite): CollectionRequest | null {
  const found = readMeta(database, REQUEST) as Partial<CollectionRequest> | null;
  if (found === null) return null;
  database.prepare('DELETE FROM meta WHERE key = ?').run(REQUEST);
  const { id, days } = found;
  return typeof id === 'string' && typeof days === 'number' ? { id, days } : null;
}

export function writeOutcome(database: Sqlite, outcome: CollectionOutcome): void {
  writeMeta(database, OUTCOME, outcome);
}

/** Null: the server has not said anything about it. */
export function outcomeOf(database: Sqlite, id: string): CollectionOutcome | null {
  const found = readMeta(database, OUTCOME) as CollectionOutcome | null;
  return found?.id === id ? found : null;
}

/** When the contents were collected last, in milliseconds since 1970; null: never. */
export function lastCollection(database: Sqlite): number | null {
  const when = readMeta(database, LAST);
  return typeof when === 'number' ? when : null;
}

/** Writes when the last collection was; `when` in milliseconds of the wall clock. */
export function rememberCollection(database: Sqlite, when: number): void {
  writeMeta(database, LAST, when);
}
