/**
 * First half of planning local changes: which vnode is each name on the disk?
 *
 * Rules, the first that fits:
 * 1. The inode that the record of this name knows: the same vnode.
 * 2. An inode that the record of another name knows: that vnode, moved here, or given a second name.
 * 3. Another inode at a known name, of the same kind, the old inode being nowhere: an editor's save. The same vnode with
 *    new contents; a directory made anew, or a symlink with the same target, likewise. One inode is one vnode: that of its first name.
 * 4. As 3, but the old inode was moved to a name made from this one (`doc` to `doc~`): the backup that some editors
 *    keep. `doc` stays who it was; the backup is new.
 * 5. A second name of a file that 3 or 4 has found: the same vnode.
 * 6. A new vnode; several new names of one inode are one vnode.
 * Pure: looks and records in, claims out.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { VnodeKind } from '../../../../shared/model/vnode.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import { isBirthKnown, isSameBytes } from '../disk/disk-facts.ts';
import { placeKey, type FolderRecords } from '../records/folder-records.ts';
import type { DiskNode, LocalContext, Look } from './local-plan.ts';
import { isNew, type Ref } from '../records/order-names.ts';

export interface Claim {
  readonly ref: Ref;
  readonly dir: Ref;
  readonly node: DiskNode;
  readonly path: readonly string[];
  readonly how: 'same' | 'moved' | 'replaced' | 'new';
}

export interface Match {
  /** Every name that was found, directories before what is in them. */
  readonly claims: readonly Claim[];
  readonly byRef: ReadonlyMap<Ref, readonly Claim[]>;
  /** Recorded names that are gone from the disk, or are another vnode's now. */
  readonly lost: ReadonlyMap<Fid, readonly Place[]>;
  readonly deferred: readonly Place[];
  /** Directories whose disk is not there: all beneath stays as it is recorded. */
  readonly away: readonly Fid[];
}

interface Found {
  readonly dir: Ref;
  readonly node: DiskNode;
  readonly path: readonly string[];
}

/** Says of each name that was found which vnode it is, and which recorded names are gone. */
export function matchLocal(
  looks: readonly Look[],
  records: FolderRecords,
  context: LocalContext,
): Match {
  return new Matcher(looks, records, context).run();
}

class Matcher {
  readonly #looks: readonly Look[];
  readonly #records: FolderRecords;
  readonly #context: LocalContext;
  readonly #inodes = new Set<string>();
  /** What was found at each place of which the way is as recorded. */
  readonly #kinds = new Map<string, VnodeKind>();
  readonly #byRef = new Map<Ref, Claim[]>();
  readonly #claimAt = new Map<string, Claim>();
  /** The files with several names that rules 3 and 4 have found, by inode. */
  readonly #replacements = new Map<string, Ref>();
  readonly #found: Found[] = [];
  readonly #seen = new Set<string>();
  /** Directories looked into whole. */
  readonly #scopes: Array<{ dir: Fid; names: string[] | null; unclear: ReadonlySet<string> }> = [];
  readonly #away = new Set<Fid>();
  /** Inodes of what stands where a disk is not: no vnode of theirs is told to be gone. */
  readonly #covering = new Set<string>();
  #made = 0;

  constructor(looks: readonly Look[], records: FolderRecords, context: LocalContext) {
    this.#looks = looks;
    this.#records = records;
    this.#context = context;
  }

