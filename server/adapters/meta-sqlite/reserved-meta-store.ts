/** The metadata of a server on a disk that may fill up: a commit that meets its end is tried once more with the room of the reserve. */
import type { SyncsData } from '../../../shared/sqlite/log-sync.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { SqliteMetaStore } from './sqlite-meta-store.ts';

/** A metadata store that frees reserved space and tries once more if a commit meets a full disk. */
export class ReservedMetaStore extends SqliteMetaStore {
  readonly #giveRoom: () => boolean;

  /** `giveRoom`: false where there is none to give. */
  constructor(file: string, host: SyncsData, giveRoom: () => boolean) {
    super(file, host);
    this.#giveRoom = giveRoom;
  }

  override async commit(...args: Parameters<SqliteMetaStore['commit']>): Promise<void> {
    try {
      await super.commit(...args);
    } catch (error) {
      const isFull = error instanceof GodwitError && error.code === 'server-full';
      if (!isFull || !this.#giveRoom()) throw error;
      await super.commit(...args);
    }
  }
}
