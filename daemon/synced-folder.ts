/**
 * The folder of a daemon that keeps one: opened when the volume is known, and again at another place when a person says so.
 *
 * A move is a stop, one rename and a start, inside of a daemon that runs on. Where it ends in between, the folder is at one place and
 * the settings name that place (shared/control/config.ts).
 */
import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { beginMove, endMove, RECORDS_FILE, type DaemonConfig } from '../shared/control/config.ts';
import { isFolderAt, readMarker } from '../shared/control/marker.ts';
import type { ErrorStatus } from '../shared/control/snapshot.ts';
import { startupFailure } from '../shared/control/startup-failure.ts';
import type { VolumeInfo } from '../shared/model/change.ts';
import type { VolumeId } from '../shared/model/fid.ts';
import { milliseconds } from '../shared/model/time.ts';
import { commitNumber, type CommitNumber } from '../shared/model/vnode.ts';
import type { TimerHandle } from '../shared/ports/clock.ts';
import type { Host } from '../shared/ports/host.ts';
import type { Log } from '../shared/ports/log.ts';
import type { Recordings } from '../shared/ports/recordings.ts';
import { diskError } from '../shared/system/disk-error.ts';
import { freeSpaceOn } from '../shared/system/free-disk.ts';
import { GodwitError } from '../shared/wire/error-codes.ts';
import type { FolderFrontEnd } from './adapters/folder/folder-options.ts';
import type { Disk } from './adapters/folder/disk/disk.ts';
import { planMove, renameRoot, type MovePlan } from './adapters/folder/disk/move-root.ts';
import { systemDisk } from './adapters/folder/disk/system-disk.ts';
import { systemMounts } from './adapters/folder/disk/system-mounts.ts';
import { openFolderTree } from './adapters/mounted/folder-tree.ts';
import { openMount } from './adapters/mount/mount-front-end.ts';
import { takeUpMounted } from './adapters/mount/take-up-left.ts';
import { bootOf } from './data-folder.ts';
import type { KeptConfig } from './kept-config.ts';
import type { DaemonRuntime } from './runtime/daemon-runtime.ts';
import { chooseVolume } from './shown-volume.ts';

/** A disk that failed or was full may be well again, and somebody may have done what the error asks for. */
const OPEN_AGAIN_MS = milliseconds(5000);

export interface SyncedFolderParts {
  readonly dataDir: string;
  readonly config: KeptConfig;
  readonly runtime: DaemonRuntime;
  readonly recorder: Recordings;
  readonly host: Host;
  readonly log: Log;
}

/** Opens, moves and reopens the folder of a daemon; one of these at a time. */
export class SyncedFolder {
  readonly #parts: SyncedFolderParts;
  readonly #disk: Disk;
  #frontEnd: FolderFrontEnd | null = null;
  /** What the folder is known by, once it has been open. */
  #token: string | null = null;
  /** The number of the volume that it shows, once that is known. */
  #volume: number | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #again: TimerHandle | null = null;
  #said = '';

  constructor(parts: SyncedFolderParts) {
    this.#parts = parts;
    this.#disk = systemDisk(parts.host);
  }

