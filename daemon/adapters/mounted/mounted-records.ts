/** The records of mounted volumes: each has its own, in DATA/mounted/VOLUME, as the folder around them has in DATA. */
import { join } from 'node:path';
import { rootOf, type VolumeId } from '../../../shared/model/fid.ts';
import type { FolderOptions } from '../folder/folder-options.ts';
import type { FolderRecords } from '../folder/records/folder-records.ts';
import { openRecords } from '../folder/records/record-store.ts';

export const MOUNTED_FOLDER = 'mounted';

/** What was in place of a volume, and what its directory is known by. */
export interface TakenRecords {
  readonly records: FolderRecords;
  readonly token: string | null;
}

/** Opens and drops the records of mounted volumes. */
export class MountedRecords {
  readonly #options: FolderOptions;

  constructor(options: FolderOptions) {
    this.#options = options;
  }

  /** What a volume's folder is opened with. */
  optionsOf(volume: VolumeId): Pick<FolderOptions, 'dataDir' | 'openRecords'> {
    const { openRecords: open } = this.#options;
    return {
      dataDir: this.#folderOf(volume),
      ...(open === undefined ? {} : { openRecords: open }),
    };
  }

  /** What was saved last, of a folder that is closed; null: there is nothing, or nothing that can be used. */
  take(volume: VolumeId): TakenRecords | null {
    const { disk, openRecords: open } = this.#options;
    const dataDir = this.#folderOf(volume);
    try {
      if (open === undefined && !disk.exists(dataDir)) return null;
      const root = rootOf(volume);
      const { store, loaded } = open?.(root) ?? openRecords(dataDir, root);
      const token = store.state('token');
      store.close();
      return { records: loaded.records, token };
    } catch {
      return null;
    }
  }

  /** None of them is used again. */
  drop(volume: VolumeId): void {
    const { disk, dropRecords } = this.#options;
    if (dropRecords !== undefined) return dropRecords(rootOf(volume));
    disk.removeTree(this.#folderOf(volume));
  }

  #folderOf(volume: VolumeId): string {
    return join(this.#options.dataDir, MOUNTED_FOLDER, String(volume));
  }
}
