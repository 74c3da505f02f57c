/** Which folders this laptop does not keep (rule X1), by their paths: asks the core, and then the folder, which takes them from the disk. */
import type { ExcludedHere, ExcludedReport } from '../../shared/control/exclusions.ts';
import { compareNames } from '../../shared/model/names.ts';
import type { VolumePath } from '../../shared/ports/controlled.ts';
import type { ReplicaFrontEnd } from '../../shared/ports/feed.ts';
import type { Attributes, FileSystem } from '../../shared/ports/file-system.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { CallBroker } from './call-broker.ts';

export interface ExclusionParts {
  readonly fileSystem: FileSystem;
  readonly broker: CallBroker;
  /** A path in the volume where it ends. */
  readonly acrossMounts: (at: VolumePath) => VolumePath;
  readonly frontEnd: () => Pick<ReplicaFrontEnd, 'excluded' | 'looked'> | null;
}

/** Excludes and includes folders by path, and tells what is left of them on the disk. */
export class ExclusionKeeper {
  readonly #parts: ExclusionParts;

  constructor(parts: ExclusionParts) {
    this.#parts = parts;
  }

  /** Resolves when all of it has gone from the disk that may go now. Rejects `usage`, `not-found`, `not-a-directory`, `already-excluded` ... */
  async exclude(volume: string, path: readonly string[]): Promise<ExcludedHere> {
    this.#folder();
    const found = await this.#find(volume, path);
    const shown = `/${path.join('/')}`;
    if (found.kind !== 'directory') {
      const remedy = 'name the folder that it is in; `godwit evict` frees what one file takes here';
      throw new GodwitError('not-a-directory', `${shown} is a file, and a folder is meant`, remedy);
    }
    if (found.excluded === true) {
      const what = this.#isMarked(found) ? '' : ', as it is in one that is not';
      const said = `${shown} is not kept on this laptop already${what}`;
      throw new GodwitError('already-excluded', said);
    }
    const fid = fidOf(found);
    await this.#parts.broker.call<boolean>({ op: 'exclude', fid });
    await this.#folder().looked?.();
    const here = this.report().folders.find((each) => each.fid === fid);
    return here ?? { fid, path, left: 0, staying: [] };
  }

  /** It comes back by and by. Rejects `not-found`, `not-excluded` ... */
  async include(volume: string, path: readonly string[]): Promise<ExcludedHere> {
    this.#folder();
    const found = await this.#find(volume, path);
    const fid = fidOf(found);
    const here = this.report().folders.find((each) => each.fid === fid);
    if (await this.#parts.broker.call<boolean>({ op: 'include', fid })) {
      void this.#folder().looked?.();
      return here ?? { fid, path, left: 0, staying: [] };
    }
    const around = this.report().folders.find(
      ({ path: at }) => at?.every((name, i) => path[i] === name) === true,
    );
    const where =
      around === undefined ? '' : `: it is in /${around.path?.join('/') ?? ''}, which is`;
    throw new GodwitError('not-excluded', `/${path.join('/')} is not excluded${where}`);
  }

  /** Throws `usage` where no folder is kept. */
  report(): ExcludedReport {
    const folders = [...(this.#folder().excluded?.() ?? [])];
    const shown = ({ path }: ExcludedHere): string => path?.join('/') ?? '';
    return { folders: folders.sort((a, b) => compareNames(shown(a), shown(b))) };
  }

  #isMarked(found: Attributes): boolean {
    return this.report().folders.some(({ fid }) => fid === fidOf(found));
  }

  #folder(): Pick<ReplicaFrontEnd, 'excluded' | 'looked'> {
    const frontEnd = this.#parts.frontEnd();
    if (frontEnd?.excluded !== undefined) return frontEnd;
    const remedy = 'this is for a synced folder: a mounted volume keeps only what was used lately';
    throw new GodwitError('usage', 'no folder of this laptop is synced', remedy);
  }

  /** A mount point is meant itself, and not what it shows. */
  async #find(volume: string, path: readonly string[]): Promise<Attributes> {
    const name = path.at(-1);
    if (name === undefined) {
      const remedy = 'name a folder in it; `godwit down` ends the syncing of all';
      throw new GodwitError('usage', 'the whole folder can not be excluded', remedy);
    }
    const { fileSystem, acrossMounts } = this.#parts;
    const above = acrossMounts({ volume, path: path.slice(0, -1) });
    const all = await fileSystem.volumes();
    const root = all.find((each) => each.name === above.volume)?.root;
    if (root === undefined) {
      throw new GodwitError('no-such-volume', `${above.volume}: there is no such volume`);
    }
    try {
      let dir = root;
      for (const each of above.path) ({ fid: dir } = await fileSystem.lookup(dir, each));
      return await fileSystem.lookup(dir, name);
    } catch (error) {
      const isAbsent = error instanceof GodwitError && error.code === 'not-found';
      if (!isAbsent) throw error;
      throw new GodwitError('not-found', `/${path.join('/')}: there is no such file or folder`);
    }
  }
}

const fidOf = ({ fid, mounted }: Attributes) => mounted?.at ?? fid;