  /** A volume that is known from before opens at once, and a fault of the folder stops the start. Else it waits for the first Hello. */
  async open(): Promise<void> {
    const { config, runtime, log } = this.#parts;
    if (shownAt(config.now) === null) {
      // For commands, which begin with that volume.
      void this.#chosen(null).catch((error: unknown) =>
        log.info('no volume is usual', { why: String(error) }),
      );
      return;
    }
    if (runtime.snapshot().volumes.length > 0) return this.#open();
    void this.#openUntilItDoes(this.#open());
  }

  /** Resolves when it is at the new place, and open there as far as it can be. Rejects as `planMove` and `renameRoot` throw, and `usage`, `try-again`. */
  async move(given: string): Promise<void> {
    const { config } = this.#parts;
    const to = isAbsolute(given) ? resolve(given) : given;
    const from = folderOf(config.now);
    if (from === null) throw new GodwitError('usage', 'folder: this daemon keeps none');
    if (this.#token === null) throw new GodwitError('try-again', `${from}: it is not open yet`);
    const token = this.#token;
    await this.#next(() => this.#move(to, token));
  }

  /** A session has begun: the volume may have another name now. */
  async volumesHeard(): Promise<void> {
    if (this.#volume === null || this.#parts.runtime.isClosing) return;
    const volumes = await this.#parts.runtime.fileSystem.volumes();
    const volume = volumes.find(({ id }) => id === this.#volume);
    if (volume !== undefined) this.#follow(volume.name);
  }

  /** Resolves when nothing of it is under way. */
  async settled(): Promise<void> {
    this.#again?.cancel();
    await this.#last;
  }

  async #move(to: string, token: string): Promise<void> {
    const { config, dataDir, runtime, log } = this.#parts;
    const from = folderOf(config.now) ?? to;
    if (to === from && isFolderAt(from, token)) return;
    const plan = planMove({
      ...{ from, to, token, dataDir },
      files: this.#disk,
      mounts: systemMounts,
    });
    this.#refuseEnding();
    log.info('the folder goes to another place', { from, to });
    this.#again?.cancel();
    const opened = Promise.withResolvers<void>();
    runtime.moves(opened.promise);
    try {
      await this.#frontEnd?.close();
      this.#refuseEnding();
      this.#carryOut(plan, { from, to, token });
    } catch (error) {
      throw diskError(dataDir, error);
    } finally {
      const opening = this.#open();
      opened.resolve(opening);
      await this.#openUntilItDoes(opening);
    }
  }

  #carryOut(plan: MovePlan, move: { from: string; to: string; token: string }): void {
    const { config, dataDir, host, log } = this.#parts;
    if (plan === null) return config.change({ folder: move.to });
    try {
      beginMove(dataDir, move, host);
      renameRoot(plan, this.#disk);
    } catch (error) {
      // It is there, though the disk may have failed at what came after.
      if (!isFolderAt(move.to, move.token)) {
        this.#note(() => endMove(dataDir, host));
        throw error;
      }
      log.warn('the folder was moved, and the disk failed', { why: String(error) });
    }
    this.#note(() => config.moved());
  }

  /** What was found out holds, whether it can be written to the settings now or not: it is found out again. */
  #note(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#parts.log.warn('the settings can not be written', { why: String(error) });
    }
  }

  async #open(): Promise<void> {
    const { config, dataDir, runtime, recorder, log } = this.#parts;
    const root = shownAt(config.now);
    if (root === null) return;
    runtime.showsAt(root);
    if (config.now.frontEnd === 'mount') return this.#openMount(root);
    const volume = await this.#chosen(this.#shownIn(root));
    const { feed, clock, timers } = runtime;
    const fileSystem = recorder.over(runtime.fileSystem, { pid: 0, program: 'folder' });
    const deviceName = (): string => runtime.deviceName;
    const about = { root, volume, dataDir, deviceName, boot: bootOf() };
    const left = await takeUpMounted({ ...about, fileSystem, feed, timers, log });
    if (left.length > 0) runtime.report(left);
    const ports = { fileSystem, feed, clock, timers, log, diskRoom: () => freeSpaceOn(root) };
    const volumes = runtime.feed;
    const frontEnd = await openFolderTree({ ...about, ...ports, volumes, disk: this.#disk });
    if (runtime.isClosing) return frontEnd.close();
    this.#frontEnd = frontEnd;
    this.#token = frontEnd.token;
    runtime.attach(frontEnd, frontEnd);
  }

  /** From here on nothing in this process looks into the mount: only it could answer. */
  async #openMount(root: string): Promise<void> {
    const { dataDir, runtime, recorder, log } = this.#parts;
    const volume = await this.#chosen(null);
    const { feed, timers, inside } = runtime;
    const who = { pid: 0, program: 'mount' };
    const fileSystem = recorder.over(runtime.fileSystem, who);
    const shown = recorder.over(runtime.programs, who);
    const at = (id: VolumeId): CommitNumber =>
      inside.names.volumes.get(id)?.row.caughtUp ?? commitNumber(0);
    const about = { root, volume, dataDir, boot: bootOf(), at };
    const frontEnd = await openMount({ ...about, fileSystem, shown, feed, timers, log });
    if (runtime.isClosing) return frontEnd.close();
    runtime.attach(frontEnd);
  }

  /** The settings name the volume from then on. */
  async #chosen(shown: number | null): Promise<VolumeInfo> {
    const { config, runtime } = this.#parts;
    const known = await runtime.fileSystem.volumes();
    const shut = runtime.snapshot().volumes.filter((each) => each.shut === true);
    const seen = known.filter(({ id }) => !shut.some((each) => each.id === id));
    const { volume: named, frontEnd } = config.now;
    // Without a folder it is where commands begin: one that was renamed meanwhile is no reason to fail.
    const isSaid = frontEnd !== 'none' || known.some(({ name }) => name === named);
    const said = { named: isSaid ? named : undefined, shown };
    const volume = chooseVolume({ known, seen, ...runtime.told, ...said });
    this.#volume = volume.id;
    this.#follow(volume.name);
    return volume;
  }

  /** The number of the volume that the folder shows already: by its marker, if this data folder has records of one. Null: none. */
  #shownIn(root: string): number | null {
    if (!existsSync(join(this.#parts.dataDir, RECORDS_FILE))) return null;
    try {
      return readMarker(root)?.volume ?? null;
    } catch {
      // It is opened all the same, and says then what is wrong with the disk.
      return null;
    }
  }

  #follow(name: string): void {
    const { config, log } = this.#parts;
    if (config.now.volume === name) return;
    log.info('the folder shows a volume of this name', { name });
    this.#note(() => config.change({ volume: name }));
  }

  /** Nobody waits for a start any more that could fail: why the folder does not open is in the status, and it is tried again. */
  async #openUntilItDoes(opening: Promise<void>): Promise<void> {
    const { runtime, log } = this.#parts;
    runtime.expect(opening);
    try {
      await opening;
      this.#said = '';
      runtime.report([]);
    } catch (error) {
      if (runtime.isClosing) return;
      const status = asStatus(error);
      if (status.message !== this.#said) {
        log.error('the folder can not be opened', { why: status.message });
      }
      this.#said = status.message;
      runtime.report([status]);
      this.#again = runtime.timers.start(OPEN_AGAIN_MS, () => {
        void this.#next(() => this.#openUntilItDoes(this.#open()));
      });
    }
  }

  #refuseEnding(): void {
    if (this.#parts.runtime.isClosing) throw new GodwitError('not-running', 'the daemon ends');
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** The folder, or where the volume is mounted; null: neither. */
function shownAt({ frontEnd, folder }: DaemonConfig): string | null {
  return frontEnd === 'none' ? null : folder;
}

/** A folder of plain files, which may be looked into; null: it keeps none. */
export function folderOf({ frontEnd, folder }: DaemonConfig): string | null {
  return frontEnd === 'folder' ? folder : null;
}

function asStatus(error: unknown): ErrorStatus {
  const { code, message, remedy } = startupFailure(error);
  return { code, message, remedy, path: null };
}
