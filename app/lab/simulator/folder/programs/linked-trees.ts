/**
 * Trees in which files have two names and are alike, as archives make them: all have one time, and those of one place in each tree have one length. Where a
 * disk gives the numbers of removed files again, and keeps no times of birth, little tells them apart.
 */
import type { Hand } from '../hand.ts';
import { SOON, type Program } from './program.ts';
import { removed } from './trees.ts';

const TOPS = ['ta', 'tb'] as const;
/** Where a disk is mounted in the folder. */
const DISK = 'disk';
/** 2001-09-09. */
const LONG_AGO = 1_000_000_000_000_000_000n;
const FILES = 4;
const LENGTH = 64;

/** Those that may be there, in the folder itself and on the disk that is mounted in it. */
function tops(hand: Hand): string[] {
  const isMounted = hand.look(DISK)?.kind === 'directory';
  return [...TOPS, ...(isMounted ? TOPS.map((top) => `${DISK}/${top}`) : [])];
}

/** `tar -x` of an archive with hard links: what is in the way goes, and what the disk refuses is left out. */
export function* extractLinked(hand: Hand): Program {
  yield* unpacked(hand, hand.random.pick(tops(hand)));
}

function* unpacked(hand: Hand, top: string): Program {
  for (const dir of [top, `${top}/in`]) {
    if (hand.look(dir)?.kind !== 'directory') hand.mkdir(dir);
  }
  const isFirst = hand.random.chance(0.5);
  for (let at = 0; at < FILES; at++) {
    const plain = `${top}/in/f${at}`;
    const names = at % 2 === 0 ? [plain, `${plain}-linked`] : [plain];
    const [name = plain, other] = isFirst ? names : names.toReversed();
    for (const each of names) if (hand.look(each) !== null) hand.unlink(each);
    const bytes = hand.newBytes(LENGTH + at);
    hand.make(name, bytes);
    if (hand.random.chance(0.3)) yield SOON;
    hand.touch(name, LONG_AGO);
    hand.finish(name, bytes);
    if (other !== undefined) linkIfAble(hand, name, other);
    if (hand.random.chance(0.3)) yield SOON;
  }
}

/** False: the disk has one name for a file. */
function linkIfAble(hand: Hand, file: string, path: string): boolean {
  try {
    hand.link(file, path);
    return true;
  } catch (error) {
    if (hand.look(path) !== null) throw error;
    return false;
  }
}

/** One of the two names goes, or comes again. */
export function* unlinks(hand: Hand): Program {
  for (const path of hand.files().filter((each) => each.endsWith('-linked'))) {
    const other = path.replace(/-linked$/, '');
    if (hand.random.chance(0.5)) continue;
    if (hand.look(other) === null) linkIfAble(hand, path, other);
    else hand.unlink(hand.random.pick([path, other]));
    if (hand.random.chance(0.3)) yield SOON;
  }
}

/** `rm -rf`, and often the same tree anew. */
export function* remakes(hand: Hand): Program {
  const top = hand.random.pick(tops(hand));
  yield* removed(hand, top);
  if (hand.random.chance(0.6)) yield* unpacked(hand, top);
}

/** Two trees change places by way of a third name: renamed, or copied from disk to disk. */
export function* swapsTrees(hand: Hand): Program {
  const [one = '', other = ''] = hand.random.shuffled(tops(hand));
  const between = `${one}.t`;
  if (hand.look(one) === null || hand.look(between) !== null) return;
  yield* moved(hand, one, between);
  yield SOON;
  if (hand.look(other) !== null && hand.look(one) === null) yield* moved(hand, other, one);
  yield hand.random.pick([0, 0, 500]);
  if (hand.look(other) === null) yield* moved(hand, between, other);
}

/** `mv`: where something could not be copied, the original stays, and what was copied, too. A copy has bytes of its own, and length and time of the other. */
function* moved(hand: Hand, from: string, to: string): Program {
  const onDisk = (path: string): boolean => path.startsWith(`${DISK}/`);
  if (onDisk(from) === onDisk(to)) return hand.rename(from, to);
  const copies = new Map<bigint, string>();
  let isWhole = true;
  const all = hand.walk(from);
  hand.mkdir(to);
  for (const [path, stats] of all) {
    const copy = `${to}${path.slice(from.length)}`;
    const known = copies.get(stats.ino);
    if (stats.kind === 'directory') hand.mkdir(copy);
    else if (known !== undefined) isWhole = linkIfAble(hand, known, copy) && isWhole;
    else {
      const bytes = hand.newBytes(stats.size);
      hand.make(copy, bytes);
      hand.touch(copy, stats.mtime);
      hand.finish(copy, bytes);
      if (stats.links > 1) copies.set(stats.ino, copy);
    }
    if (hand.random.chance(0.2)) yield SOON;
  }
  if (isWhole) yield* removed(hand, from);
}
