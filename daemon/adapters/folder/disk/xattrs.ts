/**
 * User extended attributes as they are sent: in base64, in byte order of names. What is too large for a message, or more than one takes,
 * stays here and is never told, as one is whose name is no text (UTF-8); what this disk does not take stays with the others. Neither is anybody's removal.
 */
import { GROUP_XATTR } from '../../../../shared/model/file-group.ts';
import { compareNames, utf8Length } from '../../../../shared/model/names.ts';
import type { Xattr } from '../../../../shared/model/vnode.ts';
import type { HostFileCalls } from './disk.ts';
import type { SafeRoot } from './safe-root.ts';

/** What a message takes: bytes of a value, and attributes of a file; and the bytes that Linux takes of a name, without `user.`. */
const MAX_VALUE = 4096;
const MAX_COUNT = 64;
const MAX_NAME = 250;

type Found = ReturnType<HostFileCalls['listXattrs']>[number];

export interface LeftXattrs {
  /** Names of those here that can't be sent. */
  readonly left: readonly string[];
  /** Names of those that were synced and this disk does not take. */
  readonly absent: readonly string[];
}

export interface SeenXattrs extends LeftXattrs {
  readonly xattrs: readonly Xattr[];
}

/** What was synced of a file, and which of it this disk does not have. */
export interface KnownXattrs {
  readonly xattrs: readonly Xattr[];
  readonly absent?: readonly string[] | undefined;
}

export const NO_XATTRS: SeenXattrs = { xattrs: [], left: [], absent: [] };

/** The extended attributes of what is at a path, as far as they can be synced, and the names of those that can not. Throws what the disk says. */
export function readXattrs(
  files: HostFileCalls,
  root: SafeRoot,
  path: readonly string[],
  known: KnownXattrs = NO_XATTRS,
): SeenXattrs {
  const name = path.at(-1);
  const dir = path.slice(0, -1);
  const found = root.within(dir, (base) =>
    files.listXattrs(name === undefined ? base : `${base}/${name}`),
  );
  return seenXattrs(found, known);
}

/** What of those that were found is synced; `known`: as it was recorded before, with what this disk does not take. */
export function seenXattrs(found: readonly Found[], known: KnownXattrs): SeenXattrs {
  const { carried, left, foreign } = sorted(found, new Set(known.xattrs.map(({ name }) => name)));
  const here = new Set(carried.map(({ name }) => name));
  const away = new Set([...(known.absent ?? []), ...left]);
  const kept = known.xattrs.filter(({ name }) => away.has(name) && !here.has(name));
  const own = carried.map(({ name, value }) => ({
    name,
    value: Buffer.from(value).toString('base64'),
  }));
  const xattrs = [...kept, ...own].slice(0, MAX_COUNT);
  const absent = (known.absent ?? []).filter((name) => !here.has(name) && !left.includes(name));
  const all = [...left, ...foreign];
  return { xattrs: xattrs.sort((a, b) => compareNames(a.name, b.name)), left: all, absent };
}

interface Sorted {
  readonly carried: readonly Found[];
  readonly left: readonly string[];
  /** Of those whose names are no text, as they are shown. No other one is called so, even if it looks like that. */
  readonly foreign: readonly string[];
}

/** Of more than are taken those that were synced before come first: others must not lose one for a new one here. */
function sorted(found: readonly Found[], known: ReadonlySet<string>): Sorted {
  const texts = found.filter(({ isText }) => isText);
  const fits = texts.filter(isCarried);
  const taken =
    fits.length <= MAX_COUNT
      ? fits
      : [...fits]
          .sort((a, b) => Number(known.has(b.name)) - Number(known.has(a.name)))
          .slice(0, MAX_COUNT);
  const carried = new Set(taken);
  const left = texts.filter((each) => !carried.has(each)).map(({ name }) => name);
  const foreign = found.filter(({ isText }) => !isText).map(({ name }) => name);
  return { carried: taken, left, foreign };
}

function isCarried({ name, value }: Found): boolean {
  return utf8Length(name) <= MAX_NAME && value.length <= MAX_VALUE;
}

/**
 * What a file has now, with the file group that it had: an editor that saves beside and renames knows nothing of that one (rule W3), and
 * only `godwit group` ends it.
 */
export function withGroup(seen: readonly Xattr[], before: readonly Xattr[]): readonly Xattr[] {
  const group = before.find(({ name }) => name === GROUP_XATTR);
  if (group === undefined || seen.some(({ name }) => name === GROUP_XATTR)) return seen;
  return [...seen, group].sort((a, b) => compareNames(a.name, b.name));
}

/** The same names with the same values, in the same order. */
export function sameXattrs(a: readonly Xattr[], b: readonly Xattr[]): boolean {
  return (
    a.length === b.length &&
    a.every((xattr, i) => xattr.name === b[i]?.name && xattr.value === b[i].value)
  );
}

/** What a disk says to an attribute that it can't have: its name, its size, all of them together, or any at all. */
const NOT_TAKEN = new Set([
  ...['ENOSPC', 'EDQUOT', 'E2BIG', 'ERANGE', 'EINVAL', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP'],
]);

/**
 * Makes the attributes of a file of ours (it is no link) the given ones, but for those that can't be synced. `before`: what was synced of it.
 */
export function writeXattrs(
  files: HostFileCalls,
  path: string,
  wanted: readonly Xattr[],
  before: readonly Xattr[],
): LeftXattrs {
  const listed = files.listXattrs(path);
  const found = listed.filter(({ isText }) => isText);
  const names = new Set(wanted.map(({ name }) => name));
  const kinds = sorted(listed, new Set(before.map(({ name }) => name)));
  const left = new Set(kinds.left);
  for (const { name } of found) {
    if (!names.has(name) && !left.has(name)) files.removeXattr(path, name);
  }
  const has = new Map(found.map(({ name, value }) => [name, Buffer.from(value)]));
  const isOld = (name: string, value: string): boolean =>
    before.some((each) => each.name === name && each.value === value);
  const isKept = (name: string): boolean =>
    wanted.some((each) => each.name === name && isOld(name, each.value));
  const absent: string[] = [];
  for (const { name, value } of wanted) {
    const bytes = Buffer.from(value, 'base64');
    if (has.get(name)?.equals(bytes) === true) continue;
    // What somebody has put there since, and can't be told.
    if (left.has(name) && isOld(name, value)) continue;
    try {
      files.setXattr(path, name, bytes);
    } catch (error) {
      if (!NOT_TAKEN.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      absent.push(name);
    }
  }
  const kept = [...left].filter((name) => !names.has(name) || isKept(name));
  return { left: [...kept, ...kinds.foreign], absent };
}
