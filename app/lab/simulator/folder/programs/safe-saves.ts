/**
 * How editors save a file: each in a way of its own, as strace shows it. Each is given a path that may be free, and bytes; when it ends without an error,
 * the file has them.
 */
import type { Hand } from '../hand.ts';
import { SOON, type Program } from './program.ts';

type Save = (hand: Hand, path: string, bytes: Uint8Array) => Program;

const MODE = 0o644;

function split(path: string): { readonly dir: string; readonly name: string } {
  const cut = path.lastIndexOf('/');
  return { dir: path.slice(0, cut + 1), name: path.slice(cut + 1) };
}

function modeOf(hand: Hand, path: string): number {
  return hand.look(path)?.mode ?? MODE;
}

/** In pieces, as a long file is written. */
function* written(hand: Hand, fd: number, bytes: Uint8Array): Program {
  const half = bytes.length >> 1;
  hand.write(fd, bytes.subarray(0, half), 0);
  yield SOON;
  hand.write(fd, bytes.subarray(half), half);
}

function* madeAs(hand: Hand, path: string, bytes: Uint8Array, isSynced = true): Program {
  const fd = hand.open(path, { write: true, create: true, exclusive: true, mode: 0o600 });
  try {
    yield* written(hand, fd, bytes);
    if (isSynced) hand.fsync(fd);
    hand.mustBeNamed(fd);
  } finally {
    hand.close(fd);
  }
}

/** vim with `backupcopy=no`: the old file becomes the backup, a new one has its name. */
function* vim(hand: Hand, path: string, bytes: Uint8Array): Program {
  const [isThere, mode] = [hand.isFile(path), modeOf(hand, path)];
  if (isThere) hand.rename(path, `${path}~`, bytes);
  yield SOON;
  yield* madeAs(hand, path, bytes);
  hand.chmod(path, mode);
  hand.finish(path, bytes);
  yield SOON;
  if (isThere) hand.unlink(`${path}~`);
}

/** vim with `backupcopy=yes`, as for files with several names: a copy is the backup, the file is written in place. */
function* vimCopy(hand: Hand, path: string, bytes: Uint8Array): Program {
  const isThere = hand.isFile(path);
  if (isThere && hand.look(`${path}~`) === null) hand.make(`${path}~`, hand.read(path));
  yield SOON;
  const fd = hand.open(path, { write: true, create: true, truncate: true });
  try {
    yield SOON;
    yield* written(hand, fd, bytes);
    hand.fsync(fd);
    hand.finishOpen(fd, path, bytes);
  } finally {
    hand.close(fd);
  }
  yield SOON;
  if (isThere) hand.unlink(`${path}~`);
}

/** Emacs: a lock that is a link to nothing; the first save keeps the old file as `path~`. */
function* emacs(hand: Hand, path: string, bytes: Uint8Array): Program {
  const { dir, name } = split(path);
  const lock = `${dir}.#${name}`;
  hand.symlink('ada@laptop.4711:1767225600', lock);
  yield SOON;
  const mode = modeOf(hand, path);
  if (hand.isFile(path)) hand.rename(path, `${path}~`, bytes);
  yield* madeAs(hand, path, bytes);
  hand.chmod(path, mode);
  hand.finish(path, bytes);
  yield SOON;
  hand.unlink(lock);
}

/** gedit and all that saves by GIO: a temporary file beside it, with its rights, renamed over it. */
function* gio(hand: Hand, path: string, bytes: Uint8Array): Program {
  const temporary = `${split(path).dir}.goutputstream-${hand.random.hex(3).toUpperCase()}`;
  const mode = modeOf(hand, path);
  yield* madeAs(hand, temporary, bytes);
  hand.chmod(temporary, mode);
  yield SOON;
  hand.rename(temporary, path, bytes);
  hand.finish(path, bytes);
}

/** VS Code: over the old bytes, then the rest is cut off. */
function* inPlace(hand: Hand, path: string, bytes: Uint8Array): Program {
  const fd = hand.open(path, { write: true, create: true });
  try {
    yield* written(hand, fd, bytes);
    yield SOON;
    hand.truncate(fd, bytes.length);
    hand.finishOpen(fd, path, bytes);
  } finally {
    hand.close(fd);
  }
}

