/**
 * Keeps what the mount shows as the volume is: what a commit of the feed touches, and is shown, is asked of the core again and pushed.
 *
 * What an own update that is still queued touches is held until it is answered (feed port, contract 3): a conflict may change it then.
 */
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { ChangeSet } from '../../../shared/model/change.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import { milliseconds } from '../../../shared/model/time.ts';
import type { Timers } from '../../../shared/ports/clock.ts';
import type { Feed } from '../../../shared/ports/feed.ts';
import type { Attributes, FileSystem, Place } from '../../../shared/ports/file-system.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { AskedOfCore } from './asked-of-core.ts';
import type { NativeEntry, NativeMount, NativeStatus } from './native-mount.ts';
import { nativeStatus } from './operations.ts';

const AGAIN_MS = milliseconds(2000);

export interface FollowerParts {
  readonly native: NativeMount;
  readonly mount: number;
  readonly volume: VolumeId;
  /** As programs have it. */
  readonly fileSystem: FileSystem;
  readonly feed: Feed;
  readonly timers: Timers;
  readonly log: Log;
  readonly asked: AskedOfCore;
  readonly names: Names;
}

/** Tells names as the addon takes them. */
export interface Names {
  list(dir: Fid): Promise<NativeEntry[]>;
  status(place: Place, attributes: Attributes): NativeStatus;
  /** Nothing has this name. */
  gone(place: Place): void;
}

