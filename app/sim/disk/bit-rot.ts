/**
 * Bytes of which a bit has turned know it, so that whoever has the good ones can put them right wherever they have come since: a copied
 * disk has what rotted on the other one, and a backup has what rotted before it was taken.
 */

/** One bit that turned, once. */
export interface Rot {
  readonly bit: number;
}

/** Arrays are not changed once they are handed over, so what is said of one stays true. */
const ROTS = new WeakMap<Uint8Array, readonly Rot[]>();

/** The same bytes with one more bit turned. */
export function rotten(bytes: Uint8Array, rot: Rot): Uint8Array {
  const turned = withBitTurned(bytes, rot);
  ROTS.set(turned, [...rotsOf(bytes), rot]);
  return turned;
}

/** The same bytes without that; null: it did not happen to them. */
export function healed(bytes: Uint8Array, rot: Rot): Uint8Array | null {
  const rots = rotsOf(bytes);
  if (!rots.includes(rot)) return null;
  const turned = withBitTurned(bytes, rot);
  ROTS.set(
    turned,
    rots.filter((other) => other !== rot),
  );
  return turned;
}

function rotsOf(bytes: Uint8Array): readonly Rot[] {
  return ROTS.get(bytes) ?? [];
}

function withBitTurned(bytes: Uint8Array, { bit }: Rot): Uint8Array {
  const at = Math.floor(bit / 8) % bytes.length;
  // Not `slice`: a Buffer's shares its bytes.
  const turned = new Uint8Array(bytes);
  turned[at] = (turned[at] ?? 0) ^ (1 << (bit % 8));
  return turned;
}
