/**
 * Names that the volume has and that are ignored here. Whoever ignores a name and then takes it from this disk removes nothing
 * elsewhere. So a name that is gone when its rule ends is forgotten here, and comes back; it is no removal.
 *
 * A rule that ends while the daemon is off is found by what every look at everything forgets before that.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import { placeKey, type FolderRecords } from '../records/folder-records.ts';
import type { ForgottenNames } from './forgotten-names.ts';

/** Remembers recorded names that are ignored now, so that their end counts as no removal. */
export class IgnoredPlaces {
  readonly #records: FolderRecords;
  readonly #forgotten: Pick<ForgottenNames, 'forget'>;
  readonly #disk: { isGone(path: readonly string[]): boolean };
  #places = new Map<string, Place>();

  /** `isGone`: nothing is there, for certain. */
  constructor(
    records: FolderRecords,
    forgotten: Pick<ForgottenNames, 'forget'>,
    disk: { isGone(path: readonly string[]): boolean },
  ) {
    this.#records = records;
    this.#forgotten = forgotten;
    this.#disk = disk;
  }

  /** A look has found that the name is ignored now. */
  note(place: Place): void {
    this.#places.set(placeKey(place.dir, place.name), place);
  }

  /** Splits removals into those that are meant and the topmost names that were ignored until now. */
  sort<T extends { readonly dir: unknown; readonly name: string }>(
    removals: readonly T[],
  ): { readonly meant: readonly T[]; readonly ended: readonly Place[] } {
    if (this.#places.size === 0) return { meant: removals, ended: [] };
    const ended = new Map<string, Place>();
    const meant = removals.filter(({ dir, name }) => {
      const place = this.#above({ dir: dir as Fid, name });
      if (place !== null) ended.set(placeKey(place.dir, place.name), place);
      return place === null;
    });
    return { meant, ended: [...ended.values()] };
  }

  /** Forgets these names, and all that is below them, as if they had never been in place here. */
  forget(places: readonly Place[]): void {
    this.#forgotten.forget(places);
    for (const { dir, name } of places) this.#places.delete(placeKey(dir, name));
  }

  /** Those that are ignored and not on the disk. `isIgnored`: of a path; what is not any more is no longer counted. */
  gone(isIgnored: (path: readonly string[], place: Place) => boolean): Place[] {
    const gone: Place[] = [];
    for (const [key, place] of this.#places) {
      const path = this.#records.pathOfPlace(place);
      const isKnown = path !== null && this.#records.at(place.dir, place.name) !== null;
      if (!isKnown || !isIgnored(path, place)) this.#places.delete(key);
      else if (this.#disk.isGone(path)) gone.push(place);
    }
    return gone;
  }

  /** The noted place that this one is, or is below. */
  #above(place: Place): Place | null {
    let at: Place | undefined = place;
    while (at !== undefined) {
      const noted = this.#places.get(placeKey(at.dir, at.name));
      if (noted !== undefined) return noted;
      at = this.#records.names(at.dir)[0];
    }
    return null;
  }
}
