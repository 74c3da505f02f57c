import type { Brand } from './brand.ts';
import type { Fid, VolumeId } from './fid.ts';

/**
 * The growing number on each promise given to a client (rule P2). A break voids every grant of its subject
 * up to a number, so a break that overtakes the reply it voids still does its work.
 */
export type GrantNumber = Brand<number, 'GrantNumber'>;

/** What a promise is about: one vnode, or a whole volume (volume leases). */
export type Subject =
  | { readonly fid: Fid; readonly volume?: never }
  | { readonly volume: VolumeId; readonly fid?: never };

export interface Break {
  readonly subject: Subject;
  readonly upTo: GrantNumber;
}
