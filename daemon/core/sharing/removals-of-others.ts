/** What others removed, many files at once, as far as it is known here (others-removals.ts). */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { Moment } from '../../../shared/model/history.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import { MOST_KEPT_PATHS, MOST_OTHERS_REMOVALS, REMOVALS_SHOWN } from '../../limits.ts';
import type { Now } from '../events.ts';
import { RemovalBurst, type StoredBurst } from '../names/removal-burst.ts';

export interface Removal {
  readonly dir: Fid;
  readonly name: string;
  readonly commit: CommitNumber;
}

/** The last files that one device removed in one volume. */
export interface OthersRemovals {
  readonly device: DeviceId;
  readonly volume: VolumeId;
  readonly burst: RemovalBurst;
  readonly first: Removal;
  last: Removal;
  /** Questions to the server that have no answer yet; null: it was not asked. */
  open: number | null;
  readonly told: { first: Moment | null; last: Moment | null };
}

/** The same as it outlives the daemon. */
export interface StoredOthersRemovals extends Pick<
  OthersRemovals,
  'device' | 'volume' | 'first' | 'last' | 'told'
> {
  readonly burst: StoredBurst;
}

export interface ReportedRemovals {
  readonly device: DeviceId;
  readonly by: string | null;
  readonly volume: VolumeId;
  readonly files: number;
  readonly since: WallTime;
  readonly from: CommitNumber;
  readonly to: CommitNumber;
}

/** Counts what others remove, by device and volume. */
export class RemovalsOfOthers {
  /** The oldest first. */
  #all: OthersRemovals[] = [];

  /** The one that a removal belongs to that is heard of now. */
  current(device: DeviceId, volume: VolumeId, now: Now): OthersRemovals | undefined {
    return this.#all.find(
      (each) => each.device === device && each.volume === volume && each.burst.goesOn(now),
    );
  }

  /** The one that began with this commit. */
  get(volume: VolumeId, from: CommitNumber): OthersRemovals | undefined {
    return this.#all.find((each) => each.volume === volume && each.first.commit === from);
  }

  /** Those of its device that have ended and were few are forgotten. */
  begin(removals: OthersRemovals): void {
    const { device, volume } = removals;
    const isKept = (each: OthersRemovals): boolean =>
      each.device !== device || each.volume !== volume || each.burst.many() !== null;
    this.#all = [...this.#all.filter(isKept), removals].slice(-MOST_OTHERS_REMOVALS);
  }

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /** Something is at the path again. True: it was one of them. */
  back(path: string): boolean {
    return this.#all.map(({ burst }) => burst.back(path)).includes(true);
  }

  /** Another text when what people should know of is another; empty: there is nothing. */
  get mark(): string {
    const known = this.#all.filter(({ open }) => open === 0);
    return known
      .map(({ volume, first, last, burst }) => {
        const files = burst.many()?.files;
        return files === undefined ? '' : `${volume}:${first.commit}:${last.commit}:${files}`;
      })
      .filter(Boolean)
      .join(' ');
  }

  /** Null: there is nothing to keep. */
  stored(): readonly StoredOthersRemovals[] | null {
    const all = this.#all.flatMap(({ device, volume, burst, first, last, open, told }) => {
      const stored = open === 0 ? burst.stored(MOST_KEPT_PATHS) : null;
      return stored === null ? [] : [{ device, volume, first, last, told, burst: stored }];
    });
    return all.length === 0 ? null : all;
  }

  /** As the run before left them. */
  load(all: readonly StoredOthersRemovals[]): void {
    this.#all = all.map(({ burst: stored, ...rest }) => {
      const burst = new RemovalBurst();
      burst.load(stored);
      return { ...rest, burst, open: 0 };
    });
  }

  drop(removals: OthersRemovals): void {
    this.#all = this.#all.filter((each) => each !== removals);
  }

  /** What people should know of, the newest last. `now`: nothing is shown for ever. */
  report(now: WallTime): ReportedRemovals[] {
    return this.#all.flatMap(({ device, volume, burst, first, last, open, told }) => {
      const many = burst.many();
      if (many === null || open !== 0) return [];
      const since = told.first?.when ?? many.since;
      if (now - many.since > REMOVALS_SHOWN) return [];
      const by = told.first?.deviceName ?? null;
      const span = { from: first.commit, to: last.commit };
      return [{ device, by, volume, files: many.files, since, ...span }];
    });
  }
}
