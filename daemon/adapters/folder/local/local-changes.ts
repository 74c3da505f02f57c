/**
 * Finds what was changed in the folder and has it logged: by the watcher's hints, when they have settled, and by looking at
 * everything. Each pass looks, plans, then logs, with the folder to itself.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import { needsProtocol2 } from '../../../../shared/model/names.ts';
import { IGNORE_FILE } from '../../../../shared/control/default-ignores.ts';
import { directoryOf } from '../watch/dirty-paths.ts';
import { placeKey } from '../records/folder-records.ts';
import { HeldRemovals, type Removal } from './held-removals.ts';
import { IgnoredPlaces } from './ignored-places.ts';
import type { DiskNode, LocalPlan, Look } from './local-plan.ts';
import type { Ref } from '../records/order-names.ts';
import { planLocal } from './plan-local.ts';
import type { Finding } from '../placeholders/placeholder-look.ts';
import { isUnclear, sayUnclear } from '../disk/path-errors.ts';
import { PathChanged } from '../disk/path-changed.ts';
import { isUntouched } from '../disk/disk-facts.ts';
import { Yielder } from '../yielder.ts';
import type { LocalChangesParts } from './local-changes-parts.ts';

/** Paths that a line of the log names. */
const MOST_LOGGED = 10;

export class LocalChanges {
  readonly #parts: LocalChangesParts;
  /** Removals that wait for a confirmation. */
  readonly held: HeldRemovals;
  readonly #ignoredPlaces: IgnoredPlaces;

