/**
 * Finds what was changed in the folder and has it logged: by the watcher's hints, when they have settled, and by looking at
 * everything. Each pass looks, plans, then logs, with the folder to itself.
 */
import { IGNORE_FILE } from '../../../../shared/control/default-ignores.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import { needsProtocol2 } from '../../../../shared/model/names.ts';
import { PLACEHOLDER_SUFFIX } from '../../../../shared/model/placeholder-name.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import { isUnclear, unclearPaths } from '../disk/path-errors.ts';
import type { Finding } from '../placeholders/placeholder-look.ts';
import { placeKey } from '../records/folder-records.ts';
import type { Ref } from '../records/order-names.ts';
import { RecordUpdates } from '../records/record-updates.ts';
import { Yielder } from '../yielder.ts';
import { AdoptLogged } from './adopt-logged.ts';
import { CarriedOff } from './carried-off.ts';
import { GoingFiles } from './going-files.ts';
import { HeldRemovals, type Removal } from './held-removals.ts';
import { IgnoredPlaces } from './ignored-places.ts';
import type { LocalChangesParts } from './local-changes-parts.ts';
import type { LocalPlan, Look } from './local-plan.ts';
import { LogContents } from './log-contents.ts';
import { LogLocal } from './log-local.ts';
import { LookAtPaths } from './look-at-paths.ts';
import { OwnTimes } from './own-times.ts';
import { planLocal } from './plan-local.ts';
import { SettledFiles, type PassNotes } from './settled-files.ts';

/** What was said of the folder as a whole is over when a pass has come to its end. */
const OVER = ['disk-full', 'disk-failing', 'internal'] as const;

/** The key under which it is kept that something was not looked at since a kill. */
const OPEN = 'adopt';

/** Paths that a line of the log names. */
const MOST_LOGGED = 10;

/** What a pass has looked at. */
export interface Looked {
  readonly paths: readonly string[];
  /** Paths, asked for or met, that have not settled and are not logged yet. */
  readonly waiting: ReadonlySet<string>;
}

/** Finds the local changes of a pass, plans them, and has them logged. */
export class LocalChanges {
  readonly #parts: LocalChangesParts;
  /** Removals that wait for a confirmation. */
  readonly held: HeldRemovals;
  readonly #ignoredPlaces: IgnoredPlaces;
  readonly #paths: LookAtPaths;
  readonly #settled: SettledFiles;
  /** null: the last run ended in good order, so nothing is logged that is not recorded. */
  #adopt: AdoptLogged | null = null;
  readonly #ownTimes: OwnTimes;
  #logging = 0;
  /** What stands at places of excluded folders, as it was said last. */
  #standing: ReadonlySet<string> = new Set();
  readonly #carriedOff: CarriedOff;
  /** Null: the folder is no mounted volume. */
  readonly #going: GoingFiles | null;

