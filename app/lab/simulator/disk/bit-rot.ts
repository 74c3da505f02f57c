/**
 * Bytes of which a bit has turned know it, so that they can be repaired from a good copy wherever they were copied since: a copied
 * disk has what rotted on the other one, and a backup has what rotted before it was taken.
 */

/** One bit that turned, once. */
export interface Rot {
  readonly bit: number;
}

interface Rotten {
  readonly rots: readonly Rot[];
  readonly good: Uint8Array;
}

/** Arrays are not changed once they are handed over, so a mark on one stays right. */
const ROTTEN = new WeakMap<Uint8Array, Rotten>();

/** The bytes before any of their bits turned. */
export function goodOf(bytes: Uint8Array): Uint8Array {
  return ROTTEN.get(bytes)?.good ?? bytes;
}

/** The same bytes with one more bit turned. */
export function rotten(bytes: Uint8Array, rot: Rot): Uint8Array {
  return withTurned(bytes, rot, [...rotsOf(bytes), rot]);
}

/** The same bytes without that; null: it did not happen to them. */
export function healed(bytes: Uint8Array, rot: Rot): Uint8Array | null {
  const rots = rotsOf(bytes);
  if (!rots.includes(rot)) return null;
  const left = rots.filter((other) => other !== rot);
  return left.length === 0 ? goodOf(bytes) : withTurned(bytes, rot, left);
}

function rotsOf(bytes: Uint8Array): readonly Rot[] {
  return ROTTEN.get(bytes)?.rots ?? [];
}

function withTurned(bytes: Uint8Array, { bit }: Rot, rots: readonly Rot[]): Uint8Array {
  const at = Math.floor(bit / 8) % bytes.length;
  // Not `slice`: a Buffer's shares its bytes.
  const turned = new Uint8Array(bytes);
  turned[at] = (turned[at] ?? 0) ^ (1 << (bit % 8));
  ROTTEN.set(turned, { rots, good: goodOf(bytes) });
  return turned;
}