/** Follows the feed of a volume for its mount. */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #ended = new AbortController();
  readonly #heldNames = new Map<string, Place>();
  readonly #heldVnodes = new Set<Fid>();
  /** Directories whose names the mount has. */
  readonly #listed: Set<Fid>;
  readonly #reached = new Set<() => void>();
  readonly #stopListening: () => void;
  #at: CommitNumber;
  #isOutdated: boolean;
  #held: Promise<void> | null = null;

  /** `at`: what the core shows includes this commit. `listed`: directories that the mount has had, as they were some time ago. */
  constructor(parts: FollowerParts, at: CommitNumber, listed = new Set<Fid>()) {
    this.#parts = parts;
    this.#at = at;
    this.#listed = listed;
    this.#isOutdated = listed.size > 0;
    this.#stopListening = parts.feed.onWoken(() => this.#lookAtHeld());
    void this.#follow();
  }

  /** Resolves when the mount shows this commit. Rejects when it is closed. */
  async reached(commit: CommitNumber): Promise<void> {
    while (this.#at < commit) {
      this.#ended.signal.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const wake = (): void => resolve(undefined);
      this.#reached.add(wake);
      await promise;
      this.#reached.delete(wake);
    }
    await this.#held;
  }

  /** All names of a directory were told: from now on they are kept as they are. */
  listed(dir: Fid): void {
    this.#listed.add(dir);
  }

  /** An own operation was taken up: a conflict may make something else of what it has touched, which is told when it is answered. */
  did(places: readonly Place[], fid: Fid | null): void {
    for (const place of places) this.#heldNames.set(`${place.dir}/${place.name}`, place);
    if (fid !== null) this.#heldVnodes.add(fid);
  }

  /** The present meaning of a name, if its directory is shown. */
  async refreshName(place: Place): Promise<void> {
    const { native, mount, fileSystem, feed, asked, names } = this.#parts;
    if (!native.mountKnows(mount, place.dir, true)) return;
    if (feed.pendingEntry(place.dir, place.name)) {
      this.#heldNames.set(`${place.dir}/${place.name}`, place);
      return;
    }
    await asked.during(async (seq) => {
      const found = await orNull(fileSystem.lookup(place.dir, place.name));
      if (found === null) names.gone(place);
      const status = found === null ? null : names.status(place, found);
      native.mountName(mount, place.dir, place.name, status, seq);
    });
  }

  /** The present attributes of a vnode, if it is shown. */
  async refreshVnode(fid: Fid): Promise<void> {
    const { native, mount, fileSystem, feed, asked } = this.#parts;
    if (!native.mountKnows(mount, fid, false)) return;
    if (feed.pendingVnode(fid)) {
      this.#heldVnodes.add(fid);
      return;
    }
    await asked.during(async (seq) => {
      const found = await orNull(fileSystem.getattr(fid));
      if (found !== null) native.mountStatus(mount, nativeStatus(found), seq, false);
    });
  }

  /** As a name of which a commit tells. */
  nameChanged(place: Place): Promise<void> {
    return this.#orHold(place);
  }

  close(): void {
    this.#stopListening();
    this.#ended.abort(new GodwitError('not-running', 'the mount is closed'));
    for (const wake of this.#reached) wake();
  }

  async #follow(): Promise<void> {
    const { log } = this.#parts;
    const { signal } = this.#ended;
    while (!signal.aborted) {
      try {
        await this.#next();
        for (const wake of this.#reached) wake();
      } catch (error) {
        if (signal.aborted) return;
        log.warn('the mount does not follow the volume', { why: String(error) });
        await this.#pause();
      }
    }
  }

  async #next(): Promise<void> {
    const { feed, volume } = this.#parts;
    if (this.#isOutdated) return this.#anew();
    try {
      const sets = await feed.changes(volume, this.#at, this.#ended.signal);
      await this.#apply(sets);
      this.#at = sets.at(-1)?.commit ?? this.#at;
    } catch (error) {
      if (!(error instanceof GodwitError && error.code === 'history-gone')) throw error;
      await this.#anew();
    }
  }

  async #apply(sets: readonly ChangeSet[]): Promise<void> {
    const names = new Map<string, Place>();
    const vnodes = new Set<Fid>();
    for (const { entries, vnodes: statuses } of sets) {
      for (const { dir, name } of entries) names.set(`${dir}/${name}`, { dir, name });
      for (const { fid } of statuses) vnodes.add(fid);
    }
    for (const place of names.values()) await this.#orHold(place);
    for (const fid of vnodes) await this.#orHoldVnode(fid);
  }

  /** What can't be asked now is asked when something changes. */
  async #orHold(place: Place): Promise<void> {
    await this.refreshName(place).catch(() => {
      this.#heldNames.set(`${place.dir}/${place.name}`, place);
    });
  }

  async #orHoldVnode(fid: Fid): Promise<void> {
    await this.refreshVnode(fid).catch(() => this.#heldVnodes.add(fid));
  }

  #lookAtHeld(): void {
    if (this.#heldNames.size === 0 && this.#heldVnodes.size === 0) return;
    this.#held ??= this.#tellHeld().finally(() => (this.#held = null));
  }

  async #tellHeld(): Promise<void> {
    const names = [...this.#heldNames.values()];
    const vnodes = [...this.#heldVnodes];
    this.#heldNames.clear();
    this.#heldVnodes.clear();
    for (const place of names) await this.#orHold(place);
    for (const fid of vnodes) await this.#orHoldVnode(fid);
  }

  /** No rows say what changed: every directory that is shown is looked at again. */
  async #anew(): Promise<void> {
    const { feed, volume, native, mount, names, asked } = this.#parts;
    const page = await feed.snapshot(volume, null, this.#ended.signal);
    for (const dir of this.#listed) {
      await asked.during(async (seq) => {
        const entries = await orNull(names.list(dir));
        native.mountListing(mount, dir, entries ?? [], seq);
      });
    }
    this.#at = page.at;
    this.#isOutdated = false;
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = this.#parts.timers.start(AGAIN_MS, () => resolve(undefined));
    this.#ended.signal.addEventListener('abort', () => resolve(undefined), { once: true });
    await promise;
    timer.cancel();
  }
}

/** Null: it is not there. Rejects where that is not known. */
async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof GodwitError && error.code === 'not-found') return null;
    throw error;
  }
}
