/**
 * `godwit undo`: takes back changes of this device that others have not changed since, as ordinary updates.
 *
 * What was done and is not committed yet is not known to the server: so the daemon flushes first.
 */
import type { ActRow, DoneRow, FailedRow, RestoreReport } from '../../../shared/control/history.ts';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { OwnCommit } from '../../../shared/model/history.ts';
import type { UndoExtent } from '../../../shared/ports/controlled.ts';
import type { FileSystem, Place } from '../../../shared/ports/file-system.ts';
import type { History } from '../../../shared/ports/history.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { atFreeName, makeAgain, putContents } from './make-again.ts';
import { inTurns, type Ties } from './in-turns.ts';
import { ownCommitsWhile, shownPath } from './past.ts';
import {
  actsOf,
  placeKey,
  planUndo,
  reachesBack,
  type Act,
  type UndoPlan,
  type UndoStep,
} from './plan-undo.ts';
import { presentOf } from './present-state.ts';
import { isTakenBack } from './taken-back.ts';

/** Acts are looked at so many times as many where some are taken back, and so many at most: what is older is hardly remembered. */
const FURTHER = 4;
const MOST_LOOKED_AT = 1000;
/** Commits are gone through again when there are so many times as many. */
const LOOK_AGAIN = 1.25;

/**
 * One run of `godwit undo`: carries out the steps of a plan as ordinary updates and reports those
 * that failed.
 */
export class Undoing {
  readonly #fs: FileSystem;
  readonly #history: History;
  readonly #done: DoneRow[] = [];
  readonly #failed: FailedRow[] = [];
  /** What is in the place of something that has ended: made here, or by an editor's save. No chain of these comes back to itself. */
  readonly #madeFor = new Map<Fid, Fid>();
  /** Where things are or were, as far as the commits tell. */
  readonly #places = new Map<Fid, Place>();

  constructor(fs: FileSystem, history: History) {
    this.#fs = fs;
    this.#history = history;
  }

