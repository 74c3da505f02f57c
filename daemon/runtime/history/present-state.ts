/**
 * The present state of what commits of this device touched, as `godwit undo` compares it with them: what the names stand for, and what of it is there.
 *
 * A folder that was removed and made again is another vnode: what was in the one is looked up in the other.
 */
import { eachOf } from '../../../shared/concurrency/semaphore.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { OwnCommit } from '../../../shared/model/history.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { FileSystem, Place } from '../../../shared/ports/file-system.ts';
import { nullIfAbsent } from '../../../shared/wire/null-if-absent.ts';
import { MOST_TAKEN_BACK_AT_ONCE } from '../../limits.ts';
import { lookup } from './past.ts';
import { placeKey, type PresentState } from './plan-undo.ts';

/** Looks up every name and vnode of the commits, several at a time. */
export async function presentOf(
  fs: FileSystem,
  commits: readonly OwnCommit[],
): Promise<PresentState> {
  const look = new PresentLook(fs);
  for (const { names, vnodes } of commits) {
    for (const change of names) look.touched(change.dir, change.name, change.was);
    for (const { after } of vnodes) look.fids.add(after.fid);
  }
  return look.all();
}

class PresentLook {
  readonly fids = new Set<Fid>();
  readonly #fs: FileSystem;
  readonly #names = new Map<string, Fid>();
  readonly #vnodes = new Map<Fid, VnodeStatus>();
  /** Names that were touched, and all that they stood for, by their folder. */
  readonly #touched = new Map<Fid, Map<string, Set<Fid>>>();

  constructor(fs: FileSystem) {
    this.#fs = fs;
  }

  touched(dir: Fid, name: string, was: Fid | null): void {
    this.fids.add(dir);
    const inside = this.#touched.get(dir) ?? new Map<string, Set<Fid>>();
    const before = inside.get(name) ?? new Set<Fid>();
    if (was !== null) before.add(was);
    this.#touched.set(dir, inside.set(name, before));
  }

  async all(): Promise<PresentState> {
    await this.#statuses(this.fids);
    // Each with the folder whose names are to be looked up in it: itself, or the one of before.
    let open = [...this.#touched.keys()].map((dir) => ({ dir, of: dir }));
    const seen = new Set<string>();
    while (open.length > 0) {
      const places = open
        .filter(({ dir, of }) => this.#vnodes.has(dir) && !seen.has(`${dir} ${of}`))
        .flatMap(({ dir, of }) => {
          seen.add(`${dir} ${of}`);
          const inside = this.#touched.get(of) ?? new Map<string, Set<Fid>>();
          return [...inside].map(([name, before]) => ({ place: { dir, name }, before }));
        });
      open = await this.#lookUp(places);
    }
    return { names: this.#names, vnodes: this.#vnodes };
  }

  /** Gives the folders that are in the place of others. */
  async #lookUp(
    places: ReadonlyArray<{ readonly place: Place; readonly before: ReadonlySet<Fid> }>,
  ): Promise<Array<{ dir: Fid; of: Fid }>> {
    const instead: Array<{ dir: Fid; of: Fid }> = [];
    await eachOf(places, MOST_TAKEN_BACK_AT_ONCE, async ({ place, before }) => {
      const found = await lookup(this.#fs, place.dir, place.name);
      if (found === null) return;
      this.#names.set(placeKey(place), found.fid);
      for (const of of before) if (of !== found.fid) instead.push({ dir: found.fid, of });
    });
    await this.#statuses(new Set(this.#names.values()));
    return instead;
  }

  async #statuses(fids: ReadonlySet<Fid>): Promise<void> {
    const unknown = [...fids].filter((fid) => !this.#vnodes.has(fid));
    await eachOf(unknown, MOST_TAKEN_BACK_AT_ONCE, async (fid) => {
      const status = await this.#fs.getattr(fid).catch(nullIfAbsent);
      if (status !== null) this.#vnodes.set(fid, status);
    });
  }
}
