/**
 * The thread that writes the log of a database back (log-writer.ts), on a connection of its own. It answers each message with what came of one pass; the message
 * `close` ends it.
 */
import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { FileOfDatabase } from './database.ts';

const { file, dev, ino } = workerData as FileOfDatabase;

/** Another file may have come to its place since the server opened it. */
function isTheSame(): boolean {
  const there = statSync(file);
  return there.dev === dev && there.ino === ino;
}

function opened(): Database.Database {
  if (!isTheSame()) throw new Error(`${file} is another file than the one that is written`);
  const database = new Database(file, { fileMustExist: true });
  // What is written back is on the disk before the log may begin anew.
  database.pragma('synchronous = FULL');
  if (database.pragma('journal_mode', { simple: true }) === 'wal') return database;
  database.close();
  throw new Error(`${file} has no log`);
}

const database = opened();

parentPort?.on('message', (message: 'pass' | 'close') => {
  if (message === 'pass') {
    try {
      database.pragma('wal_checkpoint(PASSIVE)');
    } catch {
      // No room, or a disk that fails: the log keeps what it has, and the next pass tries again, as where SQLite does it in a commit.
    }
    parentPort?.postMessage('done');
    return;
  }
  database.close();
  parentPort?.close();
});
