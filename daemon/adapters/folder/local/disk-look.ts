/**
 * Looks at the disk: some names of a directory, or everything beneath it. Names that can't be synced, files that can't be
 * read and what is no file at all are said and left out; the rest goes on.
 *
 * A name that nothing can be told of (no right to, a disk that fails, a way that is too long) is `unclear`: it is there, so it is not gone.
 */
import { isUtf8 } from 'node:buffer';
import type { Fid } from '../../../../shared/model/fid.ts';
import { compareNames, nameFault, needsProtocol2 } from '../../../../shared/model/names.ts';
import { nameBehind, PLACEHOLDER_SUFFIX } from '../../../../shared/model/placeholder-name.ts';
import { isFolded, nameKey } from '../disk/disk-abilities.ts';
import { NO_TEXT, type DiskFacts } from '../disk/disk-facts.ts';
import type { Disk } from '../disk/disk.ts';
import type { ErrorBoard } from '../error-board.ts';
import type { Disks } from '../disk/folder-disks.ts';
import type { FolderRecords } from '../records/folder-records.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import type { DiskNode, Look } from './local-plan.ts';
import { deviceOf, type MountGuard } from './mount-guard.ts';
import { clearUnclear, isNoRight, describeUnclear, TOO_LONG } from '../disk/path-errors.ts';
import type { FoundName, PlaceholderLook } from '../placeholders/placeholder-look.ts';
import type { SafeRoot } from '../disk/safe-root.ts';
import { PathChanged, silence } from '../disk/path-changed.ts';
import type { Yielder } from '../yielder.ts';

export interface DiskLookParts {
  readonly files: Disk;
  readonly root: SafeRoot;
  readonly records: FolderRecords;
  readonly ignored: IgnoreRules;
  readonly board: ErrorBoard;
  readonly placeholders: PlaceholderLook;
  readonly mounts: Pick<MountGuard, 'isMountPoint'>;
  readonly disks: Disks;
  readonly mountPoints: { isAt(path: readonly string[]): boolean; isKept(fid: Fid): boolean };
}

interface Listing {
  readonly facts: DiskFacts;
  readonly found: readonly FoundName[];
  readonly unclear: readonly string[];
  /** There is no right to look at some of them. */
  readonly isDenied: boolean;
  /** Names that are there, wanted or not. */
  readonly count: number;
}

interface Below {
  readonly children: readonly DiskNode[] | null;
  readonly isHollow: boolean;
  readonly unclear?: readonly string[];
  /** As it was opened: nothing else may have been mounted there in between. */
  readonly facts?: DiskFacts;
}

const NOT_LOOKED: Below = { children: null, isHollow: false };

/** Reads what is on the disk: some names of a recorded directory, or its whole tree. */
export class DiskLook {
  readonly #parts: DiskLookParts;

  constructor(parts: DiskLookParts) {
    this.#parts = parts;
  }

  /** Everything in a recorded directory and beneath. null: the way there is not what the records say. */
  async whole(dir: Fid, yielder: Yielder): Promise<Look | null> {
    const path = this.#parts.records.pathOf(dir);
    if (path === null) return null;
    const listing = this.#list(path);
    if (listing === null) return null;
    const nodes = await this.#nodes(path, listing, yielder);
    const { facts, unclear } = listing;
    return { dir, path, facts, complete: true, nodes, missing: [], unclear };
  }

  /** Some names of a recorded directory; directories that are new there, or `isDeep`, are looked into. Throws PathChanged, and what keeps the directory from being looked at. */
  async names(
    dir: Fid,
    names: readonly string[],
    isDeep: (path: string) => boolean,
    yielder: Yielder,
  ): Promise<Look> {
    const { records, root } = this.#parts;
    const path = records.pathOf(dir);
    if (path === null) throw new PathChanged([]);
    // What has our ending may stand for a name without it.
    const asked = new Set(names.flatMap((name) => [name, nameBehind(name) ?? name]));
    const sorted = [...asked].sort(compareNames);
    const listing = root.within(path, (base, facts) => ({
      facts,
      ...this.#some(dir, path, base, facts.inode, sorted),
    }));
    const present = listing.found.filter(({ name, facts }) =>
      this.#isWanted([...path, name], facts),
    );
    const unclear = new Set(listing.unclear);
    const missing = sorted.filter((name) => !listing.there.has(name) && !unclear.has(name));
    const isKnown = (name: string, facts: DiskFacts): boolean => {
      const fid = records.at(dir, name);
      return fid !== null && records.get(fid)?.disk?.inode === facts.inode;
    };
    const nodes: DiskNode[] = [];
    for (const { name, facts, ...rest } of present) {
      const isNew = !isKnown(name, facts) || isDeep([...path, name].join('/'));
      const looksIn = facts.kind === 'directory' && isNew;
      if (facts.kind === 'directory' && !looksIn) this.#mayList([...path, name]);
      const below = looksIn ? await this.#below([...path, name], facts, yielder) : NOT_LOOKED;
      nodes.push(this.#node(path, listing.facts, { name, facts, ...rest, ...below }));
    }
    return {
      dir,
      path,
      facts: listing.facts,
      complete: false,
      nodes,
      missing,
      unclear: [...unclear],
    };
  }

  /** What is known in a directory that may not be read (any more) stays as it is, and that is said. */
  #mayList(path: readonly string[]): void {
    const { root, files, board } = this.#parts;
    const name = path.at(-1) ?? '';
    try {
      root.within(path.slice(0, -1), (base) => files.mayList(`${base}/${name}`));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EACCES') return;
      board.found('file-unreadable', path.join('/'), `the folder can not be read (${code})`);
    }
  }

