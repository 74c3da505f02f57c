/**
 * What a `put` is going to do: the tree at the source, as a list in which a folder stands before what is in it,
 * names in code-unit order. What a volume can't hold is listed apart, with its reason.
 */
import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync, readlinkSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { compareNames, nameFault } from '../../../shared/model/names.ts';
import { mtimeOf, type Mtime } from '../../../shared/model/vnode.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { codedError } from '../errors.ts';

export type PutItem = {
  /** Where it lies on this machine. */
  readonly source: string;
  /** Names below the target; empty for the target itself. */
  readonly names: readonly string[];
  readonly mode: number;
  readonly mtime: Mtime;
} & (
  | { readonly kind: 'directory' }
  | { readonly kind: 'symlink'; readonly target: string }
  | {
      readonly kind: 'file';
      readonly size: number;
      /** The same for all names of one file; null: it has one name only. */
      readonly identity: string | null;
    }
);

export interface Skipped {
  readonly path: string;
  readonly reason: string;
}

export interface PutPlan {
  readonly items: readonly PutItem[];
  readonly skipped: readonly Skipped[];
  readonly bytes: number;
}

/**
 * Lists what is to be copied from a file or tree, and the sum of its files in bytes. Throws
 * GodwitError `not-found` if the source is not there.
 */
export function planPut(source: string): PutPlan {
  const items: PutItem[] = [];
  const skipped: Skipped[] = [];
  const visit = (path: string, names: readonly string[]): void => {
    const item = itemAt(path, names, skipped);
    if (item === null) return;
    items.push(item);
    if (item.kind !== 'directory') return;
    for (const name of namesIn(path, skipped)) visit(join(path, name), [...names, name]);
  };
  // The source itself must be there; what is in it may vanish meanwhile.
  try {
    lstatSync(source);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new GodwitError(
      'not-found',
      `${source}: there is no such file or folder on this machine`,
      'check the name of what is to be put',
    );
  }
  visit(source, []);
  const bytes = items.reduce((sum, item) => sum + (item.kind === 'file' ? item.size : 0), 0);
  return { items, skipped, bytes };
}

const NOT_UTF8 = 'it is not valid UTF-8';

function namesIn(path: string, skipped: Skipped[]): string[] {
  try {
    const found = readdirSync(path, { encoding: 'buffer' })
      .map((bytes) => ({ name: bytes.toString('utf8'), isText: isUtf8(bytes) }))
      .sort((a, b) => compareNames(a.name, b.name));
    return found.flatMap(({ name, isText }) => {
      const fault = isText ? nameFault(name) : NOT_UTF8;
      if (fault === null) return [name];
      skipped.push({ path: join(path, name), reason: fault });
      return [];
    });
  } catch (error) {
    skipped.push({ path, reason: reasonOf(error) });
    return [];
  }
}

function itemAt(path: string, names: readonly string[], skipped: Skipped[]): PutItem | null {
  try {
    const stat = lstatSync(path, { bigint: true });
    const common = {
      source: path,
      names,
      mode: Number(stat.mode & 0o7777n),
      mtime: mtimeOf(stat.mtimeNs),
    };
    if (stat.isDirectory()) return { ...common, kind: 'directory' };
    if (stat.isSymbolicLink()) {
      const target = readlinkSync(path, { encoding: 'buffer' });
      if (isUtf8(target)) return { ...common, kind: 'symlink', target: target.toString('utf8') };
      skipped.push({ path, reason: 'the link leads to a name that is not valid UTF-8' });
      return null;
    }
    if (stat.isFile()) {
      return { ...common, kind: 'file', size: Number(stat.size), identity: identityOf(stat) };
    }
    skipped.push({ path, reason: 'neither a file nor a folder nor a symlink' });
  } catch (error) {
    skipped.push({ path, reason: reasonOf(error) });
  }
  return null;
}

function identityOf(stat: BigIntStats): string | null {
  return stat.nlink > 1n ? `${stat.dev}:${stat.ino}` : null;
}

function reasonOf(error: unknown): string {
  return codedError(error)?.message ?? (error as Error).message;
}
