/**
 * What a server has committed, as it was heard when it became durable: by commit, by vnode and by name. A server that is restored
 * from a backup has forgotten the end of it (`restored`).
 *
 * The first commit of a volume, its root, is made with the database and not heard.
 */
import type { Fid, VolumeId } from '../../../../shared/model/fid.ts';
import { volumeOf } from '../../../../shared/model/fid.ts';
import type { DeviceId } from '../../../../shared/model/change.ts';
import type { RowWrite } from '../../../../shared/model/stored.ts';
import type { CopyMark, UpdateSeq } from '../../../../shared/model/update.ts';
import type { CommitNumber, VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { Observation } from './observation.ts';

/** A name from a commit on; `fid` null: it is free. */
export interface NameState {
  readonly dir: Fid;
  readonly name: string;
  readonly commit: CommitNumber;
  readonly fid: Fid | null;
}

export interface PastCommit {
  readonly volume: VolumeId;
  readonly commit: CommitNumber;
  /** Null: the one that the server began with. */
  readonly epoch: string | null;
  device: DeviceId;
  seq: UpdateSeq;
  /** What was said of the name that it sets; undefined: nothing. */
  copyOf: CopyMark | undefined;
  readonly vnodes: VnodeStatus[];
  readonly names: NameState[];
}

const NONE: readonly PastCommit[] = [];

type Commits = Map<CommitNumber, PastCommit>;

/** Where an epoch began: with the commits of another one, up to the last that the backup had of each volume. */
interface Origin {
  readonly epoch: string | null;
  readonly last: ReadonlyMap<VolumeId, CommitNumber>;
}

/** Keeps all that a server has committed, to be looked up by commit, vnode and name. */
export class CommitHistory {
  readonly #commits = new Map<VolumeId, Commits>();
  /** Of all epochs; those of a later one have higher numbers (rule I1). */
  readonly #ever = new Map<VolumeId, Commits>();
  readonly #statuses = new Map<Fid, VnodeStatus[]>();
  readonly #names = new Map<Fid, Map<string, NameState[]>>();
  readonly #origins = new Map<string, Origin>();
  #epoch: string | null = null;
  /** What was heard last, and what it gave: several hear of it here. */
  #heard: Observation | null = null;
  #made: readonly PastCommit[] = NONE;

  /** Gives the commits that were made durable just now. */
  hear(observation: Observation): readonly PastCommit[] {
    if (observation === this.#heard) return this.#made;
    this.#heard = observation;
    this.#made = observation.kind === 'committed' ? this.#take(observation.writes) : NONE;
    if (observation.kind === 'restored') this.#restored(observation);
    return this.#made;
  }

  commit(volume: VolumeId, commit: CommitNumber): PastCommit | undefined {
    return this.#commits.get(volume)?.get(commit);
  }

  /** Also one that a restored server has forgotten. */
  everCommitted(volume: VolumeId, commit: CommitNumber): PastCommit | undefined {
    return this.#ever.get(volume)?.get(commit);
  }

  /** Oldest first. */
  statuses(fid: Fid): readonly VnodeStatus[] {
    return this.#statuses.get(fid) ?? [];
  }

  /** Oldest first. */
  name(dir: Fid, name: string): readonly NameState[] {
    return this.#names.get(dir)?.get(name) ?? [];
  }

  /** Every name that was ever in a directory. */
  names(dir: Fid): ReadonlyMap<string, readonly NameState[]> {
    return this.#names.get(dir) ?? new Map<string, readonly NameState[]>();
  }

  #take(writes: readonly RowWrite[]): readonly PastCommit[] {
    const made = new Set<PastCommit>();
    for (const write of writes) {
      if (write.kind === 'vnode') {
        const { status } = write.row;
        this.#at(volumeOf(status.fid), status.commit).vnodes.push(status);
        pushTo(this.#statuses, status.fid, status);
      } else if (write.kind === 'entry') {
        const { dir, name, commit, fid } = write;
        const state = { dir, name, commit, fid };
        this.#at(volumeOf(dir), commit).names.push(state);
        this.#named(state);
      } else if (write.kind === 'log') {
        const commit = this.#at(write.volume, write.commit);
        commit.device = write.device;
        commit.seq = write.seq;
        commit.copyOf = write.copyOf;
        made.add(commit);
      }
    }
    return [...made];
  }

  #named(state: NameState): void {
    const names = this.#names.get(state.dir) ?? new Map<string, NameState[]>();
    this.#names.set(state.dir, names);
    pushTo(names, state.name, state);
  }

  #at(volume: VolumeId, commit: CommitNumber): PastCommit {
    const commits = mapIn(this.#commits, volume);
    const known = commits.get(commit);
    if (known !== undefined) return known;
    const begun = { device: 0, seq: 0 as UpdateSeq, copyOf: undefined, vnodes: [], names: [] };
    const made = { volume, commit, epoch: this.#epoch, ...begun };
    commits.set(commit, made);
    mapIn(this.#ever, volume).set(commit, made);
    return made;
  }

  /** The history is that of the backup, which may be older or newer than that of another backup put back before. */
  #restored({ epoch, volumes }: Extract<Observation, { kind: 'restored' }>): void {
    const [from] = volumes;
    const known = from !== undefined && this.#origins.has(from.epoch);
    const last = new Map(volumes.map((cut) => [cut.volume, cut.last] as const));
    this.#origins.set(epoch, { epoch: known ? from.epoch : null, last });
    this.#epoch = epoch;
    this.#commits.clear();
    this.#statuses.clear();
    this.#names.clear();
    for (const [volume, ever] of this.#ever) {
      const kept = [...ever.values()].filter((commit) => this.#isKept(commit));
      for (const past of kept.sort((a, b) => a.commit - b.commit)) {
        mapIn(this.#commits, volume).set(past.commit, past);
        for (const status of past.vnodes) pushTo(this.#statuses, status.fid, status);
        for (const state of past.names) this.#named(state);
      }
    }
  }

  #isKept({ volume, commit, epoch }: PastCommit): boolean {
    let upTo = Number.POSITIVE_INFINITY;
    let at = this.#epoch;
    while (at !== epoch) {
      const origin = at === null ? undefined : this.#origins.get(at);
      if (origin === undefined) return false;
      upTo = Math.min(upTo, origin.last.get(volume) ?? 0);
      at = origin.epoch;
    }
    return commit <= upTo;
  }
}

function mapIn(all: Map<VolumeId, Commits>, volume: VolumeId): Commits {
  const known = all.get(volume) ?? new Map<CommitNumber, PastCommit>();
  all.set(volume, known);
  return known;
}

function pushTo<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
