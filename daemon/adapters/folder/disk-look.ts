/**
 * Looks at the disk: some names of a directory, or everything beneath it. Names that can't be synced, files that can't be
 * read and what is no file at all are said and left out; the rest goes on.
 */
import { readdirSync } from 'node:fs';
import type { Fid } from '../../../shared/model/fid.ts';
import { compareNames, nameFault } from '../../../shared/model/names.ts';
import { factsAt, type DiskFacts } from './disk-facts.ts';
import type { ErrorBoard } from './error-board.ts';
import type { FolderRecords } from './folder-records.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import type { DiskNode, Look } from './local-plan.ts';
import { PathChanged, type SafeRoot } from './safe-root.ts';
import type { Breather } from './turns.ts';

export interface DiskLookParts {
  readonly root: SafeRoot;
  readonly records: FolderRecords;
  readonly ignored: IgnoreRules;
  readonly board: ErrorBoard;
}

interface Listing {
  readonly facts: DiskFacts;
  readonly found: ReadonlyArray<{ readonly name: string; readonly facts: DiskFacts }>;
  /** Names that are there, wanted or not. */
  readonly count: number;
}

interface Below {
  readonly children: readonly DiskNode[] | null;
  readonly isHollow: boolean;
}

const NOT_LOOKED: Below = { children: null, isHollow: false };

export class DiskLook {
  readonly #parts: DiskLookParts;

  constructor(parts: DiskLookParts) {
    this.#parts = parts;
  }

  /** Everything in a recorded directory and beneath. null: the way there is not what the records say. */
  async whole(dir: Fid, breather: Breather): Promise<Look | null> {
    const path = this.#parts.records.pathOf(dir);
    if (path === null) return null;
    const listing = this.#list(path);
    if (listing === null) return null;
    const nodes = await this.#nodes(path, listing, breather);
    return { dir, path, facts: listing.facts, complete: true, nodes, missing: [] };
  }

  /** Some names of a recorded directory; directories that are new there, or `isDeep`, are looked into. Throws PathChanged. */
  async names(
    dir: Fid,
    names: readonly string[],
    isDeep: (path: string) => boolean,
    breather: Breather,
  ): Promise<Look> {
    const { records, root } = this.#parts;
    const path = records.pathOf(dir);
    if (path === null) throw new PathChanged([]);
    const sorted = [...names].sort(compareNames);
    const listing = root.within(path, (base, facts) => ({
      facts,
      found: sorted.map((name) => ({ name, facts: factsAt(`${base}/${name}`, root.device) })),
    }));
    const present = listing.found.flatMap(({ name, facts }) =>
      facts !== null && this.#isWanted([...path, name], facts) ? [{ name, facts }] : [],
    );
    const missing = listing.found.filter(({ facts }) => facts === null || facts.kind === 'other');
    const isKnown = (name: string, facts: DiskFacts): boolean => {
      const fid = records.at(dir, name);
      return fid !== null && records.get(fid)?.disk?.inode === facts.inode;
    };
    const nodes: DiskNode[] = [];
    for (const { name, facts } of present) {
      const isNew = !isKnown(name, facts) || isDeep([...path, name].join('/'));
      const looksIn = facts.kind === 'directory' && isNew;
      const below = looksIn ? await this.#below([...path, name], breather) : NOT_LOOKED;
      nodes.push({ name, facts, ...below });
    }
    const gone = missing.map(({ name }) => name);
    return { dir, path, facts: listing.facts, complete: false, nodes, missing: gone };
  }

  /** A name that can't be a path came or went in a directory: says so. */
  checkNames(path: readonly string[]): void {
    this.#list(path);
  }

  async #below(path: readonly string[], breather: Breather): Promise<Below> {
    const listing = this.#list(path);
    if (listing === null) return NOT_LOOKED;
    const children = await this.#nodes(path, listing, breather);
    return { children, isHollow: listing.count > 0 && children.every((node) => node.isHollow) };
  }

  async #nodes(path: readonly string[], listing: Listing, breather: Breather): Promise<DiskNode[]> {
    const nodes: DiskNode[] = [];
    for (const { name, facts } of listing.found) {
      const isDirectory = facts.kind === 'directory';
      const below = isDirectory ? await this.#below([...path, name], breather) : NOT_LOOKED;
      nodes.push({ name, facts, ...below });
      if (breather.due) await breather.rest();
    }
    return nodes;
  }

  /** What is in a directory and wanted, in the order of names; null: it can't be listed. */
  #list(path: readonly string[]): Listing | null {
    const { root, board } = this.#parts;
    try {
      const listing = root.within(path, (base, facts) => ({ facts, ...this.#read(base, path) }));
      if (path.length > 0) board.clear('file-unreadable', path.join('/'));
      return listing;
    } catch (error) {
      if (error instanceof PathChanged) return null;
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOENT' || code === 'ENOTDIR') return null;
      if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EIO') throw error;
      board.set('file-unreadable', path.join('/'), `the folder can not be read (${code})`);
      return null;
    }
  }

  #read(base: string, path: readonly string[]): Pick<Listing, 'found' | 'count'> {
    const { root, board } = this.#parts;
    const found: Array<{ name: string; facts: DiskFacts }> = [];
    const names = readdirSync(base, { encoding: 'buffer' });
    const unusable = new Set<string>();
    const special: string[] = [];
    for (const bytes of names) {
      const name = bytes.toString('utf8');
      const fault = nameFault(name);
      if (fault !== null) {
        const shown = [...path, name].join('/');
        board.set('name-unusable', shown, `“${name}” can not be synced: ${fault}`);
        unusable.add(name);
        continue;
      }
      const facts = factsAt(`${base}/${name}`, root.device);
      if (facts?.kind === 'other') special.push(name);
      if (facts !== null && this.#isWanted([...path, name], facts)) found.push({ name, facts });
    }
    board.keepOnly('name-unusable', path, unusable);
    board.keepOnly('special-file', path, new Set(special));
    found.sort((a, b) => compareNames(a.name, b.name));
    return { found, count: names.length };
  }

  #isWanted(path: readonly string[], facts: DiskFacts): boolean {
    const { board, ignored } = this.#parts;
    if (ignored.isNameIgnored(path, facts.kind === 'directory')) return false;
    const shown = path.join('/');
    if (facts.kind === 'other') {
      board.set('special-file', shown);
      return false;
    }
    if (facts.target?.includes('\ufffd') === true) {
      board.set('name-unusable', shown, 'the link leads to a name that is not valid UTF-8');
      return false;
    }
    return true;
  }
}
