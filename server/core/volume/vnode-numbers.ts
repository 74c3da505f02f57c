/**
 * The numbers of vnodes that a volume gives to devices, in blocks, for what they make offline (rule I3).
 *
 * Each block has a uniquifier of its own, so the numbers of a block may come again in a later one: there are 65,535 ranges of 65,536 numbers, taken
 * in turn, and in each epoch from another one on (rule I1). Range 0 is left out; it has the root's number.
 *
 * Invariant: of each device that is named here, the unused blocks are known; those of others have to be read from the store.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import { epochRange } from '../../../shared/model/epoch.ts';
import { ROOT_UNIQUIFIER } from '../../../shared/model/fid.ts';
import type { EpochCut } from '../../../shared/model/stored.ts';
import { VNODE_BLOCK } from '../../../shared/wire/limits.ts';

const RANGES = 2 ** 32 / VNODE_BLOCK - 1;

/** Gives out blocks of vnode numbers, and tracks which of them are unused. */
export class VnodeNumbers {
  #lastUniquifier: number;
  readonly #shift: number;
  readonly #unused = new Map<DeviceId, Set<number>>();

  constructor(lastUniquifier: number, cuts: readonly EpochCut[]) {
    this.#lastUniquifier = lastUniquifier;
    const firsts = cuts.map(({ first }) => first);
    this.#shift = epochRange(firsts, RANGES);
  }

  /** A block that nobody had before. A uniquifier is never given twice, not even where its group fails. */
  takeBlock(): { readonly first: number; readonly count: number; readonly uniquifier: number } {
    this.#lastUniquifier += 1;
    const uniquifier = this.#lastUniquifier;
    const range = 1 + ((uniquifier - ROOT_UNIQUIFIER - 1 + this.#shift) % RANGES);
    return { first: range * VNODE_BLOCK, count: VNODE_BLOCK, uniquifier };
  }

  /** The uniquifiers of the unused blocks of a device; null: they have to be read from the store. */
  unusedOf(device: DeviceId): ReadonlySet<number> | null {
    return this.#unused.get(device) ?? null;
  }

  /** What the store says. What is known here is newer, and stays. */
  learnUnused(device: DeviceId, uniquifiers: Iterable<number>): void {
    if (!this.#unused.has(device)) this.#unused.set(device, new Set(uniquifiers));
  }

  /** A block was given to the device. */
  noteGiven(device: DeviceId, uniquifier: number): void {
    this.#unused.get(device)?.add(uniquifier);
  }

  /** Something was made of it. False: that was so before, or is not known. */
  noteMade(device: DeviceId, uniquifier: number): boolean {
    return this.#unused.get(device)?.delete(uniquifier) === true;
  }

  /** Forgets the unused blocks of a device, which may be wrong: they are read from the store again. */
  forgetUnused(device: DeviceId): void {
    this.#unused.delete(device);
  }
}