  constructor(parts: LocalChangesParts) {
    this.#parts = parts;
    this.#paths = new LookAtPaths(parts);
    this.#settled = new SettledFiles(parts);
    this.#ownTimes = new OwnTimes(parts);
    this.held = new HeldRemovals(parts);
    this.#carriedOff = new CarriedOff(parts);
    this.#going = parts.mounted === true ? new GoingFiles(parts) : null;
    this.#ignoredPlaces = new IgnoredPlaces(parts.records, parts.forgotten, {
      isGone: (path) => !parts.mounts.isAway(path) && parts.root.isGone(path),
    });
  }

  /** Changes whenever something local begins or ends to be logged: who compares two reads knows whether any of it happened meanwhile. */
  get logging(): number {
    return this.#logging;
  }

  /** The last run was `killed`, or it had not seen all that the one before had left: until `adopted` each step first asks the view whether it was logged. */
  adopt(killed: boolean): void {
    if (!killed && this.#parts.store.state(OPEN) !== '1') return;
    this.#adopt = new AdoptLogged(this.#parts);
  }

  /** As `CarriedOff.awaitsOthers`. */
  get awaitsOthers(): boolean {
    return this.#carriedOff.awaitsOthers;
  }

  /** As `SettledFiles.mayHave`. */
  mayHave(inode: string): boolean {
    return this.#settled.mayHave(inode);
  }

  /** This run ends in good order. Throws as `setState`. */
  keepOpen(): void {
    const { store } = this.#parts;
    const isOpen = this.#adopt === null ? '' : '1';
    if ((store.state(OPEN) ?? '') !== isOpen) store.setState(OPEN, isOpen);
  }

  /** Everything was looked at but what does not rest yet (`waiting`), and what can not be looked at. What is not recorded of the rest was not logged. */
  adopted(waiting: readonly string[]): void {
    const { mounts, board } = this.#parts;
    const away = mounts.away().map((path) => path.join('/'));
    const isOpen = this.#adopt?.seenBut([...waiting, ...away, ...unclearPaths(board)]);
    if (isOpen !== true) this.#adopt = null;
  }

  /**
   * Looks at everything. What has not settled stays among the dirty paths and is returned. `wanted`: somebody waits for what is there; large files
   * that are not taken yet for all that are added.
   */
  async whole(wanted: Set<string> | null = null): Promise<string[]> {
    const { dirty, look, records, clock, limits, letOthersRun } = this.#parts;
    const before = dirty.paths();
    const mark = dirty.mark();
    this.#parts.ignored.reload();
    this.#readMounts();
    const found = await look.whole(records.root, new Yielder(clock, limits.slice, letOthersRun));
    if (found === null) return [];
    const waiting = await this.#pass([found], new Set(before), { isWhole: true, wanted });
    for (const path of before) if (!waiting.has(path)) dirty.done(path, mark);
    return [...waiting];
  }

  /** Looks at the dirty paths that are due, or at these. Gives the paths that it has looked at, and which of them have not settled. */
  async due(only: readonly string[] | null, wanted: Set<string> | null = null): Promise<Looked> {
    const { dirty, clock, limits, ignored, look } = this.#parts;
    const paths = only ?? dirty.due(clock.now(), limits.batchPaths);
    if (paths.length === 0) return { paths, waiting: new Set() };
    const ruleFiles = paths.filter(isIgnoreFile);
    if (ruleFiles.length > 0) ignored.reload();
    // One that does not rest is looked at again and again: were each look told, everything would be watched and looked at anew each time.
    if (ruleFiles.filter((path) => ignored.isNews(path)).length > 0) {
      this.#parts.events.emit('rulesChanged');
    }
    const mark = dirty.mark();
    this.#readMounts();
    const { board } = this.#parts;
    const unclear = new Set(paths.filter((path) => isUnclear(board, path)));
    for (const path of paths) if (!unclear.has(path)) board.clearPath(path);
    // The watcher tells bytes that are no text by such a name: they are still no name.
    for (const path of paths.filter(needsProtocol2)) look.checkNames(path.split('/').slice(0, -1));
    const looks = await this.#paths.looks(paths, unclear);
    const waiting = await this.#pass(looks, new Set(paths), { isWhole: false, wanted });
    for (const path of paths) if (!waiting.has(path)) dirty.done(path, mark);
    return { paths, waiting };
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
      nodes: this.#settled.settled(look.dir, look.path, look.nodes, {
        ...{ waiting, heldPlaces, elsewhere, wanted },
      }),
    }));
    const findings = this.#findings({ waiting, heldPlaces, elsewhere });
    const looked = settled.map((look) => ({
      ...look,
      nodes: this.#settled.notHeld(look.dir, look.path, look.nodes, heldPlaces, waiting),
    }));
    const { mounts, forgotten } = this.#parts;
    await forgotten.recall(looked);
    const isConfirmed = (fid: Fid): boolean => isWhole && this.held.isConfirmed(fid);
    const plan = planLocal(looked, records, {
      isElsewhere: (inode) => elsewhere.has(inode) || this.#settled.isElsewhere(inode, asked),
      mounts: {
        isHeld: (fid) => !isConfirmed(fid) && mounts.isHeld(fid),
        isAwayAt: (fid, node) => !isConfirmed(fid) && mounts.isAwayAt(fid, node),
      },
      hasLeft: (fid, place) => this.#parts.excluded.isNoRemoval(fid, place),
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
    const removed = removedBy(plan);
    if (removed.length > 0 && ((await this.#hasMoved(removed, asked)) || this.#readMounts())) {
      // Mounted, or moved, or not when it was looked at? That is looked at again.
      for (const path of asked) dirty.hint(path, clock.now(), { live: false });
      return new Set([...waiting, ...asked]);
    }
    this.#forgetLeft(plan.left);
    const { ops, removals: meant } = this.#parts.powerLoss.meant({
      ...{ ops: plan.ops, removals: this.#meant(plan.removals, isWhole) },
    });
    const stayed = await this.#carriedOff.meant(meant, { waiting, isWhole });
    const removals = this.#allowed(stayed, isWhole, waiting);
    const told = { ...plan, ops };
    const { failures } = this.#parts;
    failures.takeChanged();
    await this.#log(told, removals, this.#settled.restless(told, asked, waiting));
    // Its look is in vain: who waits for it waits on, and says so.
    for (const path of failures.takeChanged()) waiting.add(path);
    this.#parts.tidy.run(findings);
    if (isWhole) forgotten.prune();
    this.#tellInVacated();
    mounts.note();
    return waiting;
  }

  /** Of what is missing, what is told now: no more than a person may have meant, and nothing that still goes. */
  #allowed(
    removals: readonly Removal[],
    isWhole: boolean,
    waiting: Set<string>,
  ): readonly Removal[] {
    const { held } = this;
    if (isWhole && held.confirmed !== undefined) this.#parts.mounts.forget(held.confirmed);
    const allowed = isWhole ? held.allowed(removals) : held.seen(removals);
    return this.#atRest(allowed, isWhole, waiting);
  }

  /** What a person has put where an excluded folder was is said, until it is gone, or the folder is to be here again. */
  #tellInVacated(): void {
    const { excluded, root, board } = this.#parts;
    const standing = excluded.vacated().filter((path) => root.factsOrNull(path) !== null);
    const paths = new Set(standing.map((path) => path.join('/')));
    for (const path of paths) board.set('place-excluded', path);
    for (const path of this.#standing) if (!paths.has(path)) board.clear('place-excluded', path);
    this.#standing = paths;
  }

  /** What has left the disk is held from now on: it comes back when it is kept here again. */
  #forgetLeft(left: LocalPlan['left']): void {
    const { records, excluded, events } = this.#parts;
    const places = left.filter(({ dir, name, fid }) => records.at(dir, name) === fid);
    if (places.length === 0) return;
    excluded.forget(places);
    events.emit('heldMayGo');
  }

  /** What goes from a mounted volume is told when nothing more goes: all of it may be about to. */
  #atRest(
    removals: readonly Removal[],
    isWhole: boolean,
    waiting: Set<string>,
  ): readonly Removal[] {
    if (this.#going === null) return removals;
    const { records, dirty, clock } = this.#parts;
    const told: Removal[] = [];
    for (const removal of removals) {
      const path = records.pathOfPlace({ dir: removal.dir as Fid, name: removal.name })?.join('/');
      if (path === undefined) continue;
      const live = dirty.isLive(path);
      // What only a look finds is judged by how much it is (held-removals.ts).
      if (this.#going.rests(removal.fid) || (isWhole && !live)) told.push(removal);
      else {
        waiting.add(path);
        dirty.hint(path, clock.now(), { live });
      }
    }
    return told;
  }

  /** Logs what was planned. `restless`: directories whose own attributes are not told this time. */
  async #log(
    plan: LocalPlan,
    removals: LocalPlan['removals'],
    restless: ReadonlySet<Ref>,
  ): Promise<void> {
    this.#logging += 1;
    try {
      await this.#execute(plan, removals, restless);
    } finally {
      this.#logging += 1;
    }
  }

  async #execute(...planned: Parameters<LogLocal['run']>): Promise<void> {
    const { presence, failures, board } = this.#parts;
    const [plan, removals] = planned;
    // A root that went away while it was looked at has nothing in it.
    const isThere = presence.isThere(true);
    if (!isThere && (plan.ops.length > 0 || removals.length > 0)) return;
    const before = failures.count;
    await this.#logLocal().run(...planned);
    if (failures.count > before) return;
    for (const code of OVER) board.clear(code, null);
  }

  /** For one plan. */
  #logLocal(): LogLocal {
    const { fileSystem, limits, notes, records, heldRows } = this.#parts;
    const { failures, save, forgotten, board, ownCopies, excluded, log } = this.#parts;
    return new LogLocal({
      ...{ fileSystem, limits, notes, records, failures, save, forgotten, board, ownCopies },
      ...{ excluded, log },
      told: new RecordUpdates(records, heldRows),
      contents: new LogContents({ ...this.#parts, adopt: this.#adopt, ownTimes: this.#ownTimes }),
      adopt: this.#adopt,
      ownTimes: this.#ownTimes,
    });
  }

  /** Without what is gone since it was ignored, which is forgotten. */
  #meant(removals: readonly Removal[], isWhole: boolean): readonly Removal[] {
    const { records, ignored, log } = this.#parts;
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
    }
    return meant;
  }

  /**
   * Something that is missing has been hinted elsewhere since it was looked for. Of a move the watcher tells the old name first, and on a busy machine the
   * new one much later.
   */
  async #hasMoved(removed: readonly Fid[], asked: ReadonlySet<string>): Promise<boolean> {
    const { heard, records } = this.#parts;
    const isElsewhere = (inode: string): boolean => this.#settled.isElsewhere(inode, asked);
    const inodes = removed.flatMap((fid) => records.get(fid)?.disk?.inode ?? []);
    const unseen = inodes.filter((inode) => !isElsewhere(inode));
    await heard();
    return unseen.some(isElsewhere);
  }

  #readMounts(): boolean {
    const isOther = this.#parts.mounts.read();
    if (isOther) this.#parts.events.emit('mountsChanged');
    return isOther;
  }

  /** What is left alone in this pass is for another: the placeholder may be gone by then, and nobody tells of its file's name again. */
  #lookAgainAt(place: Place): void {
    const { dirty, records, clock } = this.#parts;
    const path = records.pathOfPlace(place)?.join('/');
    if (path === undefined) return;
    const live = dirty.isLive(path) || dirty.isLive(`${path}${PLACEHOLDER_SUFFIX}`);
    dirty.hint(path, clock.now(), { live });
  }

  /** What is to be put right of placeholders. Meanwhile what they stand for is left alone, and what does not rest, too. */
  #findings(notes: Omit<PassNotes, 'wanted'>): Finding[] {
    const { dirty, records, clock } = this.#parts;
    return this.#parts.placeholders.takeFindings().filter((finding) => {
      if (finding.what === 'copy') {
        // What it stands over is not gone: nobody knows what its contents are to be.
        for (const place of finding.over === null ? [] : records.names(finding.over))
          notes.heldPlaces.add(placeKey(place.dir, place.name));
        return true;
      }
      if (finding.what !== 'written' && finding.what !== 'taken') return true;
      const { path, name, facts } = finding;
      notes.elsewhere.add(facts.inode);
      for (const place of records.names(finding.fid)) {
        notes.heldPlaces.add(placeKey(place.dir, place.name));
        this.#lookAgainAt(place);
      }
      const text = [...path, name].join('/');
      const rests = (): boolean => false;
      if (dirty.isStable(text, facts, { now: clock.now(), wall: clock.wall(), rests })) return true;
      notes.waiting.add(text);
      return false;
    });
  }
}

function removedBy({ ops, removals, left }: LocalPlan): Fid[] {
  const told = [...ops, ...removals].flatMap((op) =>
    op.op === 'remove' || op.op === 'rmdir' ? [op.fid] : [],
  );
  return [...told, ...left.map(({ fid }) => fid)];
}

function isIgnoreFile(path: string): boolean {
  return path === IGNORE_FILE || path.endsWith(`/${IGNORE_FILE}`);
}
