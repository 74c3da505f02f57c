/**
 * `godwit conflicts resolve`: one side stays under the original name, the other goes, and the conflict is forgotten. In this order, so
 * that an end in the middle leaves a conflict that can be resolved again.
 */
import { resolve } from 'node:path';
import type { ResolutionReport, SideToKeep } from '../../../shared/control/resolution.ts';
import type { ConflictStatus } from '../../../shared/control/snapshot.ts';
import type { VolumeInfo } from '../../../shared/model/change.ts';
import type { Host } from '../../../shared/ports/host.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { SafeRoot } from '../folder/disk/safe-root.ts';
import { ConflictBook, type BookEntry, type BookParts } from './conflict-book.ts';
import { findPlace, lookUp } from './find-place.ts';
import { FolderHands, type FolderHost } from './folder-hands.ts';
import type { Hands, Spot } from './hands.ts';
import { planResolution, type Plan, type Scene } from './plan-resolution.ts';
import type { Seen } from './seen.ts';
import { VolumeHands } from './volume-hands.ts';

export interface KeeperParts extends BookParts {
  readonly host: FolderHost & Pick<Host, 'openBeneath'>;
  /** All that are not dealt with, as they are now. */
  readonly conflicts: () => readonly ConflictStatus[];
  readonly dismiss: (id: number) => void;
  /** Looks for changes in the folder now. */
  readonly scan: () => Promise<void>;
  /** Where the synced folder is now, and the name of the volume it shows; null: there is none. */
  readonly folder: () => { readonly path: string; readonly volume: string } | null;
}

/**
 * Resolves conflicts for a person: keeps one side, removes the other, dismisses the conflict. One
 * at a time.
 */
export class ConflictKeeper {
  readonly #parts: KeeperParts;
  readonly #book: ConflictBook;
  #last: Promise<unknown> = Promise.resolve();
  /** The update of the store that is requested and has not begun. */
  #awaited: Promise<void> | null = null;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#book = new ConflictBook(parts);
  }

  /**
   * Updates the store after a change of the list. Requests that come while one runs are merged into one after it, which sees the
   * list as it is then.
   */
  look(): Promise<void> {
    this.#awaited ??= this.#next(() => {
      this.#awaited = null;
      return this.#book.look(this.#parts.conflicts());
    });
    return this.#awaited;
  }

  resolve(id: number, keep: SideToKeep): Promise<ResolutionReport> {
    return this.#next(() => this.#resolve(id, keep));
  }

  async #resolve(id: number, keep: SideToKeep): Promise<ResolutionReport> {
    const { conflicts, fileSystem, dismiss, scan } = this.#parts;
    // A change that the folder has not logged yet may move the copy, and the list with it.
    if (keep !== 'both') await scan();
    const conflict = conflicts().find((row) => row.id === id);
    if (conflict === undefined) {
      throw new GodwitError(
        'not-found',
        `${id}: there is no such conflict: see \`godwit conflicts\``,
      );
    }
    let done: Omit<ResolutionReport, 'id' | 'keep' | 'volume'>;
    let volume: string | null = null;
    if (keep === 'both') {
      done = { path: null, removed: null, note: null };
    } else {
      await this.#book.look(conflicts());
      const known = this.#book.find(conflict);
      const info = known === null ? null : await this.#volumeOf(known);
      const scene = await this.#scene(conflict, known, info);
      done = await this.#carryOut(planResolution(scene, keep), scene, info);
      volume = info?.name ?? null;
    }
    dismiss(id);
    // Answered when the dismissal is durable: calls are answered in order.
    await fileSystem.volumes();
    // The resolution is done; if the scan fails, the folder reports that.
    await scan().catch(() => undefined);
    return { id, keep, volume, ...done };
  }

  async #volumeOf({ volume }: BookEntry): Promise<VolumeInfo> {
    const found = (await this.#parts.fileSystem.volumes()).find(({ name }) => name === volume);
    if (found !== undefined) return found;
    throw new GodwitError('no-such-volume', `this device sees no volume ${volume}`);
  }

  async #scene(
    conflict: ConflictStatus,
    known: BookEntry | null,
    volume: VolumeInfo | null,
  ): Promise<Scene> {
    const nothing = { atPath: null, atCopy: null, hasDirectory: false };
    const hasMoved = { mine: false, theirs: false };
    if (known === null || volume === null) return { conflict, was: null, ...nothing, hasMoved };
    const { fileSystem } = this.#parts;
    const [at, beside] = [
      await findPlace(fileSystem, volume.root, conflict.path.split('/')),
      await findPlace(fileSystem, volume.root, conflict.copy.split('/')),
    ];
    const atPath = at === null ? null : await lookUp(fileSystem, at);
    const atCopy = beside === null ? null : await lookUp(fileSystem, beside);
    return {
      ...{ conflict, was: known, atPath, atCopy },
      // Asked only where it matters: a server that is away may be needed for it.
      hasMoved: {
        mine: atCopy === null && (await this.#isThere(known.mine)),
        theirs: atPath === null && (await this.#isThere(known.theirs)),
      },
      hasDirectory: at !== null,
    };
  }

  async #isThere(side: Seen | null): Promise<boolean> {
    if (side === null) return false;
    try {
      return (await this.#parts.fileSystem.getattr(side.fid)).links > 0;
    } catch (error) {
      if (error instanceof GodwitError && error.code === 'not-found') return false;
      throw error;
    }
  }

  async #carryOut(
    plan: Plan,
    { conflict, atPath, atCopy }: Scene,
    volume: VolumeInfo | null,
  ): Promise<Omit<ResolutionReport, 'id' | 'keep' | 'volume'>> {
    if (plan.do === 'forget') return { path: plan.kept, removed: null, note: plan.note };
    const spots: Record<'path' | 'copy', Spot> = {
      path: { names: conflict.path.split('/'), there: atPath },
      copy: { names: conflict.copy.split('/'), there: atCopy },
    };
    const hands = this.#handsOn(volume as VolumeInfo);
    switch (plan.do) {
      case 'remove': {
        const hasOther = plan.from === 'copy' && atPath !== null;
        await hands.remove(spots[plan.from], hasOther ? spots.path : null);
        const path = hasOther ? conflict.path : null;
        return { path, removed: conflict[plan.from], note: null };
      }
      case 'replace':
        await hands.replace(spots.copy, spots.path);
        return { path: conflict.path, removed: conflict.path, note: null };
      case 'move':
        await hands.move(spots.copy, spots.path);
        return { path: conflict.path, removed: null, note: 'the other one is gone already' };
    }
  }

  #handsOn({ name, root }: VolumeInfo): Hands {
    const { host, fileSystem } = this.#parts;
    const folder = this.#parts.folder();
    if (folder === null || folder.volume !== name) return new VolumeHands(fileSystem, root);
    return new FolderHands(new SafeRoot(resolve(folder.path), host), host);
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
