/** What people have in folders that few think of: names that a disk may not take or takes for one, things that are no files, rules, and moves to other disks. */
import { IGNORE_FILE } from '../../../../../shared/control/default-ignores.ts';
import { GROUP_XATTR } from '../../../../../shared/model/file-group.ts';
import type { Hand } from '../hand.ts';
import { isPlaceholderName } from '../trees.ts';
import { SOON, type Program } from './program.ts';

/** Composed and decomposed: two names, or one. */
const [COMPOSED, DECOMPOSED] = ['caf\u00e9', 'cafe\u0301'];
const ODD_NAMES: readonly string[] = [
  ...['A', 'B', 'DOC.TXT', 'Main.c', COMPOSED, DECOMPOSED, 'end.', 'blank ', 'a:b', 'what?*'],
  ...['back\\slash', 'x'.repeat(251), '\u00fc'.repeat(120), '\ufffd', 'con', 'a.godwit.txt'],
  ...['a (conflict of ada).txt', '.hidden', '~a', '#a#', 'new\nline', '-rf'],
];
/** No UTF-8, as old archives have it. */
const NO_TEXT = Uint8Array.from([0x61, 0xe9, 0x2e, 0x74]);
const encoder = new TextEncoder();

/** Files, folders and links with names that some disks refuse, cut or take for another. */
export function* oddNames(hand: Hand): Program {
  const count = hand.random.between(1, 4);
  for (let at = 0; at < count; at++) {
    const path = hand.somePath(ODD_NAMES);
    if (hand.look(path) === null) yield* madeSomehow(hand, path);
    else if (hand.isFile(path)) yield* renamed(hand, path);
    yield SOON;
  }
}

function* madeSomehow(hand: Hand, path: string): Program {
  switch (hand.random.pick(['file', 'file', 'folder', 'link', 'rename'])) {
    case 'file': {
      const bytes = hand.newBytes();
      hand.make(path, bytes);
      return hand.finish(path, bytes);
    }
    case 'folder': {
      hand.mkdir(path);
      yield SOON;
      const [inside, bytes] = [`${path}/a`, hand.newBytes()];
      hand.make(inside, bytes);
      return hand.finish(inside, bytes);
    }
    case 'link':
      return hand.symlink('a', path);
    case 'rename': {
      const file = hand.someFile();
      if (file !== null) hand.rename(file, path);
    }
  }
}

/** To the same name in other letters, as people do. */
function* renamed(hand: Hand, path: string): Program {
  const cut = path.lastIndexOf('/') + 1;
  const name = path.slice(cut);
  const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
  const to = path.slice(0, cut) + other;
  if (to === path) return;
  if (hand.random.chance(0.3)) {
    const between = `${path}.x`;
    hand.rename(path, between);
    yield SOON;
    return hand.rename(between, to);
  }
  if (hand.look(to) === null || hand.look(to)?.ino === hand.look(path)?.ino) hand.rename(path, to);
}

/** Pipes, and names that are no text: they stay here. And names that change what they are. */
export function* mixedKinds(hand: Hand): Program {
  const path = hand.somePath(['k1', 'k2', 'a']);
  const there = hand.look(path);
  if (there !== null) {
    if (there.kind !== 'directory') hand.unlink(path);
    else if (hand.walk(path).length === 0) hand.rmdir(path);
    else return;
    if (hand.random.chance(0.5)) yield SOON;
  }
  switch (hand.random.pick(['pipe', 'folder', 'link', 'file', 'no text'])) {
    case 'pipe':
      return hand.calls.mkfifo(hand.at(path));
    case 'folder':
      return hand.mkdir(path);
    case 'link':
      return hand.symlink(hand.random.pick(['b', 'd', '..']), path);
    case 'file': {
      const bytes = hand.newBytes();
      hand.make(path, bytes);
      return hand.finish(path, bytes);
    }
    case 'no text': {
      const cut = path.lastIndexOf('/') + 1;
      const above = encoder.encode(`${hand.root}/${path.slice(0, cut)}`);
      const at = Uint8Array.from([...above, ...NO_TEXT]);
      hand.calls.close(hand.calls.open(at, 'w'));
    }
  }
}

const RULES = ['a', '*.c', '/d/', 'dir/', '!a', '# a remark', 'k?', 'sub/**', '*.godwit', '/tree'];
const ODD_RULES = ['*a*b*c*d', '****/****x', '[', 'x'.repeat(5000), '\\', '!'];
const MOST_OF_RULES = 300 * 1024;

/** A person writes rules of what is not synced, and takes them back. */
export function* ignores(hand: Hand): Program {
  const dir = hand.random.chance(0.3) ? hand.someFolder() : null;
  const path = dir === null ? IGNORE_FILE : `${dir}/${IGNORE_FILE}`;
  const there = hand.look(path);
  if (there !== null) {
    if (there.kind === 'directory') hand.rmdir(path);
    else hand.unlink(path);
    if (hand.random.chance(0.4)) return;
    yield SOON;
  }
  const what = hand.random.pick(['rules', 'rules', 'rules', 'rules', 'link', 'folder', 'long']);
  if (what === 'link') return hand.symlink('a', path);
  if (what === 'folder') return hand.mkdir(path);
  const rules = hand.random.shuffled(RULES).slice(0, hand.random.between(1, 3));
  if (hand.random.chance(0.2)) rules.push(hand.random.pick(ODD_RULES));
  const own = `# ${hand.ledger.next()} of ${hand.root}\n`;
  const text = what === 'long' ? '# long\n'.repeat(MOST_OF_RULES / 7) : '';
  const bytes = encoder.encode(`${own}${rules.join('\n')}\n${text}`);
  hand.make(path, bytes);
  hand.finish(path, bytes);
}

