/** The past of the volumes of this daemon, for clients of the control socket. */
import type {
  RemovedReport,
  RestoreReport,
  VersionsReport,
} from '../../../shared/control/history.ts';
import type { VolumeInfo } from '../../../shared/model/change.ts';
import type { PastKeeper, RestoreOrder, UndoExtent } from '../../../shared/ports/controlled.ts';
import type { FileSystem } from '../../../shared/ports/file-system.ts';
import type { History } from '../../../shared/ports/history.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { UNDO_FLUSH } from '../../limits.ts';
import { listRemoved, listVersions } from './list-past.ts';
import { Restoring } from './restore.ts';
import { Undoing } from './undo.ts';

export interface PastPorts {
  readonly fileSystem: FileSystem;
  readonly history: History;
  /** As `godwit flush`: scans, and waits until all that was done is committed. */
  readonly flush: (timeoutMs: number) => Promise<void>;
}

/** The error codes of a flush that name single files that can't be synced. */
const OF_ONE_FILE: ReadonlySet<string> = new Set([
  'sync-blocked',
  'place-taken',
  'name-unusable',
  'file-unreadable',
]);

/** Serves versions, removed files, restore and undo over the control socket. */
export class CorePastKeeper implements PastKeeper {
  readonly #ports: PastPorts;

  constructor(ports: PastPorts) {
    this.#ports = ports;
  }

  async versions(volume: string, path: readonly string[]): Promise<VersionsReport> {
    const { fileSystem, history } = this.#ports;
    const { root } = await this.#volume(volume);
    return listVersions(fileSystem, history, root, path);
  }

  async removed(volume: string, path: readonly string[]): Promise<RemovedReport> {
    const { fileSystem, history } = this.#ports;
    const { root } = await this.#volume(volume);
    return listRemoved(fileSystem, history, root, path);
  }

  async restore(volume: string, order: RestoreOrder): Promise<RestoreReport> {
    const { fileSystem, history } = this.#ports;
    const { root } = await this.#writable(volume);
    return new Restoring(fileSystem, history, root, order).run();
  }

  async undo(volume: string, extent: UndoExtent, dryRun: boolean): Promise<RestoreReport> {
    const { fileSystem, history, flush } = this.#ports;
    const { id } = await this.#writable(volume);
    await flush(UNDO_FLUSH).catch((error: unknown) => {
      // What is blocked was not done to anybody, and what is not in place here was not done here: the rest can be taken back.
      if (!(error instanceof GodwitError) || !OF_ONE_FILE.has(error.code)) throw error;
    });
    return new Undoing(fileSystem, history).run(id, extent, dryRun);
  }

  async #volume(name: string): Promise<VolumeInfo> {
    const found = (await this.#ports.fileSystem.volumes()).find((each) => each.name === name);
    if (found !== undefined) return found;
    throw new GodwitError('no-such-volume', `${name}: there is no such volume`);
  }

  async #writable(name: string): Promise<VolumeInfo> {
    const volume = await this.#volume(name);
    if (volume.rights === 'write') return volume;
    throw new GodwitError('no-right', `${name}: this device may only read this volume`);
  }
}
