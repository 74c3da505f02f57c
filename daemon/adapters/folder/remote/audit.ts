/**
 * Holds the records against the volume once everything is quiet, and says what differs as rows to be put in place.
 *
 * Rows of the feed and repairs are told one by one; a conflict in the middle of others (a directory removed here and
 * filled there, a name freed here and taken there) can leave a row waiting for something that never comes. When nothing of
 * ours is queued and the feed is at its head, the view *is* the server's state, so whatever differs from it is wrong here,
 * and the marks that guard our own changes have nothing left to guard.
 *
 * Invariants
 * 1. The view is read between two looks at the head that agree with each other and with our position, while
 *    nothing of ours is queued or being logged and no repair waits; otherwise nothing is concluded.
 * 2. The audit writes rows and no disk: what is put in place still never goes over an unlogged local change.
 * 3. That it is wanted is kept over a restart, until what it found is durable among the held rows.
 * 4. Who flushes waits for an audit that is under way. The audit flushes too, and its own flush does not: `isOwnFlush`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntryChange, VolumeInfo } from '../../../../shared/model/change.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import { milliseconds } from '../../../../shared/model/time.ts';
import type { CommitNumber, VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { Feed } from '../../../../shared/ports/feed.ts';
import type { Attributes, FileSystem, Place } from '../../../../shared/ports/file-system.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Background } from '../background.ts';
import type { DirtyPaths } from '../watch/dirty-paths.ts';
import type { RemoteCommits } from './remote-commits.ts';
import type { KeptStates } from '../kept-states.ts';
import type { ExcludedPlaces } from '../records/excluded-places.ts';
import { placeKey, type FolderRecords } from '../records/folder-records.ts';
import type { HeldRows } from '../records/held-rows.ts';
import { holdWhole } from '../records/hold-whole.ts';
import type { Mutex } from '../../../../shared/concurrency/mutex.ts';

/** Waiting longer for the server or the disk than this is left to the next attempt. */
export const PATIENCE = milliseconds(20_000);

/** The key under which it is kept that one is wanted. */
const STATE = 'audit';
const WANTED = '1';

export interface AuditParts {
  readonly volume: VolumeInfo;
  readonly fileSystem: FileSystem;
  readonly feed: Feed;
  readonly records: FolderRecords;
  readonly held: HeldRows;
  readonly excluded: Pick<ExcludedPlaces, 'heldBesides'>;
  readonly mutex: Mutex;
  readonly save: { saved(): Promise<void> };
  readonly store: KeptStates;
  readonly log: Log;
  readonly background: Pick<Background, 'signal' | 'delay'>;
  readonly remote: Pick<RemoteCommits, 'position' | 'reached'>;
  /** Paths seen to change and not yet logged. */
  readonly dirty: Pick<DirtyPaths, 'size'>;
  /** Changes with each local change that begins or ends to be logged. */
  readonly local: { readonly logging: number };
}

/** Compares the records with the volume once all is quiet, and holds what differs as rows. */
export class Audit {
  readonly #parts: AuditParts;
  readonly #ownFlush = new AsyncLocalStorage<true>();
  #wanted: boolean;
  #leftHeld = 0;

  constructor(parts: AuditParts) {
    this.#parts = parts;
    this.#wanted = parts.store.state(STATE) === WANTED;
  }

  /** A conflict changed something, or something is left over. */
  want(): void {
    this.#wanted = true;
    this.#keep(WANTED);
  }

