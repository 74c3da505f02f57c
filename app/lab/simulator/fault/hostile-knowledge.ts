/** What a hostile peer has learned from answers: names and numbers that make its next requests look honest. */
import { makeFid, rootOf } from '../../../../shared/model/fid.ts';
import type { Fid, VolumeId } from '../../../../shared/model/fid.ts';
import type { VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { ReplyOf, RpcName } from '../../../../shared/wire/rpcs.ts';

const MOST_KNOWN = 64;

interface Place {
  readonly dir: Fid;
  readonly name: string;
  readonly status: VnodeStatus;
}

/** Keeps what a hostile peer has learned, and draws names and fids for its next requests. */
export class HostileKnowledge {
  readonly volume: VolumeId;
  head = 0;
  /** The highest number it has used for an update. */
  seq = 0;
  /** A block of its own, where it has asked for one. */
  block: { readonly first: number; readonly uniquifier: number } | null = null;
  #places: Place[] = [];

  constructor(volume: VolumeId) {
    this.volume = volume;
  }

  learn(rpc: RpcName, body: unknown): void {
    if (rpc === 'FetchDir') this.#listed(body as ReplyOf<'FetchDir'>);
    if (rpc === 'Snapshot') this.#walked(body as ReplyOf<'Snapshot'>);
    if (rpc === 'Changes') this.head = (body as ReplyOf<'Changes'>).head;
    if (rpc === 'AllocateVnodes') {
      this.block = (body as ReplyOf<'AllocateVnodes'>).blocks[0] ?? this.block;
    }
  }

  /** A name that was there when it looked; null: it knows of none. */
  place(random: SeededRandom, kind?: VnodeStatus['kind']): Place | null {
    const fitting = this.#places.filter(({ status }) => kind === undefined || status.kind === kind);
    return fitting.length === 0 ? null : random.pick(fitting);
  }

  /** One that is there, one that never was, the root, or one of another volume. */
  fid(random: SeededRandom): Fid {
    const known = this.place(random)?.status.fid ?? rootOf(this.volume);
    const nowhere = makeFid(this.volume, random.between(2, 9_999), random.between(1, 9));
    return random.pick([
      known,
      known,
      rootOf(this.volume),
      nowhere,
      makeFid(this.volume + 1, random.between(1, 3), 1),
    ]);
  }

  /** A fid that it may give to something new. */
  ownFid(random: SeededRandom): Fid {
    if (this.block === null) return this.fid(random);
    const { first, uniquifier } = this.block;
    return makeFid(this.volume, first + random.below(1_000), uniquifier);
  }

  #listed({ at, status, entries }: ReplyOf<'FetchDir'>): void {
    this.head = at;
    for (const entry of entries) this.#add({ dir: status.fid, ...entry });
  }

  #walked({ at, vnodes }: ReplyOf<'Snapshot'>): void {
    this.head = at;
    for (const { status, names } of vnodes) {
      for (const { dir, name } of names) this.#add({ dir, name, status });
    }
  }

  #add(place: Place): void {
    this.#places.push(place);
    if (this.#places.length > MOST_KNOWN) this.#places.shift();
  }
}