/** LibreOffice: a lock file, a temporary one with another name, a rename over the old one. */
function* libreOffice(hand: Hand, path: string, bytes: Uint8Array): Program {
  const { dir, name } = split(path);
  const [lock, temporary] = [`${dir}.~lock.${name}#`, `${dir}lu${hand.random.hex(4)}.tmp`];
  hand.make(lock, hand.newBytes());
  yield SOON;
  yield* madeAs(hand, temporary, bytes, false);
  yield SOON;
  hand.rename(temporary, path, bytes);
  hand.finish(path, bytes);
  yield SOON;
  hand.unlink(lock);
}

/** Word: the new file and the old one change names by way of a third. */
function* word(hand: Hand, path: string, bytes: Uint8Array): Program {
  const { dir } = split(path);
  const tag = hand.random.hex(2).toUpperCase();
  const [fresh, old] = [`${dir}~WRD${tag}.tmp`, `${dir}~WRL${tag}.tmp`];
  yield* madeAs(hand, fresh, bytes);
  yield SOON;
  const isThere = hand.isFile(path);
  if (isThere) hand.rename(path, old, bytes);
  yield SOON;
  hand.rename(fresh, path, bytes);
  hand.finish(path, bytes);
  yield SOON;
  if (isThere) hand.unlink(old);
}

/** nano, and everything that opens with O_TRUNC. */
function* truncating(hand: Hand, path: string, bytes: Uint8Array): Program {
  const fd = hand.open(path, { write: true, create: true, truncate: true });
  try {
    yield SOON;
    yield* written(hand, fd, bytes);
    hand.finishOpen(fd, path, bytes);
  } finally {
    hand.close(fd);
  }
}

/** What a careful program does: temporary file, fsync, rename, fsync of the directory. */
function* atomic(hand: Hand, path: string, bytes: Uint8Array): Program {
  const temporary = `${path}.tmp${hand.random.hex(2)}`;
  yield* madeAs(hand, temporary, bytes);
  yield SOON;
  hand.rename(temporary, path, bytes);
  hand.finish(path, bytes);
  yield SOON;
  hand.syncFolder(path);
  hand.ledger.durable(bytes);
}

/** A second name keeps the old file until the new one has its place. */
function* linkedBackup(hand: Hand, path: string, bytes: Uint8Array): Program {
  const [backup, temporary] = [`${path}.bak`, `${path}.new${hand.random.hex(2)}`];
  const isThere = hand.isFile(path);
  if (isThere) hand.link(path, backup);
  yield SOON;
  yield* madeAs(hand, temporary, bytes);
  yield SOON;
  hand.rename(temporary, path, bytes);
  hand.finish(path, bytes);
  yield SOON;
  if (isThere) hand.unlink(backup);
}

/** The two files change names in one step (RENAME_EXCHANGE), and the old one goes. */
function* exchanging(hand: Hand, path: string, bytes: Uint8Array): Program {
  const temporary = `${path}.swap${hand.random.hex(2)}`;
  yield* madeAs(hand, temporary, bytes);
  yield SOON;
  if (hand.isFile(path)) hand.exchange(temporary, path);
  else return hand.rename(temporary, path);
  hand.finish(path, bytes);
  yield SOON;
  hand.unlink(temporary);
}

/** Each with its name. */
export const SAFE_SAVES: ReadonlyArray<readonly [name: string, save: Save]> = [
  ['vim', vim],
  ['vim-copy', vimCopy],
  ['emacs', emacs],
  ['gio', gio],
  ['in-place', inPlace],
  ['libre-office', libreOffice],
  ['word', word],
  ['truncating', truncating],
  ['atomic', atomic],
  ['linked-backup', linkedBackup],
  ['exchanging', exchanging],
];

/** A person saves some file, or a new one, once or a few times. */
export function savesOf(save: Save): (hand: Hand) => Program {
  return function* saves(hand) {
    const path = (hand.random.chance(0.6) ? hand.someFile() : null) ?? hand.somePath();
    const times = hand.random.pick([1, 1, 1, 2, 4]);
    for (let time = 0; time < times; time++) {
      yield* save(hand, path, hand.newBytes());
      yield hand.random.pick([0, 10, 200, 600]);
    }
  };
}