  async run(volume: VolumeId, extent: UndoExtent, dryRun: boolean): Promise<RestoreReport> {
    const commits = await this.#commits(volume, extent);
    const plan = planUndo(commits, extent, await presentOf(this.#fs, commits));
    await this.#carryOut(plan, dryRun);
    return { done: this.#done, failed: this.#failed };
  }

  /** The last things that can be taken back, newest first, without those that are already. */
  async acts(volume: VolumeId, most: number): Promise<ActRow[]> {
    const shown = (place: Place): string => shownPath(this.#pathOf(place));
    return (await this.#openActs(volume, most)).map(
      ({ commit: { commit, when }, kind, place, fid, to, things }) => ({
        ...{ act: commit, when, kind, things, to: to === null ? null : shown(to) },
        path: shownPath(this.#pathOf(place ?? (fid === null ? null : this.#placeOf(fid)))),
      }),
    );
  }

  /** Goes further back as long as acts that are taken back stand before others. */
  async #openActs(volume: VolumeId, most: number): Promise<Act[]> {
    for (let looked = most; ; looked *= FURTHER) {
      const commits = await this.#commits(volume, { last: looked });
      const acts = actsOf(commits).slice(0, looked);
      const present = await presentOf(this.#fs, commits);
      const open = acts.filter((act) => !isTakenBack(act, commits, present));
      const isEnough = open.length >= most || acts.length < looked || looked >= MOST_LOOKED_AT;
      if (isEnough) return open.slice(0, most);
    }
  }

  async #commits(volume: VolumeId, extent: UndoExtent): Promise<OwnCommit[]> {
    let looked = 0;
    const commits = await ownCommitsWhile(this.#history, volume, (sofar) => {
      // Not after each page: all that there is so far is gone through.
      if (sofar.length < looked * LOOK_AGAIN) return true;
      looked = sofar.length;
      return !reachesBack(sofar, extent);
    });
    for (const { names } of commits) {
      for (const { dir, name, was, now } of names) {
        for (const fid of [was, now]) {
          if (fid !== null && !this.#places.has(fid)) this.#places.set(fid, { dir, name });
        }
      }
    }
    return commits;
  }

  async #carryOut({ steps, inPlaceOf, refused }: UndoPlan, dryRun: boolean): Promise<void> {
    for (const [old, fid] of inPlaceOf) this.#madeFor.set(old, fid);
    const done: Array<DoneRow | undefined> = [];
    const failed: Array<FailedRow | undefined> = [];
    await inTurns(
      steps,
      (step) => this.#tiesOf(step),
      async (step, index) => {
        const path = this.#pathOfStep(step);
        try {
          const to = dryRun ? path : await this.#perform(step, path);
          done[index] = { path: shownPath(path), as: AS[step.do], to: shownPath(to) };
        } catch (error) {
          if (!(error instanceof GodwitError)) throw error;
          failed[index] = { path: shownPath(path), code: error.code, message: error.message };
        }
      },
    );
    // In the order of the steps, whichever was done first.
    this.#done.push(...done.filter((row) => row !== undefined));
    this.#failed.push(...failed.filter((row) => row !== undefined));
    for (const { place, fid, why } of refused) {
      const path = this.#pathOf(place ?? this.#placeOf(fid));
      this.#failed.push({ path: shownPath(path), code: 'changed-since', message: why });
    }
  }

  /** Gives where it went. */
  async #perform(step: UndoStep, path: readonly string[]): Promise<readonly string[]> {
    const beside = (name: string): string[] => [...path.slice(0, -1), name];
    switch (step.do) {
      case 'make': {
        const { place, attributes } = await makeAgain(this.#fs, this.#at(step.place), step.status);
        this.#madeFor.set(step.status.fid, attributes.fid);
        return beside(place.name);
      }
      case 'link': {
        const fid = this.#fid(step.fid);
        return atFreeName(this.#at(step.place), false, async (place) => {
          await this.#fs.link(fid, place);
          return beside(place.name);
        });
      }
      case 'move': {
        const from = this.#at(step.from);
        const { kind } = await this.#fs.getattr(this.#fid(step.fid));
        return atFreeName(this.#at(step.place), kind === 'directory', async (place) => {
          await this.#fs.rename(from, place, { noReplace: true });
          return beside(place.name);
        });
      }
      case 'contents':
        await putContents(this.#fs, this.#fid(step.fid), step.status);
        return path;
      case 'mode':
        await this.#fs.setattr(this.#fid(step.fid), { mode: step.mode });
        return path;
    }
  }

  /** A thing is made before its names are given, and a folder before what is in it; what moves goes alone. */
  #tiesOf(step: UndoStep): Ties {
    const of = (fid: Fid, place: Place | null): Ties => {
      if (place === null) return { needs: [], has: [this.#fid(fid)], alone: false };
      const at = this.#at(place);
      return { needs: [at.dir], has: [this.#fid(fid), placeKey(at)], alone: false };
    };
    switch (step.do) {
      case 'make':
        return of(step.status.fid, step.place);
      case 'link':
      case 'contents':
        return of(step.fid, step.place);
      case 'move':
      case 'mode':
        return { needs: [], has: [], alone: true };
    }
  }

  #fid(fid: Fid): Fid {
    const made = this.#madeFor.get(fid);
    return made === undefined ? fid : this.#fid(made);
  }

  #at({ dir, name }: Place): Place {
    return { dir: this.#fid(dir), name };
  }

  #pathOfStep(step: UndoStep): string[] {
    const place = step.do === 'mode' ? null : step.place;
    return this.#pathOf(place ?? ('fid' in step ? this.#placeOf(step.fid) : null));
  }

  #placeOf(fid: Fid): Place | null {
    return this.#history.placesOf(this.#fid(fid))[0] ?? this.#places.get(fid) ?? null;
  }

  /** As people know it: up to the root by what is there, and where that is gone by what the commits tell. */
  #pathOf(place: Place | null): string[] {
    const path: string[] = [];
    const seen = new Set<Fid>();
    for (let at = place; at !== null && !seen.has(at.dir); at = this.#placeOf(at.dir)) {
      path.unshift(at.name);
      seen.add(at.dir);
    }
    return path;
  }
}

const AS = {
  make: 'made',
  link: 'linked',
  move: 'moved',
  contents: 'contents',
  mode: 'mode',
} as const;
