/**
 * What an administrator's command asks the server that runs about quotas, and what it is answered: rows of `meta`. What is kept for uploads
 * and granted to devices is in the memory of the server alone.
 */
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { readMeta, writeMeta } from '../meta-rows.ts';

/** Of a volume, in bytes. */
export interface ReservedQuota {
  readonly volume: VolumeId;
  /** For uploads: those under way, and what is here of those that were cut off. */
  readonly uploads: number;
  /** Granted ahead to devices whose lease is running. */
  readonly granted: number;
}

const QUESTION = 'quota-question';
const ANSWER = 'quota-answer';

/** `id`: a random word. */
export function askForKept(database: Sqlite, id: string): void {
  writeMeta(database, QUESTION, { id });
}

/** Null: nobody asks. */
export function takeQuestion(database: Sqlite): string | null {
  const found = readMeta(database, QUESTION) as { readonly id?: unknown } | null;
  if (found === null) return null;
  database.prepare('DELETE FROM meta WHERE key = ?').run(QUESTION);
  return typeof found.id === 'string' ? found.id : null;
}

/** Answers the question `id` of a command with the reserved and granted bytes of each volume. */
export function writeKept(database: Sqlite, id: string, kept: readonly ReservedQuota[]): void {
  writeMeta(database, ANSWER, { id, kept });
}

/** Null: the server has not said anything to this question. */
export function keptTold(database: Sqlite, id: string): readonly ReservedQuota[] | null {
  const found = readMeta(database, ANSWER) as {
    id: unknown;
    kept: readonly ReservedQuota[];
  } | null;
  return found?.id === id ? found.kept : null;
}
