/**
 * Resolves in the synced folder, on the disk, as a person would: a local change like any other, at once and without a server.
 *
 * What goes has, byte for byte, the contents that the server has. Two names are swapped in one step, and only what came out is removed: a
 * program that wrote meanwhile finds its file again. What follows the check is synchronous, so that the folder's own look does not
 * come between. No link is followed on the way (rule F2).
 */
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Disk } from '../folder/disk/disk.ts';
import { isSameBytes, stampOf, type DiskFacts } from '../folder/disk/disk-facts.ts';
import { PathChanged } from '../folder/disk/path-changed.ts';
import type { SafeRoot } from '../folder/disk/safe-root.ts';
import type { ResolutionTarget, ResolvedPath } from './resolution-target.ts';
import { changed, shown } from './plan-resolution.ts';

const CANNOT_SWAP = new Set(['ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'ENOSYS']);

export type TargetFiles = Pick<
  Disk,
  'digestFile' | 'rename' | 'renameExchange' | 'renameNoReplace' | 'syncDirectory' | 'unlink'
>;

/** Carries out a resolution in the synced folder, on the disk. */
export class FolderTarget implements ResolutionTarget {
  readonly #root: SafeRoot;
  readonly #files: TargetFiles;

  constructor(root: SafeRoot, files: TargetFiles) {
    this.#root = root;
    this.#files = files;
  }

  async remove(loser: ResolvedPath, kept: ResolvedPath | null): Promise<void> {
    if (kept !== null) this.#mustBeThere(kept);
    const facts = await this.#asOnServer(loser);
    this.#at(loser, (path) => {
      this.#mustBe(path, facts, loser);
      this.#files.unlink(path);
    });
  }

  async replace(kept: ResolvedPath, loser: ResolvedPath): Promise<void> {
    this.#mustBeThere(kept);
    const facts = await this.#asOnServer(loser);
    this.#at(kept, (from) =>
      this.#at(loser, (to) => {
        this.#mustBe(to, facts, loser);
        if (!this.#swap(from, to)) return this.#files.rename(from, to);
        try {
          this.#mustBe(from, facts, loser);
        } catch (error) {
          this.#swap(from, to);
          throw error;
        }
        // The name must be the kept one's for good before the other has none.
        this.#files.syncDirectory(directoryOf(to));
        this.#files.unlink(from);
      }),
    );
  }

  async move(kept: ResolvedPath, to: ResolvedPath): Promise<void> {
    await Promise.resolve();
    this.#mustBeThere(kept);
    this.#at(kept, (from) =>
      this.#at(to, (path) => {
        try {
          this.#files.renameNoReplace(from, path);
        } catch (error) {
          if (codeOf(error) === 'EEXIST') throw changedMeanwhile(to);
          throw error;
        }
      }),
    );
  }

  /** False: this file system can't swap names. */
  #swap(a: string, b: string): boolean {
    try {
      this.#files.renameExchange(a, b);
      return true;
    } catch (error) {
      if (CANNOT_SWAP.has(codeOf(error))) return false;
      throw error;
    }
  }

  #mustBe(path: string, facts: DiskFacts, place: ResolvedPath): void {
    const now = this.#root.factsAt(path);
    if (now === null || !isSameBytes(now, stampOf(facts))) throw changedMeanwhile(place);
  }

  #mustBeThere(place: ResolvedPath): void {
    const facts = this.#at(place, (path) => this.#root.factsAt(path));
    if (facts === null) throw notYet(place);
  }

  /** The facts of what is on the disk, where that is what the volume has there. */
  async #asOnServer(place: ResolvedPath): Promise<DiskFacts> {
    const { there, names } = place;
    const facts = this.#at(place, (path) => this.#root.factsAt(path));
    if (facts === null || there === null || facts.kind !== there.kind) throw notYet(place);
    if (there.kind === 'symlink') {
      if (facts.target !== there.target) throw notYet(place);
      return facts;
    }
    return coded(place, () =>
      this.#root.reading(names, async (path, before) => {
        const { digest } = await this.#files.digestFile(path);
        if (digest !== there.digest) throw notYet(place);
        return before;
      }),
    );
  }

  #at<T>({ names, ...place }: ResolvedPath, act: (path: string) => T): T {
    try {
      const name = names.at(-1) ?? '';
      return this.#root.within(names.slice(0, -1), (base) => act(`${base}/${name}`));
    } catch (error) {
      throw codedError({ names, ...place }, error);
    }
  }
}

async function coded<T>(place: ResolvedPath, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw codedError(place, error);
  }
}

function codedError(place: ResolvedPath, error: unknown): unknown {
  if (error instanceof PathChanged) return changedMeanwhile(place);
  const path = pathOf(place);
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return changedMeanwhile(place);
    case 'EACCES':
    case 'EPERM':
      return new GodwitError('file-unreadable', `${path}: no right to read or remove it`);
    case 'EROFS':
      return new GodwitError('folder-unusable', `${path}: the disk is mounted read-only`);
    case 'ENOSPC':
    case 'EDQUOT':
      return new GodwitError('disk-full', `${path}: the disk is full`);
    case 'EIO':
      return new GodwitError('disk-failing', `${path}: ${(error as Error).message}`);
    default:
      return error;
  }
}

function notYet(place: ResolvedPath): GodwitError {
  return new GodwitError('sync-blocked', `${pathOf(place)} is not in the folder as on the server`);
}

function changedMeanwhile(place: ResolvedPath): GodwitError {
  return changed(`${pathOf(place)} was changed meanwhile`);
}

const pathOf = ({ names }: ResolvedPath): string => shown(names.join('/'));
const directoryOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';
