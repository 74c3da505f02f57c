/** What else people and their programs do to a folder: rights and times, another user's files, placeholders, attributes, and looking. */
import type { Hand } from '../hand.ts';
import { isPlaceholderName } from '../trees.ts';
import { SOON, type Program } from './program.ts';

const SECOND = 1_000_000_000n;
const YEAR_2040 = 2_208_988_800n * SECOND;
/** Beyond what 64 bits of nanoseconds hold. */
const YEAR_2300 = 10_413_792_000n * SECOND;
const ROOT = 0;
const encoder = new TextEncoder();

/** `chmod -R`: for a while nobody may write, or look into a folder. */
export function* changesRights(hand: Hand): Program {
  const top = hand.random.chance(0.5) ? hand.someFolder() : null;
  const [file, folder] = hand.random.pick([
    [0o600, 0o700],
    [0o644, 0o755],
    [0o444, 0o555],
    [0o640, 0o750],
  ] as const);
  for (const [path, { kind }] of hand.walk(top ?? '').toReversed()) {
    if (kind === 'symlink') continue;
    hand.chmod(path, kind === 'directory' ? folder : file);
    if (hand.random.chance(0.3)) yield SOON;
  }
}

/** Lets its owner look into everything again; what is locked against changes stays so. */
export function* givesRights(hand: Hand): Program {
  // From above: what may not be entered has no names to see.
  for (let again = true; again;) {
    again = false;
    for (const [path, { kind, mode, uid }] of hand.walk()) {
      if (kind === 'symlink' || uid !== hand.calls.who.uid) continue;
      const wanted = kind === 'directory' ? 0o500 : 0o400;
      if ((mode & wanted) === wanted) continue;
      hand.chmod(path, mode | wanted);
      again ||= kind === 'directory';
    }
    yield SOON;
  }
}

/** `touch -d`: long ago, or years ahead. */
export function* changesTimes(hand: Hand): Program {
  const path = hand.someFile();
  if (path === null) return;
  hand.touch(
    path,
    hand.random.pick([0n, SECOND, YEAR_2040, YEAR_2300, 1_500_000_000_123_456_789n]),
  );
  yield SOON;
}

/** Extended attributes of a person, which are synced. */
export function* marks(hand: Hand): Program {
  const path = hand.someFile();
  if (path === null) return;
  const name = hand.random.pick(['user.color', 'user.note']);
  if (hand.random.chance(0.25)) hand.calls.removexattr(hand.at(path), name);
  else hand.calls.setxattr(hand.at(path), name, encoder.encode(String(hand.ledger.next())));
  yield SOON;
}

/** `chmod` of what nobody may read or enter from then on, as some programs do to what they are at; after a while the rights are back, or never. */
export function* locksUp(hand: Hand): Program {
  const path = hand.random.chance(0.5) ? hand.someFolder() : hand.someFile();
  const before = path === null ? null : hand.look(path);
  if (path === null || before === null) return;
  hand.chmod(path, hand.random.pick([0o000, 0o000, 0o200, 0o300, 0o400]));
  yield hand.random.pick([0, 500, 5000, 60_000]);
  if (hand.random.chance(0.7)) hand.chmod(path, before.mode);
}

/** Root's own files and folders in the folder of a person, some of which nobody else may read. */
export function* foreignFiles(hand: Hand): Program {
  if (hand.calls.who.uid !== ROOT) return;
  const folder = 'root-folder';
  if (hand.random.chance(0.3) && hand.look(folder) === null) {
    hand.mkdir(folder, hand.random.pick([0o700, 0o755]));
  }
  const isIn = hand.look(folder)?.kind === 'directory' && hand.random.chance(0.4);
  const path = isIn ? `${folder}/of-root` : hand.somePath(['of-root', 'of-root2']);
  if (hand.look(path) === null) {
    const bytes = hand.newBytes();
    hand.make(path, bytes, { mode: hand.random.pick([0o600, 0o644]) });
    hand.finish(path, bytes);
    return;
  }
  yield SOON;
  hand.chmod(path, hand.random.pick([0o600, 0o644]));
}

/** A person does to placeholders what they do to files: edits, renames, moves, removes, copies them. */
export function* placeholders(hand: Hand): Program {
  const path = hand.files().find((each) => isPlaceholderName(each));
  if (path === undefined) return;
  const text = hand.read(path);
  yield SOON;
  switch (hand.random.pick(['edit', 'rename', 'remove', 'beside'])) {
    case 'edit': {
      const fd = hand.open(path, { write: true });
      const bytes = hand.newBytes();
      try {
        hand.truncate(fd, 0);
        hand.write(fd, bytes, 0);
      } finally {
        hand.close(fd);
      }
      return hand.finish(path, bytes);
    }
    case 'rename': {
      const to = `${hand.somePath()}.godwit`;
      if (hand.look(to) === null) hand.rename(path, to);
      return;
    }
    case 'remove':
      hand.gaveUpBehind(text);
      return hand.unlink(path);
    case 'beside': {
      const bytes = hand.newBytes();
      const real = path.slice(0, -'.godwit'.length);
      if (hand.look(real) !== null) return;
      hand.gaveUpBehind(text);
      hand.make(real, bytes);
      return hand.finish(real, bytes);
    }
  }
}

/** An indexer: it reads what is there, and no file may be in a state that none was ever in. */
export function* reads(hand: Hand): Program {
  for (const path of hand.files()) {
    if (isPlaceholderName(path)) continue;
    hand.checkWhole(path);
    yield SOON;
  }
}
