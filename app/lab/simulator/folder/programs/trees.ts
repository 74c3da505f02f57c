/** Programs that make, change and remove whole trees: version control, archives, package managers, builds, and people with a file manager. */
import { NAMES, type Hand } from '../hand.ts';
import { SOON, type Program } from './program.ts';

const SECOND = 1_000_000_000n;
/** 2001-09-09: what an archive has. */
const LONG_AGO = 1_000_000_000n * SECOND;

/** `git checkout`: files of the other branch are removed and made anew, and the index is renamed over the old one. */
export function* checkout(hand: Hand): Program {
  const [top] = [hand.random.pick(['', 'repo'])];
  if (top !== '' && hand.look(top) === null) hand.mkdir(top);
  const under = (name: string): string => (top === '' ? name : `${top}/${name}`);
  const lock = under('index.lock');
  const index = hand.newBytes();
  hand.make(lock, hand.newBytes());
  for (const path of hand.files(top).slice(0, hand.random.between(1, 8))) {
    if (path === lock || path === under('index')) continue;
    hand.unlink(path);
    if (hand.random.chance(0.2)) continue;
    if (hand.random.chance(0.3)) yield SOON;
    const bytes = hand.newBytes();
    hand.make(path, bytes);
    hand.finish(path, bytes);
    yield SOON;
  }
  const fd = hand.open(lock, { write: true });
  try {
    hand.truncate(fd, 0);
    hand.write(fd, index, 0);
  } finally {
    hand.close(fd);
  }
  hand.rename(lock, under('index'), index);
  hand.finish(under('index'), index);
}

/** `tar -x`: what is in the way goes, files are made closed to others, modes and times are set after, links and folders' times come last. */
export function* extract(hand: Hand): Program {
  const top = hand.random.pick(['tree', 'tree2']);
  const dirs = [top, `${top}/in`, `${top}/in/deep`];
  for (const dir of dirs) {
    if (hand.look(dir)?.kind !== 'directory') hand.mkdir(dir, 0o700);
  }
  const count = hand.random.between(2, 8);
  for (let at = 0; at < count; at++) {
    const path = `${hand.random.pick(dirs)}/f${hand.random.below(5)}`;
    const bytes = hand.newBytes();
    if (hand.look(path) !== null) hand.unlink(path);
    hand.make(path, bytes, { mode: 0o600 });
    yield SOON;
    hand.touch(path, LONG_AGO + BigInt(at) * SECOND);
    hand.chmod(path, hand.random.pick([0o644, 0o755, 0o444]));
    hand.finish(path, bytes);
  }
  if (hand.look(`${top}/link`) === null) hand.symlink('in/deep', `${top}/link`);
  for (const dir of dirs.toReversed()) {
    yield SOON;
    hand.chmod(dir, 0o755);
    hand.touch(dir, LONG_AGO);
  }
}

/** `rsync -a` from elsewhere: each file is written under a temporary name, gets its time and mode, and is renamed. */
export function* rsync(hand: Hand): Program {
  const top = 'mirror';
  if (hand.look(top) === null) hand.mkdir(top);
  const count = hand.random.between(1, 6);
  for (let at = 0; at < count; at++) {
    const name = `f${hand.random.below(6)}`;
    const [path, temporary] = [`${top}/${name}`, `${top}/.${name}.${hand.random.hex(3)}`];
    const bytes = hand.newBytes();
    hand.make(temporary, bytes, { mode: 0o600 });
    yield SOON;
    hand.touch(temporary, LONG_AGO + BigInt(hand.random.below(1000)) * SECOND);
    hand.chmod(temporary, 0o644);
    yield SOON;
    hand.rename(temporary, path, bytes);
    hand.finish(path, bytes);
  }
  if (hand.random.chance(0.3)) {
    const gone = hand.files(top)[0];
    if (gone !== undefined) hand.unlink(gone);
  }
}

/** `npm ci`: the old tree goes, packages are unpacked beside their places and renamed to them. */
export function* install(hand: Hand): Program {
  const top = 'node_modules';
  yield* removed(hand, top);
  hand.mkdir(top);
  const packages = hand.random.between(2, 5);
  for (let at = 0; at < packages; at++) {
    const [staging, place] = [`${top}/.p${at}-${hand.random.hex(3)}`, `${top}/p${at}`];
    hand.mkdir(staging);
    const made: Array<readonly [string, Uint8Array]> = [];
    for (const name of ['package.json', 'index.js', 'LICENSE']) {
      const bytes = hand.newBytes();
      hand.make(`${staging}/${name}`, bytes);
      made.push([name, bytes]);
      if (hand.random.chance(0.5)) yield SOON;
    }
    hand.rename(staging, place);
    for (const [name, bytes] of made) hand.finish(`${place}/${name}`, bytes);
    yield SOON;
  }
  hand.mkdir(`${top}/.bin`);
  hand.symlink('../p0/index.js', `${top}/.bin/p0`);
}

