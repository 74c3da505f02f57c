/**
 * Resolves in a volume that no folder shows, through the file-system port. What goes is named by fid and version, so a program that
 * writes at the same moment is not overruled. Where the kept side takes its name that is one step: if others have removed the kept side, or
 * written to the other one, nothing goes.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { FileSystem, Place } from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { ResolutionTarget, ResolvedPath } from './resolution-target.ts';
import { changed, shown } from './plan-resolution.ts';
import { findPlace } from './find-place.ts';

/** Carries out a resolution in a volume, through the file-system port. */
export class VolumeTarget implements ResolutionTarget {
  readonly #fileSystem: FileSystem;
  readonly #root: Fid;

  constructor(fileSystem: FileSystem, root: Fid) {
    this.#fileSystem = fileSystem;
    this.#root = root;
  }

  async remove({ names, there }: ResolvedPath): Promise<void> {
    if (there === null) return;
    const { fid, version } = there;
    const place = await this.#place(names);
    await this.#guarded(names, () => this.#fileSystem.remove(place, { only: { fid, version } }));
  }

  async replace(kept: ResolvedPath, loser: ResolvedPath): Promise<void> {
    if (loser.there === null) return this.move(kept, loser);
    // A folder can't be renamed over anything else; nor does a choice remove one.
    if (kept.there?.kind === 'directory') {
      await this.remove(loser);
      return this.move(kept, loser);
    }
    const { fid, version } = loser.there;
    const [from, to] = [await this.#place(kept.names), await this.#place(loser.names)];
    const options = { only: { fid, version } };
    await this.#guarded(loser.names, () => this.#fileSystem.rename(from, to, options));
  }

  async move(kept: ResolvedPath, to: ResolvedPath): Promise<void> {
    const [from, place] = [await this.#place(kept.names), await this.#place(to.names)];
    await this.#guarded(to.names, () => this.#fileSystem.rename(from, place, { noReplace: true }));
  }

  async #place(names: readonly string[]): Promise<Place> {
    const place = await findPlace(this.#fileSystem, this.#root, names);
    if (place === null) throw changed(`${shown(names.join('/'))} was changed meanwhile`);
    return place;
  }

  async #guarded(names: readonly string[], work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const code = error instanceof GodwitError ? error.code : null;
      if (code !== 'exists' && code !== 'not-found') throw error;
      throw changed(`${shown(names.join('/'))} was changed meanwhile`);
    }
  }
}
