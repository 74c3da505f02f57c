/**
 * Which paths are left alone: the defaults, then `.godwitignore` in the root and in directories below, in git's syntax. The
 * rules of a deeper directory are asked first; a path below an ignored directory is ignored.
 */
import { join } from 'node:path';
import ignore, { type Ignore, type TestResult } from 'ignore';
import type { Disk } from '../disk/disk.ts';
import type { ErrorBoard } from '../error-board.ts';
import { isRoomName, OWN_DIRECTORY } from '../../../../shared/control/marker.ts';
import { DEFAULT_IGNORES, IGNORE_FILE } from '../../../../shared/control/default-ignores.ts';

/** An ignore file beyond this is not one that a person wrote. */
const MAX_BYTES = 256 * 1024;
const RENEW_AFTER = 5000;
/** No path of a file is longer. */
const MAX_PATTERN = 4096;
/** Stars side by side count as one. More than a person needs; a name of 255 bytes costs some million steps with three. */
const MAX_WILDCARDS = 6;
const MAX_SEGMENT_WILDCARDS = 3;
/** Of a pattern in a message. */
const SHOWN = 60;

/** A rule that something is ignored by. */
export interface IgnoredBy {
  readonly depth: number;
  readonly reason: string;
}

/** Tells which paths are ignored, by the defaults and the `.godwitignore` files. */
export class IgnoreRules {
  readonly #root: string;
  readonly #files: Pick<Disk, 'readSmall'>;
  #top = new Directory();
  /** Before a path of an ignore file: `NAME:` of a volume that is mounted in the folder. */
  volume = '';
  /** What those files said that were told to have other rules, by path. */
  readonly #told = new Map<string, string>();
  readonly #defaults: Rules;
  readonly #board: Pick<ErrorBoard, 'set' | 'clear'> | null;
  readonly #isSilent: (path: readonly string[]) => boolean;
  readonly #notOurs: (path: readonly string[]) => string | null;

  /**
   * `board`: where it is told that a pattern does not count. `isSilent`: nothing is read there. `notOurs`: why what is there is of
   * no concern to this folder, in words; null: it may be.
   */
  constructor(
    root: string,
    files: Pick<Disk, 'readSmall'>,
    board: Pick<ErrorBoard, 'set' | 'clear'> | null = null,
    isSilent: (path: readonly string[]) => boolean = () => false,
    notOurs: (path: readonly string[]) => string | null = () => null,
  ) {
    this.#isSilent = isSilent;
    this.#notOurs = notOurs;
    this.#root = root;
    this.#files = files;
    this.#board = board;
    this.#defaults = new Rules(DEFAULT_IGNORES.map(([pattern]) => ({ pattern, line: 0 })));
  }

  /** Rules are read when they are first needed; after this call, anew. */
  reload(): void {
    this.#top = new Directory();
    for (const code of ['ignore-pattern', 'ignore-file'] as const) this.#board?.clear(code, null);
  }