  run(): Match {
    for (const look of this.#looks) {
      this.#noteInodes(look.nodes);
      this.#noteNames(look.dir, look.nodes);
    }
    for (const look of this.#looks) {
      const names = look.complete ? null : [...look.missing, ...look.nodes.map((n) => n.name)];
      this.#scopes.push({ dir: look.dir, names, unclear: new Set(look.unclear) });
      this.#visit(look.dir, look.path, look.nodes);
    }
    const files = this.#found.filter(({ node }) => node.facts.kind !== 'directory');
    const open = this.#claimKnown(files);
    const unknown = open.filter((found) => !this.#claimReplaced(found));
    this.#claimNew(unknown.filter((found) => !this.#claimBackedUp(found)));
    const claims = this.#found
      .map(({ dir, node }) => this.#claimAt.get(placeKey(dir as Fid, node.name)))
      .filter((claim) => claim !== undefined);
    return { claims, byRef: this.#byRef, ...this.#losses(), away: [...this.#away] };
  }

  #noteInodes(nodes: readonly DiskNode[]): void {
    for (const { facts, children } of nodes) {
      this.#inodes.add(facts.inode);
      if (children !== null) this.#noteInodes(children);
    }
  }

  /** Directories are claimed on the way down: what is in them is compared with their vnode's entries. */
  #visit(dir: Ref, path: readonly string[], nodes: readonly DiskNode[]): void {
    for (const node of nodes) {
      const found = { dir, node, path: [...path, node.name] };
      // A name that is in two looks (by itself, and in its directory) is one name.
      const key = placeKey(dir as Fid, node.name);
      if (this.#isAway(found)) continue;
      if (!this.#seen.has(key)) this.#found.push(found);
      else if (node.facts.kind !== 'directory') continue;
      this.#seen.add(key);
      if (node.facts.kind !== 'directory') continue;
      const claim = this.#claimAt.get(key) ?? this.#claimDirectory(found);
      if (node.children === null) continue;
      if (!isNew(claim.ref)) {
        const unclear = new Set(node.unclear);
        this.#scopes.push({ dir: claim.ref as Fid, names: null, unclear });
      }
      this.#visit(claim.ref, found.path, node.children);
    }
  }

  #isAway(found: Found): boolean {
    const here = this.#recordHere(found);
    const record = here === null ? null : this.#records.get(here);
    if (here === null || record?.kind !== 'directory') return false;
    const { node } = found;
    const inode = record.disk?.inode ?? '';
    // It has another name now.
    const isMoved = inode !== node.facts.inode && this.#inodes.has(inode);
    if (isMoved || !this.#context.mounts.isAwayAt(here, node)) return false;
    this.#away.add(here);
    this.#cover(node);
    return true;
  }

  #cover({ facts, children }: DiskNode): void {
    this.#covering.add(facts.inode);
    for (const child of children ?? []) this.#cover(child);
  }

  #claimDirectory(found: Found): Claim {
    const { inode } = found.node.facts;
    const here = this.#recordHere(found);
    const known = this.#mayBeAnother(found, here) ? null : this.#records.byInode(inode);
    if (known !== null && this.#isFree(known) && this.#records.get(known)?.kind === 'directory') {
      return this.#claim(found, known, known === here ? 'same' : 'moved');
    }
    const record = here === null ? null : this.#records.get(here);
    const before = record?.disk?.inode ?? '';
    const gone = !isBirthKnown(inode) || record?.disk === null || !this.#inodes.has(before);
    if (here !== null && record?.kind === 'directory' && gone && this.#isFree(here)) {
      return this.#claim(found, here, 'replaced');
    }
    return this.#claim(found, this.#newRef(), 'new');
  }

  /**
   * A number without a birth says little: FAT, and much of FUSE, give new ones at each mount, and what has a number now may be another thing than
   * what had it. Then a name that is still there stays who it was, and only what has lost its name is looked for by number.
   */
  #mayBeAnother({ node }: Found, here: Fid | null): boolean {
    const { inode, kind, links } = node.facts;
    if (isBirthKnown(inode)) return false;
    const known = this.#records.byInode(inode);
    if (known === null || known === here) return false;
    if (kind === 'directory') return this.#isDirectory(here) || this.#isNamedStill(known);
    if (kind === 'file' && links > 1) return false;
    return here === null ? this.#isNamedStill(known) : this.#records.get(here)?.kind === kind;
  }

