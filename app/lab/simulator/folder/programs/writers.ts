/** Programs that write to files in place and for long: those that keep times and lengths, logs, databases, and who holds a file open over what others do. */
import type { Hand } from '../hand.ts';
import { SOON, type Program } from './program.ts';

const PAGE = 64;

/** Other bytes of the same length, and the old time is put back: only the change time tells. */
export function* keepsTimes(hand: Hand): Program {
  const path = hand.someFile();
  const before = path === null ? null : hand.look(path);
  if (path === null || before === null || before.size === 0) return;
  const bytes = hand.newBytes(before.size).subarray(0, before.size);
  const fd = hand.open(path, { write: true });
  try {
    hand.write(fd, bytes, 0);
    yield SOON;
    hand.calls.futimes(fd, before.atime, before.mtime);
    hand.finishOpen(fd, path, bytes);
  } finally {
    hand.close(fd);
  }
}

/** A log: lines are added at the end, with pauses, while it stays open. */
export function* appends(hand: Hand): Program {
  const path = hand.somePath(['log', 'log.1']);
  const fd = hand.open(path, { write: true, create: true });
  let bytes = new Uint8Array(0);
  try {
    hand.truncate(fd, 0);
    const lines = hand.random.between(2, 6);
    for (let line = 0; line < lines; line++) {
      const more = hand.newBytes(40);
      hand.write(fd, more, bytes.length);
      bytes = joined(bytes, more);
      yield hand.random.pick([0, 5, 100, 700]);
    }
    hand.finishOpen(fd, path, bytes);
  } finally {
    hand.close(fd);
  }
}

/** A database with a rollback journal: the old pages go there before new ones are written in place, and it goes when all is on the disk. */
export function* database(hand: Hand): Program {
  const path = hand.somePath(['base.db']);
  const [pages, rounds] = [hand.random.between(2, 5), hand.random.between(1, 4)];
  const fd = hand.open(path, { write: true, create: true });
  try {
    let bytes = hand.newBytes(PAGE * pages);
    hand.truncate(fd, 0);
    hand.write(fd, bytes, 0);
    hand.fsync(fd);
    hand.finishOpen(fd, path, bytes);
    for (let round = 0; round < rounds; round++) {
      yield hand.random.pick([10, 100, 500]);
      bytes = yield* transaction(hand, { path, fd, bytes });
    }
  } finally {
    hand.close(fd);
  }
}

interface Base {
  readonly path: string;
  readonly fd: number;
  readonly bytes: Uint8Array;
}

function* transaction(
  hand: Hand,
  { path, fd, bytes }: Base,
): Generator<number, Uint8Array<ArrayBuffer>, void> {
  const next = new Uint8Array(bytes);
  const journal = `${path}-journal`;
  hand.make(journal, bytes.subarray(0, PAGE), { sync: true });
  yield SOON;
  for (let at = 0; at < bytes.length; at += PAGE) {
    if (at > 0 && hand.random.chance(0.5)) continue;
    next.set(hand.newBytes(PAGE).subarray(0, PAGE), at);
    hand.write(fd, next.subarray(at, at + PAGE), at);
    yield SOON;
  }
  hand.fsync(fd);
  yield SOON;
  hand.unlink(journal);
  hand.finishOpen(fd, path, next);
  return next;
}

/** Holds a file open while others replace it, and writes to it at the end: what it writes must not be lost where the daemon took its name away. */
export function* holds(hand: Hand): Program {
  const path = hand.someFile();
  if (path === null) return;
  const fd = hand.open(path, { write: true });
  try {
    yield hand.random.pick([50, 400, 2000, 20_000]);
    const bytes = hand.newBytes();
    hand.truncate(fd, 0);
    hand.write(fd, bytes, 0);
    yield SOON;
    hand.finishOpen(fd, path, bytes);
  } finally {
    hand.close(fd);
  }
}

/** Writes to a file by its name outside of the folder, of which no watch tells. */
export function* writesOutside(hand: Hand): Program {
  const path = `${hand.outside}/l3`;
  if (hand.look(path)?.kind !== 'file') return;
  const bytes = hand.newBytes();
  const fd = hand.open(path, { write: true });
  try {
    hand.write(fd, bytes, 0);
    yield SOON;
    hand.truncate(fd, bytes.length);
    hand.finishOpen(fd, path, bytes);
  } finally {
    hand.close(fd);
  }
}

/** Writes by way of memory: the times tell of it later, or when it ends. */
export function* maps(hand: Hand): Program {
  const path = hand.someFile();
  if (path === null) return;
  const fd = hand.open(path, { write: true });
  try {
    const size = hand.calls.fstat(fd).size;
    if (size === 0) return;
    const bytes = hand.newBytes(size).subarray(0, size);
    const half = size >> 1;
    const mapping = hand.mapped(fd);
    yield SOON;
    mapping.write(0, bytes.subarray(0, half));
    yield hand.random.pick([0, 100, 1000]);
    mapping.write(half, bytes.subarray(half));
    mapping.done();
    hand.finishOpen(fd, path, bytes);
  } finally {
    hand.close(fd);
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}
