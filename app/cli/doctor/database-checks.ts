/** Checks of the databases of a daemon, beside it or without one, and of what was set aside of them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { damageIn } from '../../../shared/sqlite/check-file.ts';
import { SET_ASIDE } from '../../../shared/sqlite/set-aside.ts';
import { codedError } from '../errors.ts';
import { bad, ok, warn, type Finding } from './finding.ts';

const DATABASES = ['daemon.db', 'folder.db'];
const REMEDY =
  'start the daemon again (`godwit down`, `godwit up`): it sets aside what is damaged; look whether the disk or the memory fails';

/** Checks the seals of both databases of a daemon, and warns of databases that were set aside. */
export function checkDatabases(dataDir: string): Finding[] {
  const found = DATABASES.flatMap((name): Finding[] => {
    const file = join(dataDir, name);
    try {
      const what = damageIn(file);
      return what === null ? [] : [bad('database', `${file} is damaged (${what})`, REMEDY)];
    } catch (error) {
      const coded = codedError(error);
      if (coded === null) throw error;
      return [bad('database', coded.message, coded.remedy)];
    }
  });
  const all = found.length === 0 ? [ok('database', 'all rows are as they were written')] : found;
  return [...all, ...checkSetAside(join(dataDir, SET_ASIDE))];
}

function checkSetAside(folder: string): Finding[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  if (names.length === 0) return [];
  const remedy = 'when all your files are as they should be, remove it';
  return [warn('database', `what was damaged is in ${folder}`, remedy)];
}
