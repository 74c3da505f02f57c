/** The volumes that the server has named, and what is known of each. The rows are durable, the rest begins anew with each run. */
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { Rights } from '../../../shared/model/change.ts';
import type { CommitNumber, DataVersion } from '../../../shared/model/vnode.ts';
import type { VnodeBlock, VolumeRow } from '../../../shared/ports/client-store.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { Outbox } from '../effects.ts';

/** What the feed knows of a volume. */
export interface VolumeState {
  row: VolumeRow;
  /** The newest commit heard of. */
  head: CommitNumber;
  /** Where the front end is. */
  applied: CommitNumber;
  catchingUp: 'no' | 'wanted' | 'running';
  /** The snapshot being walked by the front end, from its first page on. */
  walk: {
    readonly at: CommitNumber;
    readonly directories: Map<Fid, { version: DataVersion; readonly entries: Map<string, Fid> }>;
  } | null;
  blocksAsked: boolean;
  /** The blocks as they were when this run began: of their numbers, those that are used are of vnodes that runs before it made. */
  madeBefore: readonly VnodeBlock[];
  /** The server did not name it in the last Hello: this device may not look at it now. It is as if the server were away. */
  isShut: boolean;
  /** It is shut since it was removed on the server: it may come back. */
  isRemoved: boolean;
}

/** Why a device may not write. */
interface WriteRefusal {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Keeps the known volumes by number, with their durable rows. */
export class Volumes {
  readonly #out: Outbox;
  readonly #known = new Map<VolumeId, VolumeState>();
  /** As the server said in the last Hello: the one that a folder shows if nobody says which; null: none. */
  usual: VolumeId | null = null;
  /** Likewise, the names of those that this device would see if they were not removed. */
  removed: readonly string[] = [];

  constructor(out: Outbox) {
    this.#out = out;
  }

  get size(): number {
    return this.#known.size;
  }

  get(volume: VolumeId): VolumeState | undefined {
    return this.#known.get(volume);
  }

  has(volume: VolumeId): boolean {
    return this.#known.has(volume);
  }

  keys(): IterableIterator<VolumeId> {
    return this.#known.keys();
  }

  values(): IterableIterator<VolumeState> {
    return this.#known.values();
  }

  [Symbol.iterator](): IterableIterator<[VolumeId, VolumeState]> {
    return this.#known[Symbol.iterator]();
  }

  /** Not known before; `madeBefore` as in VolumeState. */
  add(row: VolumeRow, head: CommitNumber, madeBefore: readonly VnodeBlock[]): VolumeState {
    const applied = 0 as CommitNumber;
    const feed = { head, applied, catchingUp: 'no', walk: null } as const;
    const volume = {
      row,
      ...feed,
      blocksAsked: false,
      madeBefore,
      isShut: false,
      isRemoved: false,
    };
    this.#known.set(row.info.id, volume);
    return volume;
  }

  /** Its row has changed, and is made durable. */
  save({ row }: VolumeState): void {
    this.#out.put('volume', row.info.id, row);
  }

  nameOf(volume: VolumeId): string | undefined {
    return this.#known.get(volume)?.row.info.name;
  }

  /** What this device may do in it; null: it is not known, or may not be seen now. */
  rightsIn(volume: VolumeId): Rights | null {
    const known = this.#known.get(volume);
    return known === undefined || known.isShut ? null : known.row.info.rights;
  }

  /** Null: this device may write in it. */
  writeRefusal(volume: VolumeId): WriteRefusal | null {
    if (this.rightsIn(volume) === 'write') return null;
    const removed = this.removedName(volume);
    if (removed !== null) return { code: 'volume-removed', message: removedText(removed) };
    const name = this.nameOf(volume);
    const which = name === undefined ? 'this volume' : `the volume ${name}`;
    return { code: 'no-right', message: `this device may only read ${which}` };
  }

  /** The name of a volume that was removed on the server; null: that one was not. */
  removedName(volume: VolumeId): string | null {
    const known = this.#known.get(volume);
    return known?.isRemoved === true ? known.row.info.name : null;
  }

  /** Whether the server says nothing about this vnode, since nothing in its volume may be seen. */
  isShut(fid: Fid): boolean {
    return this.#known.get(volumeOf(fid))?.isShut ?? false;
  }
}

/** For people. */
export const removedText = (name: string): string =>
  `the volume ${name} was removed on the server; what is here stays`;
