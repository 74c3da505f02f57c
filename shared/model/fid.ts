import type { Brand } from './brand.ts';

/**
 * The name of a vnode for ever: volume.vnode.uniquifier, 32 bits each, never reused (AFS, section 3.2 of the
 * 1988 paper). Kept as text, so that it is a map key, a column and a file name as it is.
 */
export type Fid = Brand<string, 'Fid'>;

export type VolumeId = Brand<number, 'VolumeId'>;

export interface FidParts {
  readonly volume: VolumeId;
  readonly vnode: number;
  readonly uniquifier: number;
}

const MAX_PART = 0xffff_ffff;
const [ZERO, NINE, DOT] = [0x30, 0x39, 0x2e];
const PATTERN = /^(0|[1-9]\d{0,9})\.(0|[1-9]\d{0,9})\.(0|[1-9]\d{0,9})$/;

/** The vnode number and uniquifier of every volume's root directory. */
export const ROOT_VNODE = 1;
export const ROOT_UNIQUIFIER = 1;

/** Builds a fid from its three parts: whole numbers, which are not checked here. */
export function makeFid(volume: number, vnode: number, uniquifier: number): Fid {
  return `${volume}.${vnode}.${uniquifier}` as Fid;
}

/** The parts of a fid, or null where the text is none. */
export function parseFid(text: string): FidParts | null {
  const match = PATTERN.exec(text);
  if (match === null) return null;
  const [volume, vnode, uniquifier] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (volume > MAX_PART || vnode > MAX_PART || uniquifier > MAX_PART) return null;
  return { volume: volume as VolumeId, vnode, uniquifier };
}

/** Whether `parseFid` would take it. Every message has some: read digit by digit, that is four times as fast. */
export function isFid(text: unknown): text is Fid {
  if (typeof text !== 'string') return false;
  let parts = 1;
  let digits = 0;
  let value = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === DOT) {
      if (digits === 0 || parts === 3) return false;
      parts += 1;
      digits = 0;
      value = 0;
    } else {
      // A zero in front is one that stands alone.
      if (code < ZERO || code > NINE || (digits > 0 && value === 0)) return false;
      value = 10 * value + (code - ZERO);
      if (value > MAX_PART) return false;
      digits += 1;
    }
  }
  return parts === 3 && digits > 0;
}

export function rootOf(volume: VolumeId): Fid {
  return makeFid(volume, ROOT_VNODE, ROOT_UNIQUIFIER);
}

/** Stands for all that a device has unshared in a volume (rule S3); no vnode has this name. */
export function unsharedIn(volume: VolumeId): Fid {
  return makeFid(volume, 0, 0);
}

/** By volume, vnode and uniquifier. Both must be valid. */
export function compareFids(one: Fid, other: Fid): number {
  const [a, b] = [parseFid(one), parseFid(other)];
  if (a === null || b === null) return 0;
  return a.volume - b.volume || a.vnode - b.vnode || a.uniquifier - b.uniquifier;
}

/** The volume of a fid. The fid must be a valid one. */
export function volumeOf(fid: Fid): VolumeId {
  return Number(fid.slice(0, fid.indexOf('.'))) as VolumeId;
}
