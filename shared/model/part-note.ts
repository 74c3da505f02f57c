/**
 * What is known of a part of a stream (rule D3). It is kept as the name of the part's file, so that the two can not come apart.
 */
import { isFid, type Fid } from './fid.ts';
import { wallTime, type WallTime } from './time.ts';

export interface PartNote {
  /** Whose contents it tells. */
  readonly fid: Fid;
  /** Of the whole stream. */
  readonly digest: string;
  readonly length: number;
  readonly keptAt: WallTime;
}

const NAME = /^([0-9a-f]{64})-(\d{1,15})-(\d{1,15})-([\d.]+)$/;

export function partName({ digest, length, keptAt, fid }: PartNote): string {
  return `${digest}-${length}-${Math.max(Math.trunc(keptAt), 0)}-${fid}`;
}

/** null: it is no name of a part. */
export function readPartName(name: string): PartNote | null {
  const [, digest, length, keptAt, fid] = NAME.exec(name) ?? [];
  if (digest === undefined || !isFid(fid)) return null;
  return { digest, length: Number(length), keptAt: wallTime(Number(keptAt)), fid };
}