/** `make`: what is older than its source is written anew, by way of a temporary file or in place. */
export function* build(hand: Hand): Program {
  const top = 'out';
  if (hand.look(top) === null) hand.mkdir(top);
  for (const source of hand
    .files()
    .filter((path) => path.endsWith('.c'))
    .slice(0, 3)) {
    hand.read(source);
    const object = `${top}/${source.replaceAll('/', '_')}.o`;
    const bytes = hand.newBytes();
    const fd = hand.open(object, { write: true, create: true });
    try {
      hand.truncate(fd, 0);
      yield SOON;
      hand.write(fd, bytes, 0);
      hand.finishOpen(fd, object, bytes);
    } finally {
      hand.close(fd);
    }
    yield SOON;
  }
  const program = `${top}/program`;
  if (hand.look(program) !== null) hand.unlink(program);
  const bytes = hand.newBytes();
  hand.make(program, bytes, { mode: 0o755 });
  hand.finish(program, bytes);
}

/** `rm -rf`: of what comes meanwhile it leaves the folders. */
export function* removes(hand: Hand): Program {
  const top = hand.random.chance(0.5) ? hand.someFolder() : hand.someFile();
  if (top !== null) yield* removed(hand, top);
}

/** Takes a file away, or a folder with all that is in it. */
export function* removed(hand: Hand, top: string): Program {
  const stats = hand.look(top);
  if (stats === null) return;
  if (stats.kind !== 'directory') return hand.unlink(top);
  for (const [path, { kind }] of hand.walk(top).toReversed()) {
    if (kind === 'directory') hand.rmdir(path);
    else hand.unlink(path);
    if (hand.random.chance(0.4)) yield SOON;
  }
  hand.rmdir(top);
}

/** A person moves or renames something, within the folder, out of it, or into it; or swaps two names. */
export function* moves(hand: Hand): Program {
  const from = hand.random.chance(0.35) ? hand.someFolder() : hand.someFile();
  const away = `${hand.outside}/${hand.random.pick(['x', 'y', 'z'])}`;
  switch (hand.random.pick(['within', 'within', 'out', 'in', 'swap'])) {
    case 'within': {
      const to = hand.somePath();
      if (from !== null && hand.look(to) === null) hand.rename(from, to);
      return;
    }
    case 'out':
      if (from !== null && hand.look(away) === null) hand.rename(from, away);
      return;
    case 'in': {
      const to = hand.somePath();
      if (hand.look(away) !== null && hand.look(to) === null) hand.rename(away, to);
      return;
    }
    case 'swap':
      return yield* swaps(hand);
  }
}

/** Across the border of a mounted volume, in or out; or within it. */
export function* crosses(hand: Hand): Program {
  const mounts = hand.folders().filter((path) => MOUNT.test(path));
  if (mounts.length === 0) return;
  const mount = hand.random.pick(mounts);
  const inside = hand.walk(mount).map(([path]) => path);
  const others = hand
    .walk()
    .map(([path]) => path)
    .filter((path) => !path.startsWith(mount));
  const [from, to] = hand.random.chance(0.6) ? [others, mount] : [inside, ''];
  if (from.length === 0) return void hand.mkdir(`${mount}/${hand.random.pick(NAMES)}`);
  const path = hand.random.pick(from);
  yield SOON;
  const name = hand.random.pick([...NAMES, path.slice(path.lastIndexOf('/') + 1)]);
  const target = to === '' ? name : `${to}/${name}`;
  if (hand.look(path) !== null && hand.look(target) === null) hand.rename(path, target);
}

const MOUNT = /^mount-\d$/;

function* swaps(hand: Hand): Program {
  const [one, other] = [hand.someFile(), hand.someFile()];
  if (one === null || other === null || one === other) return;
  const between = `${one}.between`;
  hand.rename(one, between);
  yield SOON;
  hand.rename(other, one);
  yield hand.random.pick([0, 500]);
  hand.rename(between, other);
}

/** `mkdir -p`, and copies of files with their times. */
export function* copies(hand: Hand): Program {
  const [file, dir] = [hand.someFile(), hand.somePath(['d', 'dir', 'sub'])];
  if (hand.look(dir) === null) hand.mkdir(dir);
  yield SOON;
  if (file === null) return;
  const path = `${dir}/${hand.random.pick(['copy', 'a'])}`;
  // A copy with bytes of its own: else nobody could tell it from the other.
  const bytes = hand.newBytes();
  hand.read(file);
  if (hand.look(path) !== null) return;
  hand.make(path, bytes);
  hand.finish(path, bytes);
}

/** A second name for a file, in the folder or outside of it. */
export function* links(hand: Hand): Program {
  const file = hand.someFile();
  if (file === null) return;
  const path = hand.random.chance(0.7) ? hand.somePath(['l1', 'l2']) : `${hand.outside}/l3`;
  if (hand.look(path) === null) hand.link(file, path);
  yield SOON;
  if (hand.random.chance(0.3) && hand.look(path) !== null) hand.unlink(path);
}

/** A link to somewhere, also out of the folder. */
export function* symlinks(hand: Hand): Program {
  const path = hand.somePath(['s1', 's2']);
  const target = hand.random.pick(['a', '..', hand.outside, `${hand.outside}/x`, 'nowhere', '/']);
  if (hand.look(path)?.kind === 'symlink') hand.unlink(path);
  yield SOON;
  if (hand.look(path) === null) hand.symlink(target, path);
}