  /** True: the ignore file says something else than at the last call, or its rules were others in between. Something is known of it from then on. */
  isNews(file: string): boolean {
    if (this.#isSilent(file.split('/').slice(0, -1))) return false;
    const said = JSON.stringify(patternsOf(this.#files, join(this.#root, file)));
    if (this.#told.get(file) === said) return false;
    this.#told.set(file, said);
    return true;
  }

  isIgnored(path: readonly string[], isDirectory: boolean): boolean {
    if (isOurs(path) || this.#notOurs(path) !== null) return true;
    const { above, isBelowIgnored } = this.#above(path, true);
    return isBelowIgnored || (path.length > 0 && judge(path, isDirectory, above) !== null);
  }

  /** As isIgnored, for a path whose directory is known not to be ignored. */
  isNameIgnored(path: readonly string[], isDirectory: boolean): boolean {
    if (isOurs(path) || this.#notOurs(path) !== null) return true;
    return path.length > 0 && this.#ruleFor(path, isDirectory) !== null;
  }

  /** Which rule it is, in words; null: the path is not ignored. */
  reasonOf(path: readonly string[], isDirectory: boolean): string | null {
    if (isOurs(path)) return 'it belongs to Godwit';
    const notOurs = this.#notOurs(path);
    if (notOurs !== null) return notOurs;
    for (let depth = 1; depth <= path.length; depth++) {
      const isLast = depth === path.length;
      const found = this.#ruleFor(path.slice(0, depth), isLast ? isDirectory : true);
      if (found === null) continue;
      const what = isLast ? 'ignored' : `in /${path.slice(0, depth).join('/')}, which is ignored`;
      const { file, line, pattern } = found;
      if (file === null) return `${what} by the default rule ${pattern}`;
      return `${what} by ${this.volume}/${file} line ${line}: ${pattern}`;
    }
    return null;
  }

  /**
   * The rule that a path is ignored by, which lies in no ignored directory; null: it is not. `depth`: how many names below the root the directory of its
   * file is; a default rule is everywhere.
   */
  ruleAt(path: readonly string[], isDirectory: boolean): IgnoredBy | null {
    const found = this.#ruleFor(path, isDirectory);
    if (found === null) return null;
    const { file } = found;
    const depth = file === null ? Infinity : file.split('/').length - 1;
    return { depth, reason: this.reasonOf(path, isDirectory) ?? '' };
  }

  /** The rule that a path is ignored by; null: it is not. `file` null: a default. */
  #ruleFor(path: readonly string[], isDirectory: boolean): Found | null {
    return judge(path, isDirectory, this.#above(path, false).above);
  }

  /**
   * The rules of the directories that a path is in, from the top down; with `judges`, whether one of them is ignored, whose own rules are not read.
   * Takes steps linear in the depth: each directory is judged and read once.
   */
  #above(
    path: readonly string[],
    judges: boolean,
  ): { readonly above: readonly Level[]; readonly isBelowIgnored: boolean } {
    const above: Level[] = [{ depth: 0, rules: this.#defaults, isDefault: true }];
    let directory = this.#top;
    for (const [depth, name] of path.entries()) {
      directory.rules ??= { of: this.#read(path.slice(0, depth)) };
      const rules = directory.rules.of;
      if (rules !== null) above.push({ depth, rules, isDefault: false });
      if (depth === path.length - 1) break;
      directory = directory.child(name);
      if (!judges) continue;
      directory.isIgnored ??= judge(path.slice(0, depth + 1), true, above) !== null;
      if (directory.isIgnored) return { above, isBelowIgnored: true };
    }
    return { above, isBelowIgnored: false };
  }

  #read(directory: readonly string[]): Rules | null {
    if (this.#isSilent(directory)) return null;
    const patterns = patternsOf(this.#files, join(this.#root, ...directory, IGNORE_FILE));
    const file = [...directory, IGNORE_FILE].join('/');
    if (this.#told.has(file) && this.#told.get(file) !== JSON.stringify(patterns))
      this.#told.delete(file);
    if (patterns === null) return null;
    if (typeof patterns === 'string') {
      this.#board?.set('ignore-file', null, `${file}: ${patterns}, and does not count`);
      return null;
    }
    const leftOut = patterns.map(({ pattern }) => pattern).find((each) => !isAffordable(each));
    if (leftOut !== undefined) {
      const shown = leftOut.length > SHOWN ? `${leftOut.slice(0, SHOWN)}...` : leftOut;
      const why = leftOut.length > MAX_PATTERN ? 'is too long' : 'has too many stars';
      this.#board?.set('ignore-pattern', null, `${file}: \`${shown}\` ${why}`);
    }
    return new Rules(patterns.filter(({ pattern }) => isAffordable(pattern)));
  }
}

/** Our directory, or one that we have on another disk, or what is in one or parked there: the one kind of name with a slash (see put-in-place.ts). */
function isOurs(path: readonly string[]): boolean {
  const [name = ''] = path;
  if (name === OWN_DIRECTORY || name.startsWith(`${OWN_DIRECTORY}/`)) return true;
  return path.some(isRoomName);
}

interface Pattern {
  readonly pattern: string;
  /** Of its file, from 1 on. */
  readonly line: number;
}

interface Found extends Pattern {
  readonly file: string | null;
}

/** A directory as far as rules are known. */
class Directory {
  /** Of its own file; null until it was read. */
  rules: { readonly of: Rules | null } | null = null;
  isIgnored: boolean | null = null;
  readonly #children = new Map<string, Directory>();

  child(name: string): Directory {
    let child = this.#children.get(name);
    if (child === undefined) {
      child = new Directory();
      this.#children.set(name, child);
    }
    return child;
  }
}

/** The rules of a directory so many names below the root. */
interface Level {
  readonly depth: number;
  readonly rules: Rules;
  readonly isDefault: boolean;
}

/** The rule that a path is ignored by: the deepest that speaks of it counts. null: it is not ignored. */
function judge(
  path: readonly string[],
  isDirectory: boolean,
  above: readonly Level[],
): Found | null {
  for (const { depth, rules, isDefault } of [...above].reverse()) {
    const { ignored, unignored, rule } = rules.test(path.slice(depth), isDirectory);
    if (ignored) {
      const file = isDefault ? null : [...path.slice(0, depth), IGNORE_FILE].join('/');
      return found(file, rule);
    }
    if (unignored) return null;
  }
  return null;
}

function found(file: string | null, rule: TestResult['rule']): Found {
  return { file, pattern: rule?.pattern ?? '', line: Number(rule?.mark ?? 0) };
}

/** The rules of one file. */
class Rules {
  readonly #patterns: readonly Pattern[];
  #matcher: Ignore;
  #tests = 0;

  constructor(patterns: readonly Pattern[]) {
    this.#patterns = patterns;
    this.#matcher = matcher(patterns);
  }

  test(path: readonly string[], isDirectory: boolean): TestResult {
    // The package remembers every path that it was asked; a tree of 100,000 would stay in memory for ever.
    this.#tests += 1;
    if (this.#tests % RENEW_AFTER === 0) this.#matcher = matcher(this.#patterns);
    return this.#matcher.test(`${path.join('/')}${isDirectory ? '/' : ''}`);
  }
}

/** A path that no disk can hold is asked for by people and other programs: there is no file at it. */
const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/** Null: there is none. A text: why it can not be read. Without rules everything goes to all devices, so that is told. */
function patternsOf(files: Pick<Disk, 'readSmall'>, file: string): Pattern[] | string | null {
  try {
    const text = files.readSmall(file, MAX_BYTES);
    if (text === 'no file') return 'it is no file';
    if (text === 'too large') return `it is larger than ${MAX_BYTES / 1024} KiB`;
    const lines = text.toString('utf8').split(/\r?\n/);
    return lines.map((pattern, at) => ({ pattern, line: at + 1 }));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Where it leads is another's choice: whoever can change that would say what is synced.
    if (code === 'ELOOP') return 'it is a link, which is not followed';
    return code !== undefined && ABSENT.has(code) ? null : `it can not be read (${code})`;
  }
}

/**
 * A pattern becomes a regular expression, which tries each wildcard at each character: with some ten of them one question about
 * one name takes hours. Such a pattern is left out. Ignore files come from other devices, too.
 */
export function isAffordable(pattern: string): boolean {
  const wildcards = (text: string): number => text.match(/\*+/g)?.length ?? 0;
  return (
    pattern.length <= MAX_PATTERN &&
    wildcards(pattern) <= MAX_WILDCARDS &&
    pattern.split('/').every((segment) => wildcards(segment) <= MAX_SEGMENT_WILDCARDS)
  );
}

/** The option lets names through that are no relative paths for git (`..foo`). Case matters, as on the disk. */
function matcher(patterns: readonly Pattern[]): Ignore {
  const marked = patterns.map(({ pattern, line }) => ({ pattern, mark: String(line) }));
  return ignore({ allowRelativePaths: true, ignorecase: false }).add(marked);
}
