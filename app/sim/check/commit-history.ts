/**
 * What a server has committed, as it was heard when it became durable: by commit, by vnode and by name. A server that is restored
 * from a backup has forgotten the end of it (`restored`).
 *
 * The first commit of a volume, its root, is made with the database and not heard.
 */
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import { volumeOf } from '../../../shared/model/fid.ts';
import type { DeviceId } from '../../../shared/model/change.ts';
import type { RowWrite } from '../../../shared/model/stored.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { CommitNumber, VnodeStatus } from '../../../shared/model/vnode.ts';
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
  device: DeviceId;
  seq: UpdateSeq;
  readonly vnodes: VnodeStatus[];
  readonly names: NameState[];
}

export class CommitHistory {
  readonly #commits = new Map<VolumeId, Map<CommitNumber, PastCommit>>();
  /** What a restored server has forgotten; its numbers are no later commit's (rule I1). */
  readonly #lost = new Map<VolumeId, Map<CommitNumber, PastCommit>>();
  readonly #statuses = new Map<Fid, VnodeStatus[]>();
  readonly #names = new Map<Fid, Map<string, NameState[]>>();

  /** Gives the commits that were made durable just now. */
  hear(observation: Observation): readonly PastCommit[] {
    if (observation.kind === 'restored') this.#forget(observation.volumes);
    return observation.kind === 'committed' ? this.#take(observation.writes) : [];
  }

  commit(volume: VolumeId, commit: CommitNumber): PastCommit | undefined {
    return this.#commits.get(volume)?.get(commit);
  }

  lostCommit(volume: VolumeId, commit: CommitNumber): PastCommit | undefined {
    return this.#lost.get(volume)?.get(commit);
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
        const commit = this.#at(volumeOf(status.fid), status.commit);
        commit.vnodes.push(status);
        pushTo(this.#statuses, status.fid, status);
      } else if (write.kind === 'entry') {
        const { dir, name, commit, fid } = write;
        const state = { dir, name, commit, fid };
        this.#at(volumeOf(dir), commit).names.push(state);
        const names = this.#names.get(dir) ?? new Map<string, NameState[]>();
        this.#names.set(dir, names);
        pushTo(names, name, state);
      } else if (write.kind === 'log') {
        const commit = this.#at(write.volume, write.commit);
        commit.device = write.device;
        commit.seq = write.seq;
        made.add(commit);
      }
    }
    return [...made];
  }

  #at(volume: VolumeId, commit: CommitNumber): PastCommit {
    const commits = this.#commits.get(volume) ?? new Map<CommitNumber, PastCommit>();
    this.#commits.set(volume, commits);
    const known = commits.get(commit);
    if (known !== undefined) return known;
    const made = { volume, commit, device: 0, seq: 0 as UpdateSeq, vnodes: [], names: [] };
    commits.set(commit, made);
    return made;
  }

  #forget(
    volumes: ReadonlyArray<{ readonly volume: VolumeId; readonly last: CommitNumber }>,
  ): void {
    for (const { volume, last } of volumes) {
      const commits = this.#commits.get(volume) ?? new Map<CommitNumber, PastCommit>();
      const lost = this.#lost.get(volume) ?? new Map<CommitNumber, PastCommit>();
      this.#lost.set(volume, lost);
      for (const [number, past] of [...commits]) {
        if (number <= last) continue;
        commits.delete(number);
        lost.set(number, past);
      }
      for (const [fid, rows] of this.#statuses) {
        if (volumeOf(fid) === volume) cut(rows, last);
      }
      for (const [dir, names] of this.#names) {
        if (volumeOf(dir) === volume) for (const states of names.values()) cut(states, last);
      }
    }
  }
}

function cut(rows: Array<{ readonly commit: CommitNumber }>, last: CommitNumber): void {
  while ((rows.at(-1)?.commit ?? 0) > last) rows.pop();
}

function pushTo<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