  constructor(parts: LocalChangesParts) {
    this.#parts = parts;
    this.held = new HeldRemovals({ ...parts, isLive: (path) => parts.dirty.isLive(path) });
    this.#ignoredPlaces = new IgnoredPlaces(parts.records, {
      isGone: (path) => !parts.mounts.isAway(path) && parts.root.isGone(path),
    });
  }

  /**
   * Looks at everything. What has not settled stays among the dirty paths and is returned. `wanted`: somebody waits for what is there; large files
   * that are not taken yet for all that are added.
   */
  async whole(wanted: Set<string> | null = null): Promise<string[]> {
    const { dirty, look, records, clock, limits } = this.#parts;
    const before = dirty.paths();
    const mark = dirty.mark();
    this.#parts.ignored.reload();
    this.#readMounts();
    const found = await look.whole(records.root, new Yielder(clock, limits.slice));
    if (found === null) return [];
    const waiting = await this.#pass([found], new Set(before), { isWhole: true, wanted });
    for (const path of before) if (!waiting.has(path)) dirty.done(path, mark);
    return [...waiting];
  }

  /** Looks at the dirty paths that are due, or at these. False: there was nothing to look at. */
  async due(only: readonly string[] | null, wanted: Set<string> | null = null): Promise<boolean> {
    const { dirty, clock, limits, ignored, look } = this.#parts;
    const paths = only ?? dirty.due(clock.now(), limits.batchPaths);
    if (paths.length === 0) return false;
    if (paths.some(isIgnoreFile)) {
      ignored.reload();
      this.#parts.rulesChanged();
    }
    const mark = dirty.mark();
    this.#readMounts();
    const { board } = this.#parts;
    const unclear = new Set(paths.filter((path) => isUnclear(board, path)));
    for (const path of paths) if (!unclear.has(path)) board.clearPath(path);
    // The watcher tells bytes that are no text by such a name: they are still no name.
    for (const path of paths.filter(needsProtocol2)) look.checkNames(path.split('/').slice(0, -1));
    const looks = await this.#looks(paths, unclear);
    const waiting = await this.#pass(looks, new Set(paths), { isWhole: false, wanted });
    for (const path of paths) if (!waiting.has(path)) dirty.done(path, mark);
    return true;
  }

  async #pass(
    looks: readonly Look[],
    asked: ReadonlySet<string>,
    { isWhole, wanted }: { isWhole: boolean; wanted: Set<string> | null },
  ): Promise<Set<string>> {
    const { dirty, records, ignored, clock } = this.#parts;
    const waiting = new Set<string>();
    const heldPlaces = new Set<string>();
    const elsewhere = new Set<string>();
    const settled = looks.map((look) => ({
      ...look,
      nodes: this.#settled(look.dir, look.path, look.nodes, {
        ...{ waiting, heldPlaces, elsewhere, wanted },
      }),
    }));
    const findings = this.#findings({ waiting, heldPlaces, elsewhere });
    const looked = settled.map((look) => ({
      ...look,
      nodes: this.#notHeld(look.dir, look.path, look.nodes, heldPlaces, waiting),
    }));
    const { mounts } = this.#parts;
    const isConfirmed = (fid: Fid): boolean => isWhole && this.held.isConfirmed(fid);
    const plan = planLocal(looked, records, {
      isElsewhere: (inode) => elsewhere.has(inode) || this.#isElsewhere(inode, asked),
      mounts: {
        isHeld: (fid) => !isConfirmed(fid) && mounts.isHeld(fid),
        isAwayAt: (fid, node) => !isConfirmed(fid) && mounts.isAwayAt(fid, node),
      },
      isIgnored: (dir, name, kind) => {
        if (heldPlaces.has(placeKey(dir, name))) return true;
        const path = records.pathOfPlace({ dir, name });
        const isIgnored = path !== null && ignored.isIgnored(path, kind === 'directory');
        if (isIgnored) this.#ignoredPlaces.note({ dir, name });
        return isIgnored;
      },
    });
    const deferred = plan.deferred.map((place) => records.pathOfPlace(place));
    for (const components of [...deferred, ...plan.unclear]) {
      if (components === null) continue;
      const path = components.join('/');
      waiting.add(path);
      dirty.hint(path, clock.now(), { live: dirty.isLive(path) });
    }
    const there = new Set(plan.directories.map(({ ref }) => ref));
    mounts.found(plan.away, (fid) => there.has(fid) && !plan.away.includes(fid));
    if (this.#hasRemovals(plan) && this.#readMounts()) {
      // Mounted or not when it was looked at? That is looked at again.
      for (const path of asked) dirty.hint(path, clock.now(), { live: false });
      return new Set([...waiting, ...asked]);
    }
    const meant = this.#meant(plan.removals, isWhole);
    if (isWhole && this.held.confirmed !== undefined) mounts.forget(this.held.confirmed);
    const removals = isWhole ? this.held.allowed(meant) : meant;
    await this.#parts.execute(plan, removals, this.#restless(plan, asked, waiting));
    this.#parts.tidy.run(findings);
    mounts.note();
    return waiting;
  }

  /** Without what is gone since it was ignored, which is forgotten. */
  #meant(removals: readonly Removal[], isWhole: boolean): readonly Removal[] {
    const { records, ignored, forgotten, log } = this.#parts;
    const { meant, ended } = this.#ignoredPlaces.sort(removals);
    const gone = isWhole
      ? this.#ignoredPlaces.gone((path, { dir, name }) => {
          const kind = records.get(records.at(dir, name) ?? dir)?.kind;
          return ignored.isIgnored(path, kind === 'directory');
        })
      : [];
    this.#ignoredPlaces.forget([...ended, ...gone]);
    const back = ended.length + gone.length;
    if (back > 0) {
      const reason = 'it went while it was ignored, and no rule ignores it any more';
      const paths = ended
        .slice(0, MOST_LOGGED)
        .map((place) => records.pathOfPlace(place)?.join('/'));
      log.warn('what others have comes back into the folder', {
        ...{ count: back, reason, paths: paths.join(', ') },
      });
      forgotten();
    }
    return meant;
  }

  #hasRemovals({ ops, removals }: LocalPlan): boolean {
    return removals.length > 0 || ops.some(({ op }) => op === 'remove' || op === 'rmdir');
  }

  #readMounts(): boolean {
    const isOther = this.#parts.mounts.read();
    if (isOther) this.#parts.mountsChanged();
    return isOther;
  }

  /** Without what stands where a placeholder's file has its name: that is told when the file has another. */
  #notHeld(
    dir: Fid | null,
    path: readonly string[],
    nodes: readonly DiskNode[],
    heldPlaces: ReadonlySet<string>,
    waiting: Set<string>,
  ): readonly DiskNode[] {
    if (heldPlaces.size === 0) return nodes;
    return nodes.flatMap((node) => {
      const { name, facts, children } = node;
      if (dir !== null && heldPlaces.has(placeKey(dir, name))) {
        waiting.add([...path, name].join('/'));
        return [];
      }
      if (children === null) return [node];
      const known = this.#parts.records.byInode(facts.inode);
      const left = this.#notHeld(known, [...path, name], children, heldPlaces, waiting);
      return [{ ...node, children: left }];
    });
  }

  /** What is to be put right of placeholders. Meanwhile what they stand for is left alone, and what does not rest, too. */
  #findings(notes: {
    waiting: Set<string>;
    heldPlaces: Set<string>;
    elsewhere: Set<string>;
  }): Finding[] {
    const { dirty, records, clock } = this.#parts;
    return this.#parts.takeFindings().filter((finding) => {
      if (finding.what !== 'written' && finding.what !== 'taken') return true;
      const { path, name, facts } = finding;
      notes.elsewhere.add(facts.inode);
      for (const place of records.names(finding.fid)) {
        notes.heldPlaces.add(placeKey(place.dir, place.name));
      }
      const text = [...path, name].join('/');
      const rests = (): boolean => false;
      if (dirty.isStable(text, facts, { now: clock.now(), wall: clock.wall(), rests })) return true;
      notes.waiting.add(text);
      return false;
    });
  }

  /** Directories that change still: their time would be told again and again. They are looked at again. */
  #restless(plan: LocalPlan, asked: ReadonlySet<string>, waiting: Set<string>): Set<Ref> {
    const { dirty, records, clock } = this.#parts;
    const restless = new Set<Ref>();
    const seen = new Map<string, number>();
    for (const path of asked) {
      if (path === '' || waiting.has(path) || !dirty.has(path)) continue;
      const directory = directoryOf(path);
      seen.set(directory, (seen.get(directory) ?? 0) + 1);
    }
    const isBusy = (directory: string): boolean =>
      dirty.countIn(directory) > (seen.get(directory) ?? 0);
    for (const { ref, path, facts } of plan.directories) {
      const disk = records.get(ref as Fid)?.disk ?? null;
      if (disk === null || isUntouched(facts, disk)) continue;
      const text = path.join('/');
      // An entry that is told later brings the time along.
      const times = { now: clock.now(), wall: clock.wall() };
      const isStable = dirty.isStable(text, facts, { ...times, rests: () => false });
      if (isStable && !isBusy(text)) continue;
      if (isStable) dirty.hint(text, clock.now(), { live: false });
      restless.add(ref);
      waiting.add(text);
    }
    return restless;
  }

  /** The nodes without what has not settled; that is noted to be left alone, and looked at again. */
  #settled(
    dir: Fid | null,
    path: readonly string[],
    nodes: readonly DiskNode[],
    notes: {
      waiting: Set<string>;
      heldPlaces: Set<string>;
      elsewhere: Set<string>;
      wanted: Set<string> | null;
    },
  ): DiskNode[] {
    const { dirty, records, clock } = this.#parts;
    return nodes.flatMap((node) => {
      const { name, facts, children } = node;
      // Two that say they stand for one vnode: of one it is not known which file it is, and it is no file of its own.
      if (node.placeholder !== undefined && records.byInode(facts.inode) !== node.placeholder)
        return [];
      const at = [...path, name];
      const fid = dir === null ? null : records.at(dir, name);
      if (facts.kind === 'directory') {
        if (children === null) return [node];
        const isUnknown = fid === null && records.byInode(facts.inode) === null;
        if (isUnknown && node.isHollow) return [];
        if (isUnknown && isBare(node) && this.#parts.isLeftOver(facts.inode)) return [];
        return [{ ...node, children: this.#settled(fid, at, children, notes) }];
      }
      this.#parts.outside.found(facts);
      const known = fid ?? records.byInode(facts.inode);
      const stamp = known === null ? null : (records.get(known)?.disk ?? null);
      if (stamp !== null && isUntouched(facts, stamp)) return [node];
      const text = at.join('/');
      const isInPlace = stamp !== null && fid === known && stamp.inode === facts.inode;
      const isNew = fid === null && known === null;
      // A small one may be a step of a safe save, and what comes of that is there in a moment.
      const isLarge = (isNew || isInPlace) && facts.size >= this.#parts.limits.largeBytes;
      const isWanted = notes.wanted !== null && isLarge;
      const rests = (): boolean =>
        (isInPlace || isLarge) && facts.kind === 'file' && this.#isOpen(path, name) === false;
      const isOpen =
        isNew && facts.kind === 'file' ? () => this.#isOpen(path, name) === true : undefined;
      const times = { now: clock.now(), wall: clock.wall() };
      if (
        dirty.isStable(text, facts, {
          ...times,
          rests,
          isWanted,
          isLarge: isLarge && isNew,
          isOpen,
        })
      ) {
        this.#parts.board.clearPath(text);
        return [node];
      }
      notes.waiting.add(text);
      if (isWanted) notes.wanted?.add(text);
      notes.elsewhere.add(facts.inode);
      if (dir !== null) notes.heldPlaces.add(placeKey(dir, name));
      return [];
    });
  }

  /** Whether somebody has it open to write; null: that can't be told. */
  #isOpen(directory: readonly string[], name: string): boolean | null {
    const { root, host } = this.#parts;
    try {
      return root.within(directory, (base) => host.isBeingWritten(`${base}/${name}`));
    } catch {
      // It is gone, or not ours to read: what is found of it when it has settled is told then.
      return null;
    }
  }

  /** Something is missing: does it stand at a place that has an event but has not settled? Then it was moved there. */
  #isElsewhere(inode: string, asked: ReadonlySet<string>): boolean {
    const { dirty, root } = this.#parts;
    return dirty.standsElsewhere(inode, asked, (path) => {
      const components = path.split('/');
      return root.factsOrNull(components);
    });
  }

  /** Mutex paths into looks: each at its directory, or at the topmost directory above that is not recorded. */
  async #looks(paths: readonly string[], unclear: ReadonlySet<string>): Promise<Look[]> {
    const asked = new Map<Fid, Set<string>>();
    const looked = new Set<string>();
    const looks: Look[] = [];
    for (const path of paths) this.#ask(path, asked, looked);
    while (asked.size > 0) {
      const batch = [...asked];
      asked.clear();
      for (const [dir, names] of batch) {
        const isDeep = (path: string): boolean =>
          this.#parts.dirty.isDeep(path) || unclear.has(path);
        const look = await this.#lookAt(dir, [...names], { asked, looked, isDeep });
        if (look === null) continue;
        looks.push(look);
        this.#askForKnown(dir, look.nodes, asked, looked);
      }
    }
    return looks;
  }

  async #lookAt(
    dir: Fid,
    names: readonly string[],
    notes: {
      readonly asked: Map<Fid, Set<string>>;
      readonly looked: Set<string>;
      readonly isDeep: (path: string) => boolean;
    },
  ): Promise<Look | null> {
    const { records, board, mounts, look, clock, limits } = this.#parts;
    const { asked, looked, isDeep } = notes;
    try {
      const found = await look.names(dir, names, isDeep, new Yielder(clock, limits.slice));
      if (found.facts?.inode === records.get(dir)?.disk?.inode) return found;
      const border = mounts.lostBorder(dir);
      if (border === null) return found;
      for (const place of records.names(border))
        this.#askName(place.dir, place.name, asked, looked);
    } catch (error) {
      if (!(error instanceof PathChanged)) sayUnclear(board, records.pathOf(dir) ?? [], error);
      else if (error.at.length > 0) this.#ask(error.at.join('/'), asked, looked);
    }
    return null;
  }

  #ask(path: string, asked: Map<Fid, Set<string>>, looked: Set<string>): void {
    const { records, ignored, root } = this.#parts;
    const components = path === '' ? [] : path.split('/');
    let dir: Fid = records.root;
    for (const [depth, name] of components.entries()) {
      const isLast = depth === components.length - 1;
      const next = records.at(dir, name);
      const record = next === null ? null : records.get(next);
      if (!isLast && next !== null && record?.kind === 'directory') {
        dir = next;
        continue;
      }
      const at = components.slice(0, depth + 1);
      const facts = root.factsOrNull(at);
      if (ignored.isIgnored(at, (facts?.kind ?? record?.kind) === 'directory')) return;
      this.#askName(dir, name, asked, looked);
      return;
    }
    // The root itself: its own attributes.
    if (!asked.has(dir)) asked.set(dir, new Set());
  }

  #askName(dir: Fid, name: string, asked: Map<Fid, Set<string>>, looked: Set<string>): void {
    const key = placeKey(dir, name);
    if (looked.has(key)) return;
    looked.add(key);
    const names = asked.get(dir);
    if (names === undefined) asked.set(dir, new Set([name]));
    else names.add(name);
  }

  /**
   * Other names that decide what a name is: those of the inode that is there (moved, or linked?), and those of the vnode that
   * was there (replaced, or has it gone from this name only?).
   */
  #askForKnown(
    dir: Fid | null,
    nodes: readonly DiskNode[],
    asked: Map<Fid, Set<string>>,
    looked: Set<string>,
  ): void {
    const { records } = this.#parts;
    for (const { name, facts, children } of nodes) {
      const known = records.byInode(facts.inode);
      const here = dir === null ? null : records.at(dir, name);
      for (const fid of new Set([known, here])) {
        if (fid === null || (known === here && records.names(fid).length === 1)) continue;
        for (const place of records.names(fid)) this.#askName(place.dir, place.name, asked, looked);
      }
      if (children !== null) this.#askForKnown(known ?? here, children, asked, looked);
    }
  }
}

/** There are folders in it at most, and nothing that is synced. */
function isBare({ facts, children, isHollow }: DiskNode): boolean {
  if (facts.kind !== 'directory') return false;
  return isHollow || (children?.every(isBare) ?? false);
}

function isIgnoreFile(path: string): boolean {
  return path === IGNORE_FILE || path.endsWith(`/${IGNORE_FILE}`);
}