  #isDirectory(fid: Fid | null): boolean {
    return fid !== null && this.#records.get(fid)?.kind === 'directory';
  }

  /** By one of its names, something of its kind was seen. */
  #isNamedStill(fid: Fid): boolean {
    const kind = this.#records.get(fid)?.kind;
    return this.#records
      .names(fid)
      .some(({ dir, name }) => this.#kinds.get(placeKey(dir, name)) === kind);
  }

  #noteNames(dir: Fid, nodes: readonly DiskNode[]): void {
    for (const { name, facts, children } of nodes) {
      if (facts.kind !== 'other') this.#kinds.set(placeKey(dir, name), facts.kind);
      const fid = children === null ? null : this.#records.at(dir, name);
      if (fid !== null && children !== null) this.#noteNames(fid, children);
    }
  }

  /** Rules 1 and 2; what is left is returned. */
  #claimKnown(files: readonly Found[]): Found[] {
    const elsewhere: Found[] = [];
    for (const found of files) {
      const here = this.#recordHere(found);
      if (here !== null && this.#isInodeOf(found, here)) this.#claim(found, here, 'same');
      else elsewhere.push(found);
    }
    return elsewhere.filter((found) => {
      const known = this.#records.byInode(found.node.facts.inode);
      if (known === null || !this.#isInodeOf(found, known)) return true;
      if (this.#mayBeAnother(found, this.#recordHere(found))) return true;
      this.#claim(found, known, 'moved');
      return false;
    });
  }

  #isInodeOf(found: Found, fid: Fid): boolean {
    const { facts } = found.node;
    const record = this.#records.get(fid);
    if (record === null || record.disk === null || record.kind !== facts.kind) return false;
    if (record.disk.inode !== facts.inode) return false;
    if (facts.kind === 'symlink') return record.target === facts.target;
    // A number without a birth may have been given to another file.
    if (isBirthKnown(facts.inode) || isSameBytes(facts, record.disk)) return true;
    return this.#records
      .names(fid)
      .some((place) => this.#isHere(found, place) || this.#inodeAt(place) === facts.inode);
  }

  #isHere({ dir, node }: Found, place: Place): boolean {
    return place.dir === dir && place.name === node.name;
  }

  #inodeAt(place: Place): string | null {
    return this.#claimAt.get(placeKey(place.dir, place.name))?.node.facts.inode ?? null;
  }

  /** Rule 3. */
  #claimReplaced(found: Found): boolean {
    const here = this.#recordHere(found);
    const record = here === null ? null : this.#records.get(here);
    if (here === null || record === null || record.kind !== found.node.facts.kind) return false;
    if (record.kind === 'symlink' && record.target !== found.node.facts.target) return false;
    if (!this.#isFree(here) || this.#isReplacement(found.node)) return false;
    this.#claim(found, here, 'replaced');
    return true;
  }

  /** It has another name, and has taken the place of what had that. */
  #isReplacement(node: DiskNode): boolean {
    return isShared(node) && this.#replacements.has(node.facts.inode);
  }

  /** Rule 4. */
  #claimBackedUp(found: Found): boolean {
    const here = this.#recordHere(found);
    if (here === null || found.node.facts.kind !== 'file') return false;
    const claims = this.#byRef.get(here) ?? [];
    const backup = claims[0];
    if (claims.length !== 1 || backup?.how !== 'moved') return false;
    if (backup.node.placeholder !== undefined || this.#isReplacement(found.node)) return false;
    if (backup.node.facts.kind !== 'file' || !isBackupName(backup.node.name, found.node.name)) {
      return false;
    }
    this.#byRef.delete(here);
    this.#claim(found, here, 'replaced');
    this.#claim({ dir: backup.dir, node: backup.node, path: backup.path }, this.#newRef(), 'new');
    return true;
  }

  /** Rules 5 and 6. */
  #claimNew(files: readonly Found[]): void {
    const byInode = new Map(this.#replacements);
    for (const found of files) {
      const { inode } = found.node.facts;
      const ref = (isShared(found.node) ? byInode.get(inode) : undefined) ?? this.#newRef();
      if (isShared(found.node)) byInode.set(inode, ref);
      this.#claim(found, ref, isNew(ref) ? 'new' : 'moved');
    }
  }

  #losses(): Pick<Match, 'lost' | 'deferred'> {
    const lost = new Map<Fid, Place[]>();
    const deferred: Place[] = [];
    /** False: it is held. */
    const lose = (dir: Fid, name: string, fid: Fid): boolean => {
      if (this.#claimAt.get(placeKey(dir, name))?.ref === fid) return true;
      const record = this.#records.get(fid);
      if (record === null) return true;
      const claimed = this.#byRef.has(fid);
      if (!claimed && this.#isHeld(fid)) return false;
      if (!claimed && record.disk !== null && this.#isElsewhere(record.disk.inode)) {
        deferred.push({ dir, name });
        return true;
      }
      const places = lost.get(fid);
      if (places?.some((place) => place.dir === dir && place.name === name)) return true;
      if (record.kind === 'directory' && !claimed) {
        const held = this.#records.entries(fid).filter(([child, at]) => !lose(fid, child, at));
        // It is the way to what is held.
        if (held.length > 0) return false;
      }
      if (places === undefined) lost.set(fid, [{ dir, name }]);
      else places.push({ dir, name });
      return true;
    };
    for (const { dir, names, unclear } of this.#scopes) {
      for (const [name, fid] of this.#entriesIn(dir, names)) {
        if (unclear.has(name)) continue;
        const kind = this.#records.get(fid)?.kind ?? 'file';
        if (!this.#context.isIgnored(dir, name, kind)) lose(dir, name, fid);
      }
    }
    this.#loseMoved(lost);
    return { lost, deferred };
  }

  #isElsewhere(inode: string): boolean {
    return this.#context.isElsewhere(inode) || this.#covering.has(inode);
  }

  /** It is missing together with its disk. */
  #isHeld(fid: Fid): boolean {
    if (this.#away.has(fid)) return true;
    if (this.#records.get(fid)?.kind !== 'directory' || !this.#context.mounts.isHeld(fid))
      return false;
    this.#away.add(fid);
    return true;
  }

  /** A moved directory has left its old name, whether or not that was looked at. */
  #loseMoved(lost: Map<Fid, Place[]>): void {
    for (const [ref, claims] of this.#byRef) {
      const moved = claims.some(
        ({ how, node }) => how === 'moved' && node.facts.kind === 'directory',
      );
      if (!moved || lost.has(ref as Fid)) continue;
      lost.set(ref as Fid, [...this.#records.names(ref as Fid)]);
    }
  }

  #entriesIn(dir: Fid, names: string[] | null): Array<[string, Fid]> {
    if (names === null) return this.#records.entries(dir);
    return [...new Set(names)].flatMap((name) => {
      const fid = this.#records.at(dir, name);
      return fid === null ? [] : [[name, fid] as [string, Fid]];
    });
  }

  #recordHere({ dir, node }: Found): Fid | null {
    return isNew(dir) ? null : this.#records.at(dir as Fid, node.name);
  }

  #isFree(ref: Ref): boolean {
    return !this.#byRef.has(ref);
  }

  #newRef(): Ref {
    this.#made += 1;
    return `+${this.#made}`;
  }

  #claim(found: Found, ref: Ref, how: Claim['how']): Claim {
    const claim = { ...found, ref, how };
    if (how === 'replaced' && isShared(found.node)) {
      this.#replacements.set(found.node.facts.inode, ref);
    }
    const claims = this.#byRef.get(ref);
    if (claims === undefined) this.#byRef.set(ref, [claim]);
    else claims.push(claim);
    this.#claimAt.set(placeKey(found.dir as Fid, found.node.name), claim);
    return claim;
  }
}

/** Another name may lead to the same inode. */
function isShared({ facts }: DiskNode): boolean {
  return facts.kind === 'file' && facts.links > 1;
}

/** `doc~`, `doc.bak`, `.doc.orig`, `#doc#`: longer than the name, and holding it. */
export function isBackupName(backup: string, name: string): boolean {
  return backup.length > name.length && backup.includes(name);
}
