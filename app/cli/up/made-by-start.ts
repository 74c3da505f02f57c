/**
 * What `godwit up` and the daemon make in a data folder by the first hello, by name: a start that is taken back removes that and
 * nothing else, for others may write to the folder meanwhile.
 */
import { readdirSync, unlinkSync } from 'node:fs';
import { join, sep } from 'node:path';
import { isBeside } from '../../../shared/system/durable-file.ts';
import { removeEmpty } from '../../../shared/system/make-folder.ts';

const DATABASES = ['daemon.db', 'chunk-lists.db', 'folder.db'];
/** Beside a file that is written whole there is another for a moment. */
const WRITTEN_WHOLE = ['config.json', 'invitation.json', 'identity.json', 'control.json'];
const LOGS = ['daemon.log', 'startup.log'];

const FILES: readonly string[] = [
  ...DATABASES.flatMap((name) => [name, `${name}-wal`, `${name}-shm`, `${name}-journal`]),
  ...WRITTEN_WHOLE,
  'daemon.lock',
  ...LOGS.map((name) => join('log', name)),
];

/** The inner ones before those around them. Something in one is not ours: contents come after the first hello. */
const FOLDERS: readonly string[] = [
  ...['contents', 'lost+found', 'out', 'packs', 'staging'].map((name) => join('store', name)),
  ...['made', 'parts'].map((name) => join('transfers', name)),
  ...['store', 'transfers', 'spool', 'log'],
];

/** `before`: names that were there, and stay with all that is in them. */
export function removeMade(dataDir: string, before: ReadonlySet<string>): void {
  const isNew = (path: string): boolean => !before.has(path.split(sep, 1)[0] ?? path);
  const besides = readdirSync(dataDir).filter((name) =>
    WRITTEN_WHOLE.some((file) => isBeside(name, file)),
  );
  for (const path of [...FILES, ...besides].filter(isNew)) {
    attempt(() => unlinkSync(join(dataDir, path)));
  }
  removeEmpty(FOLDERS.filter(isNew).map((path) => join(dataDir, path)));
}

/** Ignores errors: another one is reported, and the file may not be there. */
function attempt(remove: () => void): void {
  try {
    remove();
  } catch {
    // It stays.
  }
}
