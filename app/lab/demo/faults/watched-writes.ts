/**
 * Writes and removals of files that know what they were made over: what is replaced is held open meanwhile, and looked at
 * afterwards. If it has lost no name by our hand, something else had taken its place.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Ledger } from './ledger.ts';

export interface WatchedWriter {
  /** Whose: the laptop's name. */
  readonly who: string;
  readonly ledger: Ledger;
}

/** A new file; false where there is one of this name. */
export function writeNew(hand: WatchedWriter, path: string, contents: Buffer): boolean {
  return attempt(hand, path, contents, null, 'made', () => {
    const file = openSync(path, 'wx');
    try {
      writeFileSync(file, contents);
    } catch (error) {
      // A full disk: half a file is of no use to anybody.
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
  });
}

/** Writes into the open file, even if its name is removed or given to another meanwhile. */
export function editInPlace(hand: WatchedWriter, path: string, contents: Buffer): boolean {
  const file = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    const over = look(hand, file, path);
    return attempt(hand, path, contents, over, 'edited', () => {
      try {
        for (let at = 0; at < contents.length;)
          at += writeSync(file, contents, at, contents.length - at, at);
        ftruncateSync(file, contents.length);
      } catch (error) {
        throwAway(hand, { file, path, over });
        throw error;
      }
    });
  } finally {
    closeSync(file);
  }
}

/**
 * A full disk has left a torn file: its owner throws it away, knowingly. Where another's rename came first it is somewhere else, with
 * nothing in it.
 */
export function throwAway(
  { who, ledger }: WatchedWriter,
  { file, path, over }: { file: number; path: string; over: string },
): void {
  ftruncateSync(file, 0);
  rmSync(path, { force: true });
  if (fstatSync(file).nlink > 0) {
    const nothing = versionOf(Buffer.alloc(0));
    ledger.wrote(nothing, null, basename(path), `emptied at ${who}, as ${path} was before`);
    ledger.failed(nothing);
  }
  ledger.removed(over);
}

/** As editors do it: the new version beside, and then in its place. */
export function safeSave(hand: WatchedWriter, path: string, contents: Buffer): boolean {
  const beside = `${path}.new~`;
  return replacing(hand, path, (over) =>
    attempt(hand, path, contents, over, 'saved', () => {
      try {
        writeFileSync(beside, contents, { flag: 'wx' });
        renameSync(beside, path);
      } catch (error) {
        rmSync(beside, { force: true });
        throw error;
      }
    }),
  );
}

/** Another file takes its place. */
export function putOver(hand: WatchedWriter, path: string, target: string): boolean {
  return replacing(hand, target, (over) => {
    renameSync(path, target);
    hand.ledger.removed(over);
    return true;
  });
}

/**
 * Removes a file and notes in the ledger which version that was. True: it was removed. Throws the
 * errors of the file system.
 */
export function removeFile(hand: WatchedWriter, path: string): boolean {
  return replacing(hand, path, (over) => {
    unlinkSync(path);
    hand.ledger.removed(over);
    return true;
  });
}

function replacing(hand: WatchedWriter, path: string, work: (over: string) => boolean): boolean {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const over = look(hand, file, path);
    const names = fstatSync(file).nlink;
    const done = work(over);
    if (fstatSync(file).nlink >= names) hand.ledger.overlooked(basename(path));
    return done;
  } finally {
    closeSync(file);
  }
}

function look(hand: WatchedWriter, file: number, path: string): string {
  const version = versionOf(readFileSync(file));
  hand.ledger.saw(version, basename(path));
  return version;
}

function attempt(
  hand: WatchedWriter,
  path: string,
  contents: Buffer,
  over: string | null,
  how: string,
  write: () => void,
): boolean {
  const version = versionOf(contents);
  hand.ledger.wrote(version, over, basename(path), `${how} at ${hand.who} as ${path}`);
  try {
    write();
    return true;
  } catch (error) {
    hand.ledger.failed(version);
    throw error;
  }
}

/** The same hash as that of a tree's files. */
export function versionOf(contents: Buffer): string {
  return createHash('sha256').update(contents).digest('hex');
}