  #keep(state: string): void {
    const { store } = this.#parts;
    if ((store.state(STATE) ?? '') === state) return;
    try {
      store.setState(STATE, state);
    } catch {
      // A full disk is said by who saves the records.
    }
  }

  /** Something may be left over that nothing else will put right. */
  get isWanted(): boolean {
    const { held, records } = this.#parts;
    // What was left has gone meanwhile: it stands for nothing that has come since.
    this.#leftHeld = Math.min(this.#leftHeld, held.size);
    return this.#wanted || records.hasMarks || this.#isMoreHeld;
  }

  /** What is out is held for good reason, however much of it there is. */
  get #isMoreHeld(): boolean {
    const { held, excluded } = this.#parts;
    return held.size > this.#leftHeld && excluded.heldBesides() > this.#leftHeld;
  }

  /** Asked by whoever a flush of the port has called: that flush is the audit's. */
  get isOwnFlush(): boolean {
    return this.#ownFlush.getStore() === true;
  }

  /** What is held after the held rows were looked at anew waits for good reason: ignored here, no contents yet. */
  settled(): void {
    this.#leftHeld = this.#parts.excluded.heldBesides();
  }

  /** `found`: the held rows are the whole truth now, to be looked at again. `busy`: not quiet; try later. */
  async run(): Promise<'found' | 'nothing' | 'busy'> {
    const { mutex, background, records, local, save } = this.#parts;
    const marks = records.marks();
    try {
      await this.#ownFlush.run(true, () => this.#flushed());
      const head = await this.#head();
      await this.#reached(head);
      background.signal.throwIfAborted();
      if (!this.#isLeftOver(marks)) return 'nothing';
      if (!this.#isQuiet(head)) return 'busy';
      const before = local.logging;
      const view = await this.#view();
      if (view === null || (await this.#head()) !== head) return 'busy';
      const isFound = await mutex.take(
        () => local.logging === before && this.#isQuiet(head) && this.#conclude(view),
      );
      if (!isFound) return 'busy';
      await save.saved();
      if (!this.#wanted) this.#keep('');
      return 'found';
    } catch (error) {
      // The server went away, or something vanished while it was looked at.
      if (error instanceof GodwitError) return 'busy';
      throw error;
    }
  }

  /** The end of the folder does not wait for it: what the flush waits for may be the folder. */
  async #flushed(): Promise<void> {
    const { fileSystem, volume, background } = this.#parts;
    const { signal } = background;
    const ended = Promise.withResolvers<never>();
    const end = (): void => ended.reject(signal.reason);
    signal.throwIfAborted();
    signal.addEventListener('abort', end);
    try {
      await Promise.race([fileSystem.flush(volume.id, PATIENCE), ended.promise]);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  /** The feed has come past all that was queued when `marks` were taken: those of them that still stand guard nothing. */
  #isLeftOver(marks: readonly Place[]): boolean {
    const { records, feed } = this.#parts;
    if (this.#wanted || this.#isMoreHeld) return true;
    const standing = new Set(records.marks().map(({ dir, name }) => placeKey(dir, name)));
    return marks.some(
      ({ dir, name }) => standing.has(placeKey(dir, name)) && !feed.pendingEntry(dir, name),
    );
  }

  #conclude(view: View): boolean {
    const { records, held, log } = this.#parts;
    const before = held.size;
    records.clearMarks();
    held.clear();
    holdWhole(view.vnodes, view.entries, records, held);
    this.#wanted = false;
    if (before > 0) log.info('rows that waited for nothing are looked at anew', { rows: before });
    return true;
  }

  #isQuiet(head: CommitNumber): boolean {
    const { feed, volume, remote, dirty } = this.#parts;
    return remote.position === head && dirty.size === 0 && feed.adjustments(volume.id).length === 0;
  }

  /** Or not, where something of it fails on this disk. */
  async #reached(head: CommitNumber): Promise<void> {
    const { remote, background } = this.#parts;
    if (remote.position === head) return;
    await Promise.race([remote.reached(head), background.delay(PATIENCE)]);
  }

  async #head(): Promise<CommitNumber> {
    const { fileSystem, volume } = this.#parts;
    const all = await fileSystem.volumes();
    return all.find(({ id }) => id === volume.id)?.head ?? (0 as CommitNumber);
  }

  /** Everything in the volume, from the name cache for the most part; null: something of ours is queued. */
  async #view(): Promise<View | null> {
    const { fileSystem, volume, feed, background } = this.#parts;
    const vnodes = new Map<Fid, VnodeStatus>();
    const entries: EntryChange[] = [];
    const open: Fid[] = [volume.root];
    const root = await fileSystem.getattr(volume.root);
    if (root.sync !== 'committed') return null;
    vnodes.set(volume.root, plain(root));
    for (let dir = open.pop(); dir !== undefined; dir = open.pop()) {
      background.signal.throwIfAborted();
      for (const { name, attributes } of await fileSystem.readdir(dir)) {
        if (attributes.sync !== 'committed' || feed.pendingVnode(attributes.fid)) return null;
        entries.push({ dir, name, fid: attributes.fid });
        if (vnodes.has(attributes.fid)) continue;
        vnodes.set(attributes.fid, plain(attributes));
        if (attributes.kind === 'directory') open.push(attributes.fid);
      }
    }
    return { vnodes: [...vnodes.values()], entries };
  }
}

interface View {
  readonly vnodes: readonly VnodeStatus[];
  readonly entries: readonly EntryChange[];
}

function plain(attributes: Attributes): VnodeStatus {
  const { fid, kind, mode, mtime, size, version, commit, digest, target, links, xattrs } =
    attributes;
  return { fid, kind, mode, mtime, size, version, commit, digest, target, links, xattrs };
}
