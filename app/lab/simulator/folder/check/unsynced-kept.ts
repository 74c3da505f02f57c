/**
 * Checker: what is not synced of a file is kept over changes from elsewhere. It looks at each step in which the engine brings a private file to a name
 * that a file has: owner, group, named entries of the access list, and attributes of the system go along.
 *
 * It allows what the status says in that moment (`rights-dropped`), and a file that is swapped back in the next step.
 */
import type { Disk } from '../../../../../daemon/adapters/folder/disk/disk.ts';
import { decodeAcl, TAG } from '../../posix/access-list.ts';
import { readFile, type ProgramCalls } from '../../posix/program-calls.ts';

const CHECKER = 'what is not synced is kept';
const ACCESS_LIST = 'system.posix_acl_access';
/** Rights of the contents that were, and seals of them. */
const NOT_KEPT = ['security.capability', 'security.ima', 'security.evm'];
/** Where the engine has files that nobody has seen yet, or that it keeps for late writers. */
const PRIVATE = /\/\.godwit[^/]*\/(?:late|tmp)\/[^/]+$/;
const STANDS_FOR = 'godwit-placeholder ';

export interface UnsyncedKeptParts {
  readonly name: string;
  readonly root: string;
  readonly find: (checker: string, text: string) => void;
  /** Codes that the status lists for a path, relative to the root. */
  readonly saidOf: (path: string) => readonly string[];
}

/** What a file has beside what is synced, each thing by its name. */
type Beside = ReadonlyMap<string, string>;

/** Hears of each swap and rename of the engine. */
export class UnsyncedKept {
  readonly #parts: UnsyncedKeptParts;
  /** By inode: what was brought to its place without what it should have. */
  readonly #missing = new Map<bigint, string>();
  readonly #said = new Set<bigint>();

  constructor(parts: UnsyncedKeptParts) {
    this.#parts = parts;
  }

  /** The disk of a process, watched. `calls`: of that process. */
  watched(disk: Disk, calls: ProgramCalls): Disk {
    return {
      ...disk,
      renameExchange: (one, other) => {
        disk.renameExchange(one, other);
        this.#missing.delete(calls.lstat(one).ino);
        if (!PRIVATE.test(one)) return;
        this.#compare(calls, besideOf(calls, one), other);
      },
      rename: (from, to) => {
        const before = PRIVATE.test(from) && !PRIVATE.test(to) ? besideOf(calls, to) : null;
        disk.rename(from, to);
        this.#compare(calls, before, to);
      },
      renameNoReplace: (from, to) => {
        const stands = `${to}.godwit`;
        const isFill = PRIVATE.test(from) && isPlaceholder(calls, stands);
        const before = isFill ? besideOf(calls, stands) : null;
        disk.renameNoReplace(from, to);
        this.#compare(calls, before, to);
      },
    };
  }

  /** Everything has settled: what is missing still is missing for good. */
  atRest(): void {
    for (const text of this.#missing.values()) this.#parts.find(CHECKER, text);
  }

  #compare(calls: ProgramCalls, before: Beside | null, path: string): void {
    const now = before === null ? null : besideOf(calls, path);
    if (before === null || now === null) return;
    const lost = [...before].filter(([what, value]) => now.get(what) !== value);
    if (lost.length === 0) return;
    const { name, saidOf } = this.#parts;
    const shown = this.#shown(calls, path);
    const { ino } = calls.lstat(path);
    // Of a file with several names it is said once, by the first.
    if (saidOf(shown).includes('rights-dropped')) this.#said.add(ino);
    if (this.#said.has(ino)) return;
    const what = lost.map(([each, value]) => `${each} ${value}, now ${now.get(each) ?? 'none'}`);
    this.#missing.set(ino, `${name}'s ${shown} had ${what.join('; ')}`);
  }

  #shown(calls: ProgramCalls, path: string): string {
    const cut = path.lastIndexOf('/');
    const dir = path.slice(0, cut);
    const at = dir.startsWith('/proc/') ? calls.readlink(dir) : dir;
    return `${at}/${path.slice(cut + 1)}`.slice(this.#parts.root.length + 1);
  }
}

/** Null: there is no file. */
function besideOf(calls: ProgramCalls, path: string): Beside | null {
  try {
    const { kind, uid, gid } = calls.lstat(path);
    if (kind !== 'file') return null;
    const found = new Map([
      ['owner', String(uid)],
      ['group', String(gid)],
    ]);
    for (const name of calls.listxattr(path)) {
      if (name.startsWith('user.') || NOT_KEPT.includes(name)) continue;
      const value = calls.getxattr(path, name);
      if (name === ACCESS_LIST) found.set('access list', namedEntries(value));
      else found.set(name, Buffer.from(value).toString('base64'));
    }
    return found;
  } catch {
    return null;
  }
}

/** The rest of a list goes with the mode, which is synced. */
function namedEntries(value: Uint8Array): string {
  const named = (decodeAcl(value) ?? []).filter(({ tag }) => tag === TAG.user || tag === TAG.group);
  return named.map(({ tag, rights, id }) => `${tag}:${id}:${rights}`).join(',');
}

function isPlaceholder(calls: ProgramCalls, path: string): boolean {
  try {
    if (calls.lstat(path).kind !== 'file') return false;
    return new TextDecoder().decode(readFile(calls, path)).includes(STANDS_FOR);
  } catch {
    return false;
  }
}
