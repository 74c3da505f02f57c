/** Contents that are in place, in the folder and in all that is mounted in it. */
import type { CachePreview, FolderUse } from '../../../shared/control/cache.ts';
import type { FileUse } from '../../../shared/control/disk.ts';
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { BoundOf, KeptContents, KeptOutcome } from '../../../shared/ports/feed.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { FolderFrontEnd } from '../folder/folder-options.ts';

/** Tells each folder what is asked of the contents in it. */
export class TreeContents implements KeptContents {
  readonly #all: () => readonly FolderFrontEnd[];

  /** `all`: the folders that are open; those around come before those in them. */
  constructor(all: () => readonly FolderFrontEnd[]) {
    this.#all = all;
  }

  use(): FolderUse {
    const all = this.#contents().map((contents) => contents.use());
    return { here: sum(all.map(({ here }) => here)), away: sum(all.map(({ away }) => away)) };
  }

  /** Of each as if all others were bounded by nothing: together they say what may go at most. */
  async preview(boundOf: BoundOf): Promise<CachePreview> {
    const total = this.use().here.bytes;
    const all: CachePreview[] = [];
    for (const contents of this.#contents()) {
      const others = total - contents.use().here.bytes;
      const within: BoundOf = (bytes, room) => {
        const bound = boundOf(bytes + others, room);
        return bound === null ? null : Math.max(0, bound - others);
      };
      all.push(await contents.preview(within));
    }
    return {
      here: sum(all.map(({ here }) => here)),
      goes: sum(all.map(({ goes }) => goes)),
      away: sum(all.map(({ away }) => away)),
    };
  }

  evict(fid: Fid): Promise<KeptOutcome> {
    return this.#of(fid).evict(fid);
  }

  fill(fid: Fid): Promise<KeptOutcome> {
    return this.#of(fid).fill(fid);
  }

  #contents(): KeptContents[] {
    return this.#all().flatMap(({ contents }) => contents ?? []);
  }

  #of(fid: Fid): KeptContents {
    const volume = volumeOf(fid);
    const contents = this.#all().find((frontEnd) => frontEnd.volume === volume)?.contents;
    if (contents !== undefined) return contents;
    throw new GodwitError('not-found', 'it is in a volume that is not kept in the folder');
  }
}

function sum(uses: readonly FileUse[]): FileUse {
  return {
    files: uses.reduce((total, { files }) => total + files, 0),
    bytes: uses.reduce((total, { bytes }) => total + bytes, 0),
  };
}