  /** These names of the volume as far as they are there, each by itself or by its placeholder; and which are, be it as something that is no file. */
  #some(
    dir: Fid,
    path: readonly string[],
    base: string,
    inode: string,
    names: readonly string[],
  ): { found: FoundName[]; there: Set<string>; unclear: string[] } {
    const { placeholders } = this.#parts;
    const wanted = new Set(names);
    const asked = new Set(names.flatMap((name) => [name, name + PLACEHOLDER_SUFFIX]));
    const raw: FoundName[] = [];
    const unclear: string[] = [];
    // By another spelling such a disk leads to the same file: only what it lists counts.
    const listed = isFolded(this.#parts.disks.at(dir).can)
      ? new Set(this.#parts.files.names(base))
      : null;
    for (const name of [...asked].sort(compareNames)) {
      if (listed?.has(name) === false) continue;
      const facts = nameFault(name) === null ? this.#facts(path, base, name) : null;
      if (facts === 'unclear') unclear.push(...standingBehind(name));
      else if (facts !== null) raw.push({ name, facts });
    }
    unclear.push(...this.#respelled(dir, [...(listed ?? [])].filter(isUnusable)));
    const found = placeholders
      .resolve(path, base, inode, raw)
      .filter(({ name }) => wanted.has(name))
      .sort((a, b) => compareNames(a.name, b.name));
    const there = found.filter(({ facts }) => facts.kind !== 'other').map(({ name }) => name);
    return { found, there: new Set(there), unclear };
  }

  /** null: nothing is there. `unclear`: that can't be told, and is said. */
  #facts(path: readonly string[], base: string, name: string): DiskFacts | 'unclear' | null {
    const { root, board } = this.#parts;
    const at = [...path, name];
    try {
      if (root.isSilent(at)) throw silence();
      const facts = root.factsAt(`${base}/${name}`);
      if (facts === null) {
        // Bytes that are no text are shown by such a name; whether they are there, only the whole directory tells.
        if (!needsProtocol2(name)) board.gone(at.join('/'));
        return null;
      }
      if (!root.isTooLong(at)) {
        // A directory's own words are those of the look into it.
        if (facts.kind !== 'directory') clearUnclear(board, at, true);
        return facts;
      }
      board.found('name-unusable', at.join('/'), TOO_LONG);
    } catch (error) {
      // Then of no name in it: the directory says so.
      describeUnclear(board, isNoRight(error) ? path : at, error);
    }
    return 'unclear';
  }

  #node(path: readonly string[], above: DiskFacts, node: DiskNode): DiskNode {
    const { name, facts } = node;
    if (facts.kind !== 'directory') return node;
    const isMount =
      deviceOf(facts.inode) !== deviceOf(above.inode) ||
      this.#parts.mounts.isMountPoint([...path, name]);
    return isMount ? { ...node, isMount } : node;
  }

  /** A name that can't be a path came or went in a directory: says so. */
  checkNames(path: readonly string[]): void {
    this.#list(path);
  }

  /** Another volume is kept there, or in that directory wherever it was moved to: nothing in it is of this one. */
  #isBorder(path: readonly string[], { inode }: DiskFacts): boolean {
    const { records, mountPoints } = this.#parts;
    const fid = records.byInode(inode);
    return (fid !== null && mountPoints.isKept(fid)) || mountPoints.isAt(path);
  }

  async #below(path: readonly string[], at: DiskFacts, yielder: Yielder): Promise<Below> {
    if (this.#isBorder(path, at)) return { children: [], isHollow: false };
    const listing = this.#list(path);
    if (listing === null) return NOT_LOOKED;
    const { facts, unclear, count } = listing;
    const children = await this.#nodes(path, listing, yielder);
    const isHollow = count > 0 && unclear.length === 0 && children.every((node) => node.isHollow);
    return { children, isHollow, facts, unclear };
  }

  async #nodes(path: readonly string[], listing: Listing, yielder: Yielder): Promise<DiskNode[]> {
    const nodes: DiskNode[] = [];
    for (const { name, facts, ...rest } of listing.found) {
      const isDirectory = facts.kind === 'directory';
      const below = isDirectory ? await this.#below([...path, name], facts, yielder) : NOT_LOOKED;
      nodes.push(this.#node(path, listing.facts, { name, facts, ...rest, ...below }));
      if (yielder.isDue) await yielder.yield();
    }
    return nodes;
  }

  /** What is in a directory and wanted, in the order of names; null: it can't be listed. */
  #list(path: readonly string[]): Listing | null {
    const { root, board } = this.#parts;
    try {
      const listing = root.within(path, (base, facts) => ({
        facts,
        ...this.#read(base, path, facts.inode),
      }));
      if (!listing.isDenied) clearUnclear(board, path);
      return listing;
    } catch (error) {
      if (error instanceof PathChanged) return null;
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOENT' || code === 'ENOTDIR') return null;
      describeUnclear(board, path, error);
      return null;
    }
  }

  #read(base: string, path: readonly string[], inode: string): Omit<Listing, 'facts'> {
    const { board, placeholders } = this.#parts;
    const raw: FoundName[] = [];
    const unclear: string[] = [];
    const names = this.#parts.files.namesAsBytes(base);
    const unusable = new Set<string>();
    const special: string[] = [];
    for (const bytes of names) {
      const name = bytes.toString('utf8');
      const fault = isUtf8(bytes) ? nameFault(name) : 'it is not valid UTF-8';
      if (fault !== null) {
        const shown = [...path, name].join('/');
        board.found('name-unusable', shown, `“${name}” can not be synced: ${fault}`);
        unusable.add(name);
        continue;
      }
      const facts = this.#facts(path, base, name);
      if (facts === 'unclear') {
        unclear.push(...standingBehind(name));
        unusable.add(name);
        continue;
      }
      if (facts?.kind === 'other') special.push(name);
      if (facts !== null) raw.push({ name, facts });
    }
    unclear.push(...this.#respelled(this.#parts.records.byInode(inode), [...unusable]));
    board.keepOnly('name-unusable', path, unusable);
    board.keepOnly('special-file', path, new Set(special));
    board.keepThere(path, new Set([...raw.map(({ name }) => name), ...unusable]));
    const found = placeholders
      .resolve(path, base, inode, raw)
      .filter(({ name, facts }) => this.#isWanted([...path, name], facts))
      .sort((a, b) => compareNames(a.name, b.name));
    const isDenied = board.has('file-unreadable', path.join('/')) && unclear.length > 0;
    return { found, unclear, isDenied, count: names.length };
  }

  /** Recorded names that the disk lists as others, which can not be synced: what has them is there. */
  #respelled(dir: Fid | null, listed: readonly string[]): string[] {
    const { records, disks } = this.#parts;
    if (dir === null || listed.length === 0) return [];
    const { can } = disks.at(dir);
    if (!isFolded(can)) return [];
    const keys = new Set(listed.map((name) => nameKey(can, name)));
    return records
      .entries(dir)
      .filter(([name, fid]) => keys.has(nameKey(can, records.shownName({ dir, name }, fid))))
      .map(([name]) => name);
  }

  #isWanted(path: readonly string[], facts: DiskFacts): boolean {
    const { board, ignored } = this.#parts;
    if (ignored.isNameIgnored(path, facts.kind === 'directory')) return false;
    const shown = path.join('/');
    if (facts.kind === 'other') {
      board.found('special-file', shown);
      return false;
    }
    if (facts.target === NO_TEXT) {
      board.found('name-unusable', shown, 'the link leads to a name that is not valid UTF-8');
      return false;
    }
    return true;
  }
}

/** The name, and the one that a placeholder of this name stands for. */
function standingBehind(name: string): string[] {
  const behind = nameBehind(name);
  return behind === null ? [name] : [name, behind];
}

const isUnusable = (name: string): boolean => nameFault(name) !== null;
