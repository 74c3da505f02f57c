/** The past of the volumes of this daemon, for clients of the control socket. */
import type {
  ActsReport,
  PastListing,
  RemovedReport,
  RestoreReport,
  SnapshotsReport,
  VersionsReport,
} from '../../../shared/control/history.ts';
import type { QueueOrder, QueueOutcome } from '../../../shared/control/queue.ts';
import type { VolumeInfo } from '../../../shared/model/change.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import type {
  PastKeeper,
  PastTime,
  RestoreOrder,
  UndoExtent,
} from '../../../shared/ports/controlled.ts';
import type { FileSystem } from '../../../shared/ports/file-system.ts';
import type { History } from '../../../shared/ports/history.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { UNDO_FLUSH } from '../../limits.ts';
import { listPast } from './list-folder.ts';
import { listRemoved, listVersions } from './list-past.ts';
import type { PastPoint } from './past.ts';
import { Restoring } from './restore.ts';
import { Undoing } from './undo.ts';

export interface PastPorts {
  readonly fileSystem: FileSystem;
  readonly history: History;
  /** As `godwit flush`: scans, and waits until all that was done is committed. */
  readonly flush: (timeoutMs: number) => Promise<void>;
  readonly orderQueue: (order: QueueOrder) => Promise<QueueOutcome>;
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

  async versions(
    volume: string,
    path: readonly string[],
    then?: PastTime,
  ): Promise<VersionsReport> {
    const { fileSystem, history } = this.#ports;
    const { id, root } = await this.#volume(volume);
    const point = then === undefined ? null : await this.#pointOf(volume, id, then);
    return listVersions(fileSystem, history, root, path, point);
  }

  async list(volume: string, path: readonly string[], then: PastTime): Promise<PastListing> {
    const { history } = this.#ports;
    const { id, root } = await this.#volume(volume);
    return listPast(history, root, path, await this.#pointOf(volume, id, then));
  }

  async snapshots(volume: string): Promise<SnapshotsReport> {
    const { id } = await this.#volume(volume);
    const snapshots = await this.#ports.history.snapshots(id);
    return {
      snapshots: snapshots.map(({ name, made, at }) => ({ name, when: made, commit: at })),
    };
  }

  /** Rejects `not-found` where the volume has no snapshot of that name. */
  async #pointOf(volume: string, id: VolumeId, then: PastTime): Promise<PastPoint> {
    if ('at' in then) return { when: then.at };
    const { snapshot } = then;
    const found = (await this.#ports.history.snapshots(id)).find(({ name }) => name === snapshot);
    if (found !== undefined) return { commit: found.at };
    const remedy = '`godwit snapshots` lists those there are';
    throw new GodwitError('not-found', `${volume} has no snapshot ${snapshot}`, remedy);
  }

  async removed(volume: string, path: readonly string[]): Promise<RemovedReport> {
    const { fileSystem, history } = this.#ports;
    const { root } = await this.#volume(volume);
    return listRemoved(fileSystem, history, root, path);
  }

  async restore(volume: string, order: RestoreOrder): Promise<RestoreReport> {
    const { fileSystem, history } = this.#ports;
    const { id, root, rights } = await this.#volume(volume);
    if (rights === 'read') return this.#takeServers(volume, order);
    const { at: when, snapshot, ...rest } = order;
    const then = snapshot === undefined ? null : await this.#pointOf(volume, id, { snapshot });
    const at = then ?? (when === null ? null : { when });
    return new Restoring(fileSystem, history, root, { ...rest, at }).run();
  }

  /** Nothing can be made of what may only be read, but what was changed here by mistake is given up. */
  async #takeServers(volume: string, order: RestoreOrder): Promise<RestoreReport> {
    const { path, version, at, to, snapshot } = order;
    const isPast = version !== null || at !== null || snapshot !== undefined;
    if (isPast || to !== null) throw mayOnlyRead(volume);
    const target = { volume, path };
    const { givenUp = [], laidAside = [] } = await this.#ports
      .orderQueue({ act: 'cancel', target, withDependents: true })
      .catch((error: unknown) => {
        const isAsThere = error instanceof GodwitError && error.code === 'not-queued';
        throw isAsThere ? mayOnlyRead(volume) : error;
      });
    const aside = new Set(laidAside);
    const done = givenUp.map((each) => {
      return { path: each, as: 'given-up', to: each, isLaidAside: aside.has(each) } as const;
    });
    return { done, failed: [] };
  }

  async undo(volume: string, extent: UndoExtent, dryRun: boolean): Promise<RestoreReport> {
    const { fileSystem, history } = this.#ports;
    const { id } = await this.#writable(volume);
    await this.#flushed();
    return new Undoing(fileSystem, history).run(id, extent, dryRun);
  }

  async acts(volume: string, most: number): Promise<ActsReport> {
    const { fileSystem, history } = this.#ports;
    const { id } = await this.#volume(volume);
    await this.#flushed();
    return { acts: await new Undoing(fileSystem, history).acts(id, most) };
  }

  async #flushed(): Promise<void> {
    const { flush } = this.#ports;
    await flush(UNDO_FLUSH).catch((error: unknown) => {
      // What is blocked was not done to anybody, and what is not in place here was not done here: the rest can be taken back.
      if (!(error instanceof GodwitError) || !OF_ONE_FILE.has(error.code)) throw error;
    });
  }

  async #volume(name: string): Promise<VolumeInfo> {
    const found = (await this.#ports.fileSystem.volumes()).find((each) => each.name === name);
    if (found !== undefined) return found;
    throw new GodwitError('no-such-volume', `${name}: there is no such volume`);
  }

  async #writable(name: string): Promise<VolumeInfo> {
    const volume = await this.#volume(name);
    if (volume.rights === 'write') return volume;
    throw mayOnlyRead(name);
  }
}

function mayOnlyRead(volume: string): GodwitError {
  return new GodwitError('no-right', `${volume}: this device may only read this volume`);
}
