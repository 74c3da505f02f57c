/**
 * The name of the file of a begun part is its note: one rename makes both durable, and neither is ever there without the other.
 *
 * `n` tells apart files of the same note. Names without a volume are of older servers.
 */
import type { VolumeId } from './fid.ts';
import type { WallTime } from './time.ts';

interface Note {
  readonly fingerprint: string;
  readonly volume: VolumeId | null;
  readonly digest: string;
  readonly length: number;
  readonly kept: number;
  readonly when: WallTime;
}

const NAME =
  /^([0-9a-f]{64})-([0-9a-f]{64})-(\d{1,16})-(\d{1,16})-(\d{1,16})(?:-(\d{1,10}))?-\d{1,16}$/;

/** The file name of an upload part: its note and the number `n`, which keeps names apart. */
export function partName(note: Note, n: number): string {
  const { fingerprint, volume, digest, length, kept, when } = note;
  const time = Math.max(0, Math.floor(when));
  const of = volume === null ? [] : [volume];
  return [fingerprint, digest, length, kept, time, ...of, n].join('-');
}

/** Null: not the name of a part. */
export function partNote(name: string): Note | null {
  const [, fingerprint, digest, ...rest] = NAME.exec(name) ?? [];
  if (fingerprint === undefined || digest === undefined) return null;
  const [length = 0, kept = 0, when = 0] = rest.slice(0, 3).map(Number);
  const volume = rest[3] === undefined ? null : (Number(rest[3]) as VolumeId);
  if (![length, kept, when].every(Number.isSafeInteger) || kept < 1 || kept > length) return null;
  return { fingerprint, volume, digest, length, kept, when: when as WallTime };
}
