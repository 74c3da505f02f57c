/** Randomness. The real adapter is cryptographic; the simulator's comes from its seed. */
export interface Random {
  /** `count` random bytes as lower-case hex (2 * count characters). */
  hex(count: number): string;
  /** A number in [0, 1), for jitter. */
  fraction(): number;
}