/** Many small files come, and another time go, all at once. */
export function* masses(hand: Hand): Program {
  const top = hand.random.pick(['mass', 'mass/in']);
  if (hand.look('mass') === null) hand.mkdir('mass');
  const there = hand.files('mass');
  if (there.length > 0 && hand.random.chance(0.6)) {
    for (const path of there) hand.unlink(path);
    if (hand.random.chance(0.3) && hand.look('mass/in') !== null) hand.rmdir('mass/in');
    return;
  }
  if (hand.look(top) === null) hand.mkdir(top);
  const count = hand.random.between(4, 12);
  for (let at = 0; at < count; at++) {
    const path = `${top}/m${at}`;
    if (hand.look(path) !== null) continue;
    const bytes = hand.newBytes();
    hand.make(path, bytes);
    hand.finish(path, bytes);
    if (hand.random.chance(0.2)) yield SOON;
  }
}

/** `mv` to another disk, in the folder or out of it: a copy with its time and mode, and then the original goes. */
export function* movesFar(hand: Hand): Program {
  const from = hand.random.chance(0.3) ? hand.someFolder() : hand.someFile();
  const disk = hand.look('disk')?.kind === 'directory' ? 'disk' : null;
  if (from === null || from === disk) return;
  const isOn = disk !== null && from.startsWith('disk/');
  const name = hand.random.pick(['a', 'moved', 'dir']);
  const to = disk === null || isOn ? name : `${disk}/${name}`;
  if (hand.look(to) !== null || to.startsWith(`${from}/`)) return;
  yield* copied(hand, from, to);
}

function* copied(hand: Hand, from: string, to: string): Program {
  const stats = hand.look(from);
  if (stats === null) return;
  if (stats.kind === 'directory') {
    hand.mkdir(to);
    for (const name of hand.calls.readdir(hand.at(from)).sort()) {
      yield* copied(hand, `${from}/${name}`, `${to}/${name}`);
    }
    return hand.rmdir(from);
  }
  if (stats.kind === 'symlink') {
    hand.symlink(hand.calls.readlink(hand.at(from)), to);
    return hand.unlink(from);
  }
  if (stats.kind !== 'file' || isPlaceholderName(from)) return;
  const bytes = hand.read(from);
  hand.make(to, bytes, { mode: stats.mode & 0o777 });
  hand.touch(to, stats.mtime);
  if (hand.random.chance(0.4)) yield SOON;
  hand.unlink(from);
  hand.movedTo(to, bytes);
}

/** Attributes that are large or many, of folders too, and the mode bits that a change of contents takes away. */
export function* decorates(hand: Hand): Program {
  const path = hand.random.chance(0.4) ? hand.someFolder() : hand.someFile();
  if (path === null) return;
  const at = hand.at(path);
  const text = String(hand.ledger.next());
  switch (hand.random.pick(['large', 'many', 'group', 'bits', 'bits', 'none'])) {
    case 'large':
      return hand.calls.setxattr(at, 'user.large', encoder.encode(text.padEnd(5000, 'x')));
    case 'many':
      for (let each = 0; each < 12; each++) {
        hand.calls.setxattr(at, `user.many${each}`, encoder.encode(text.padEnd(200, '.')));
        if (each === 6) yield SOON;
      }
      return;
    case 'group':
      return hand.calls.setxattr(at, `user.${GROUP_XATTR}`, encoder.encode(text));
    case 'bits':
      return hand.chmod(path, hand.random.pick([0o4755, 0o2755, 0o1777, 0o6755]));
    case 'none':
      for (const name of hand.calls.listxattr(at)) {
        if (name.startsWith('user.')) hand.calls.removexattr(at, name);
      }
  }
}

/** Names of one file that are taken over by another of its names, and renames that take an empty folder's place. */
export function* takesOver(hand: Hand): Program {
  const file = hand.someFile();
  if (file === null) return;
  const second = `${file}.second`;
  if (hand.look(second) !== null) return;
  hand.link(file, second);
  yield hand.random.pick([0, 400, 2000]);
  switch (hand.random.pick(['rename', 'write', 'remove', 'folder'])) {
    case 'rename':
      hand.rename(second, `${file}.third`);
      yield SOON;
      return hand.unlink(file);
    case 'write': {
      const bytes = hand.newBytes();
      const fd = hand.open(second, { write: true, truncate: true });
      try {
        hand.write(fd, bytes, 0);
        hand.finishOpen(fd, second, bytes);
      } finally {
        hand.close(fd);
      }
      return;
    }
    case 'remove':
      return hand.unlink(hand.random.pick([file, second]));
    case 'folder': {
      const [one, other] = [hand.someFolder(), `${second}.dir`];
      hand.mkdir(other);
      yield SOON;
      if (one !== null && hand.look(other)?.kind === 'directory') hand.rename(one, other);
    }
  }
}
