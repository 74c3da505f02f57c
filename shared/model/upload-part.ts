/**
 * The name of the file of a begun part is its note: one rename makes both durable, and neither is ever there without the other.
 *
 * `n` tells apart files of the same note.
 */
import type { WallTime } from './time.ts';

interface Note {
  readonly fingerprint: string;
  readonly digest: string;
  readonly length: number;
  readonly kept: number;
  readonly when: WallTime;
}

const NAME = /^([0-9a-f]{64})-([0-9a-f]{64})-(\d{1,16})-(\d{1,16})-(\d{1,16})-\d{1,16}$/;

export function partName({ fingerprint, digest, length, kept, when }: Note, n: number): string {
  const time = Math.max(0, Math.floor(when));
  return [fingerprint, digest, length, kept, time, n].join('-');
}

/** Null: not the name of a part. */
export function partNote(name: string): Note | null {
  const [, fingerprint, digest, ...numbers] = NAME.exec(name) ?? [];
  if (fingerprint === undefined || digest === undefined) return null;
  const [length = 0, kept = 0, when = 0] = numbers.map(Number);
  if (![length, kept, when].every(Number.isSafeInteger) || kept < 1 || kept > length) return null;
  return { fingerprint, digest, length, kept, when: when as WallTime };
}
