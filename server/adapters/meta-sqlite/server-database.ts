/** Opens the database of a server: for the server itself, and for an administrator's command beside it. */
import { fileURLToPath } from 'node:url';
import { openDatabase, type Sqlite } from '../../../shared/sqlite/database.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../migrations/server/', import.meta.url));

export function openServerDatabase(file: string): Sqlite {
  return openDatabase(file, MIGRATIONS);
}
