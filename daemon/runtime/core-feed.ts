/** The feed port over the core. */
import type { Duration } from '../../shared/model/time.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { FreeDiskSpace } from '../../shared/model/cache.ts';
import type { ChangeSet, VolumeInfo } from '../../shared/model/change.ts';
import type { Fid, VolumeId } from '../../shared/model/fid.ts';
import type { Update } from '../../shared/model/update.ts';
import type { CommitNumber, DataVersion, Digest, VnodeStatus } from '../../shared/model/vnode.ts';
import type {
  Became,
  ConflictRepair,
  Feed,
  KeptNote,
  PresentContents,
  SnapshotPage,
  VolumesSeen,
} from '../../shared/ports/feed.ts';
import { excludedIn } from '../core/calls/exclusions.ts';
import { contentsBound } from '../core/cache/update-cache.ts';
import type { Client } from '../core/client.ts';
import type { Effect } from '../core/effects.ts';
import type { Event } from '../core/events.ts';
import { blockedOf } from '../core/log/pending.ts';
import { pinOf } from '../core/log/view.ts';
import { presentFor } from '../core/sharing/present-for.ts';
import type { CallBroker } from './call-broker.ts';

/** A break is acknowledged, or the session is another one. */
const ENDS_PROMISES = new Set<Effect['kind']>(['acknowledge', 'connect', 'disconnect', 'volumes']);

/** The feed port over the core: the commits of a volume, for a front end that keeps a replica. */
export class CoreFeed implements Feed, VolumesSeen, PresentContents {
  readonly #broker: CallBroker;
  readonly #client: Client;
  readonly #post: (event: Event) => void;
  readonly #woken = new Set<() => void>();
  readonly #heard = new Set<() => void>();
  readonly #broken = new Set<() => void>();
  readonly #clock: Clock;

  constructor(broker: CallBroker, client: Client, post: (event: Event) => void, clock: Clock) {
    this.#clock = clock;
    this.#broker = broker;
    this.#client = client;
    this.#post = post;
  }

  snapshot(
    volume: VolumeId,
    position: { at: CommitNumber; after: Fid } | null,
    signal: AbortSignal,
  ): Promise<SnapshotPage> {
    return this.#broker.call({ op: 'snapshot', volume, position }, signal);
  }

  changes(volume: VolumeId, since: CommitNumber, signal: AbortSignal): Promise<ChangeSet[]> {
    return this.#broker.call({ op: 'changes', volume, since }, signal);
  }

  obtain(
    fid: Fid,
    version: DataVersion,
    digest: Digest,
    signal: AbortSignal,
  ): Promise<{ path: string; length: number }> {
    return this.#broker.call({ op: 'obtain', fid, version, digest }, signal);
  }

  present(fid: Fid, signal: AbortSignal): Promise<VnodeStatus | null> {
    return this.#broker.call({ op: 'present', fid }, signal);
  }

  pendingVnode(fid: Fid): boolean {
    return this.#client.pendingVnode(fid);
  }

  blocked(fid: Fid): readonly Update[] | null {
    return blockedOf(this.#client.inside, fid);
  }

  isOutdated(status: VnodeStatus): boolean {
    return this.#client.isOutdated(status);
  }

  isUnfinished(fid: Fid): boolean {
    return this.#client.isUnfinished(fid);
  }

  pendingEntry(dir: Fid, name: string): boolean {
    return this.#client.pendingEntry(dir, name);
  }

  adjustments(volume: VolumeId): readonly ConflictRepair[] {
    return this.#client.adjustments(volume);
  }

  async adjusted(id: number, became?: Became): Promise<void> {
    await this.#broker.call({ op: 'adjusted', id, became: became ?? null });
  }

  notes(volume: VolumeId): readonly KeptNote[] {
    return this.#client.inside.calls.notes.of(volume);
  }

  async noted(ids: readonly number[]): Promise<void> {
    await this.#broker.call({ op: 'noted', ids });
  }

  applied(volume: VolumeId, commit: CommitNumber): void {
    this.#post({ kind: 'applied', volume, commit });
  }

  contentsBound(bytes: number, room: FreeDiskSpace | null): number | null {
    return contentsBound(this.#client.inside, bytes, room);
  }

  isPinned(fid: Fid): boolean {
    return pinOf(this.#client.inside, fid) !== null;
  }

  excluded(volume: VolumeId): readonly Fid[] {
    return excludedIn(this.#client.inside, volume);
  }

  isConflicting(fid: Fid): boolean {
    const { adjustments, list } = this.#client.inside.conflict;
    return adjustments.holdsVnode(fid) || list.concerns(fid);
  }

  keeps(fid: Fid, isHere: boolean): void {
    this.#post({ kind: 'keeps', fid, isHere });
  }

  onWoken(woken: () => void): () => void {
    this.#woken.add(woken);
    return () => void this.#woken.delete(woken);
  }

  presentFor(fid: Fid, version: DataVersion): Duration {
    return presentFor(this.#client.inside, fid, version, this.#clock.now());
  }

  onBroken(broken: () => void): () => void {
    this.#broken.add(broken);
    return () => void this.#broken.delete(broken);
  }

  /** Call it before an effect is carried out: what ends promises is known then, and the server is not told yet. */
  before({ kind }: Effect): void {
    if (ENDS_PROMISES.has(kind)) for (const broken of this.#broken) broken();
  }

  volumesSeen(): readonly VolumeInfo[] {
    const { volumes } = this.#client.inside.names;
    return [...volumes.values()].flatMap(({ row, isShut }) => (isShut ? [] : [row.info]));
  }

  volumeName(volume: VolumeId): string | null {
    return this.#client.inside.names.volumes.nameOf(volume) ?? null;
  }

  onVolumes(heard: () => void): () => void {
    this.#heard.add(heard);
    return () => void this.#heard.delete(heard);
  }

  unfollowed(volume: VolumeId): void {
    this.#post({ kind: 'unfollowed', volume });
  }

  shows(at: Fid): void {
    const { index } = this.#client.inside.log;
    if (index.touches(at)) this.#post({ kind: 'shown', at });
  }

  /** A session has begun. */
  volumesHeard(): void {
    for (const heard of this.#heard) heard();
  }

  wake(): void {
    for (const woken of this.#woken) woken();
  }
}
