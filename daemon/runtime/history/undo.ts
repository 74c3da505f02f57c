/**
 * `godwit undo`: takes back changes of this device that others have not changed since, as ordinary updates.
 *
 * What was done and is not committed yet is not known to the server: so the daemon flushes first.
 */
import type { DoneRow, FailedRow, RestoreReport } from '../../../shared/control/history.ts';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { OwnCommit } from '../../../shared/model/history.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { UndoExtent } from '../../../shared/ports/controlled.ts';
import type { FileSystem, Place } from '../../../shared/ports/file-system.ts';
import type { History } from '../../../shared/ports/history.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { atFreeName, makeAgain, putContents } from './make-again.ts';
import { lookup, orNull, ownCommitsWhile, shownPath } from './past.ts';
import {
  placeKey,
  planUndo,
  reachesBack,
  type PresentState,
  type UndoPlan,
  type UndoStep,
} from './plan-undo.ts';

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
    const commits = await ownCommitsWhile(
      this.#history,
      volume,
      (sofar) => !reachesBack(sofar, extent),
    );
    for (const { names } of commits) {
      for (const { dir, name, was, now } of names) {
        for (const fid of [was, now]) {
          if (fid !== null && !this.#places.has(fid)) this.#places.set(fid, { dir, name });
        }
      }
    }
    const plan = planUndo(commits, extent, await this.#present(commits));
    await this.#carryOut(plan, dryRun);
    return { done: this.#done, failed: this.#failed };
  }

  /** The present state of everything that the commits touched. */
  async #present(commits: readonly OwnCommit[]): Promise<PresentState> {
    const names = new Map<string, Fid>();
    const vnodes = new Map<Fid, VnodeStatus>();
    const places = new Map<string, Place>();
    const fids = new Set<Fid>();
    for (const { names: changes, vnodes: written } of commits) {
      for (const { dir, name } of changes) {
        places.set(placeKey({ dir, name }), { dir, name });
        fids.add(dir);
      }
      for (const { after } of written) fids.add(after.fid);
    }
    for (const fid of fids) {
      const status = await orNull(this.#fs.getattr(fid));
      if (status !== null) vnodes.set(fid, status);
    }
    for (const [key, place] of places) {
      const found = vnodes.has(place.dir) ? await lookup(this.#fs, place.dir, place.name) : null;
      if (found !== null) names.set(key, found.fid);
    }
    return { names, vnodes };
  }

  async #carryOut({ steps, inPlaceOf, refused }: UndoPlan, dryRun: boolean): Promise<void> {
    for (const [old, fid] of inPlaceOf) this.#madeFor.set(old, fid);
    for (const step of steps) {
      const path = this.#pathOfStep(step);
      try {
        const to = dryRun ? path : await this.#perform(step, path);
        this.#done.push({ path: shownPath(path), as: AS[step.do], to: shownPath(to) });
      } catch (error) {
        if (!(error instanceof GodwitError)) throw error;
        this.#failed.push({ path: shownPath(path), code: error.code, message: error.message });
      }
    }
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
    return this.#history.placeOf(this.#fid(fid)) ?? this.#places.get(fid) ?? null;
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
