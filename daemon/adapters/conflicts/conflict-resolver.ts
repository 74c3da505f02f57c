/**
 * `godwit conflicts resolve`: one side stays under the original name, the other goes, and the conflict is forgotten. In this order, so
 * that an end in the middle leaves a conflict that can be resolved again.
 */
import { resolve } from 'node:path';
import type {
  FoundConflict,
  ResolutionReport,
  SideToKeep,
} from '../../../shared/control/resolution.ts';
import type { ConflictSide } from '../../../shared/model/conflict-side.ts';
import type { VolumeInfo } from '../../../shared/model/change.ts';
import type { FileSystem } from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Disk } from '../folder/disk/disk.ts';
import { SafeRoot } from '../folder/disk/safe-root.ts';
import { findPlace, lookUp } from './find-place.ts';
import { FolderTarget } from './folder-target.ts';
import type { ResolutionTarget, ResolvedPath } from './resolution-target.ts';
import { planResolution, type Plan, type ConflictState } from './plan-resolution.ts';
import { VolumeTarget } from './volume-target.ts';

export interface ResolverParts {
  readonly fileSystem: FileSystem;
  readonly disk: Disk;
  /** One that is not dealt with, as it is now; null: there is no such. */
  readonly conflict: (id: number) => FoundConflict | null;
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
export class ConflictResolver {
  readonly #parts: ResolverParts;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: ResolverParts) {
    this.#parts = parts;
  }

  /** One after the other. Rejects GodwitError `not-found`, and what a plan or its target refuse; then nothing is forgotten. */
  resolve(id: number, keep: SideToKeep): Promise<ResolutionReport> {
    return this.#next(() => this.#resolve(id, keep));
  }

  async #resolve(id: number, keep: SideToKeep): Promise<ResolutionReport> {
    const { fileSystem, dismiss, scan } = this.#parts;
    // What the folder has not told yet may move the copy, and the list with it.
    if (keep !== 'both') await scan();
    const conflict = this.#parts.conflict(id);
    if (conflict === null) {
      throw new GodwitError(
        'not-found',
        `${id}: there is no such conflict`,
        'see `godwit conflicts`',
      );
    }
    let done: Omit<ResolutionReport, 'id' | 'keep' | 'volume'>;
    let volume: string | null = null;
    if (keep === 'both') {
      done = { path: null, removed: null, note: null };
    } else {
      const info = await this.#volumeOf(conflict);
      const scene = await this.#scene(conflict, info);
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

  /** null: nobody can tell which one it is about. */
  async #volumeOf({ volume }: FoundConflict): Promise<VolumeInfo | null> {
    if (volume === undefined) return null;
    const found = (await this.#parts.fileSystem.volumes()).find(({ name }) => name === volume);
    if (found !== undefined) return found;
    throw new GodwitError('no-such-volume', `this device sees no volume ${volume}`);
  }

  async #scene(conflict: FoundConflict, volume: VolumeInfo | null): Promise<ConflictState> {
    const nothing = { atPath: null, atCopy: null, hasDirectory: false };
    const hasMoved = { mine: false, theirs: false };
    const { sides } = conflict;
    if (sides === null || volume === null) return { conflict, was: null, ...nothing, hasMoved };
    const { fileSystem } = this.#parts;
    const [at, beside] = [
      await findPlace(fileSystem, volume.root, conflict.path.split('/')),
      await findPlace(fileSystem, volume.root, conflict.copy.split('/')),
    ];
    const atPath = at === null ? null : await lookUp(fileSystem, at);
    const atCopy = beside === null ? null : await lookUp(fileSystem, beside);
    return {
      ...{ conflict, was: sides, atPath, atCopy },
      // Asked only where it matters: a server that is away may be needed for it.
      hasMoved: {
        mine: atCopy === null && (await this.#isThere(sides.mine)),
        theirs: atPath === null && (await this.#isThere(sides.theirs)),
      },
      hasDirectory: at !== null,
    };
  }

  async #isThere(side: ConflictSide | null): Promise<boolean> {
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
    { conflict, atPath, atCopy }: ConflictState,
    volume: VolumeInfo | null,
  ): Promise<Omit<ResolutionReport, 'id' | 'keep' | 'volume'>> {
    if (plan.do === 'forget') return { path: plan.kept, removed: null, note: plan.note };
    const paths: Record<'path' | 'copy', ResolvedPath> = {
      path: { names: conflict.path.split('/'), there: atPath },
      copy: { names: conflict.copy.split('/'), there: atCopy },
    };
    const target = this.#targetIn(volume as VolumeInfo);
    switch (plan.do) {
      case 'remove': {
        const hasOther = plan.from === 'copy' && atPath !== null;
        await target.remove(paths[plan.from], hasOther ? paths.path : null);
        const path = hasOther ? conflict.path : null;
        return { path, removed: conflict[plan.from], note: null };
      }
      case 'replace':
        await target.replace(paths.copy, paths.path);
        return { path: conflict.path, removed: conflict.path, note: null };
      case 'move':
        await target.move(paths.copy, paths.path);
        return { path: conflict.path, removed: null, note: 'the other one is gone already' };
    }
  }

  #targetIn({ name, root }: VolumeInfo): ResolutionTarget {
    const { disk, fileSystem } = this.#parts;
    const folder = this.#parts.folder();
    if (folder === null || folder.volume !== name) return new VolumeTarget(fileSystem, root);
    return new FolderTarget(new SafeRoot(resolve(folder.path), disk), disk);
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
