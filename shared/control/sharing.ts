/** What a daemon tells of sharing (rule S1): what users have said, and what holds for one file or folder. */
import type { Fid } from '../model/fid.ts';
import { SHARING_ORDERS, type SharingOrder } from '../model/sharing.ts';

/** What a person may say: `auto` takes back what was said. */
export const SHARING_WORDS = [...SHARING_ORDERS, 'auto'] as const;
export type SharingWord = (typeof SHARING_WORDS)[number];

export interface SharingRow {
  /** The name of the volume, and the path in it; null: it has not been looked at here. */
  readonly volume: string;
  readonly path: string | null;
  readonly fid: Fid;
  readonly order: SharingOrder;
}

export interface SharingOf {
  /** `auto`: nobody has said anything of it, nor of a folder around it. */
  readonly order: SharingWord;
  /** Who has the order: the path of itself, or of a folder around it; null: nobody. */
  readonly from: string | null;
  /** What it counts as here: by the order, or by what the server has told last. */
  readonly counts: SharingOrder;
}

/** `of`: where a vnode was named. */
export interface SharingReport {
  readonly orders: readonly SharingRow[];
  readonly of: SharingOf | null;
}
