/** The runs of the study of block caches, and one of them carried out. */
import { BLOCK_BYTES } from './access.ts';
import { Machines, type Traffic } from './machines.ts';
import { CLIENTS, spriteWorkload } from './workload.ts';

/** `consistent`: table I. `ignoring`: table II. `delay`: how long written blocks wait. */
export const SPRITE_PARTS = ['consistent', 'ignoring', 'delay'] as const;
export type SpritePart = (typeof SPRITE_PARTS)[number];

export interface SpriteCell {
  readonly part: SpritePart;
  readonly seed: number;
  /** Blocks that programs read and write in a run. */
  readonly accesses: number;
  /** Of each client's cache, megabytes of 1,048,576 bytes. */
  readonly megabytes: number;
  /** Seconds. */
  readonly delay: number;
}

/** Tables I and II. */
export const CACHE_SIZES = [0, 0.5, 1, 2, 4, 8] as const;
export const DELAYS = [0, 1, 5, 30, 300] as const;
const PAPERS_DELAY = 30;
const LARGEST = 8;

export function spriteCells(
  parts: readonly SpritePart[],
  seeds: number,
  accesses: number,
): SpriteCell[] {
  const sizes = CACHE_SIZES.map((megabytes) => ({ megabytes, delay: PAPERS_DELAY }));
  const delays = DELAYS.map((delay) => ({ megabytes: LARGEST, delay }));
  const all = Array.from({ length: seeds }, (_, n) => n + 1);
  return parts.flatMap((part) =>
    all.flatMap((seed) =>
      (part === 'delay' ? delays : sizes).map((one) => ({ part, seed, accesses, ...one })),
    ),
  );
}

/** Carries out one run. The same cell gives the same result. */
export function runSprite({ part, seed, accesses, megabytes, delay }: SpriteCell): Traffic {
  const machines = new Machines({
    clients: CLIENTS,
    blocks: (megabytes * 1024 * 1024) / BLOCK_BYTES,
    delay,
    isConsistent: part !== 'ignoring',
  });
  for (const access of spriteWorkload({ seed, accesses })) machines.take(access);
  return machines.traffic;
}
