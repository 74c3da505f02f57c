/** Reports of sharing (rule S1): the orders of users, and what holds for one file or folder. */
import type { Fid } from '../model/fid.ts';
import { SHARING_ORDERS, type SharingOrder } from '../model/sharing.ts';

/** What a person may order: `auto` withdraws the order. */
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
  /** `auto`: there is no order for it, nor for a folder around it. */
  readonly order: SharingWord;
  /** The path that has the order: its own, or that of a folder around it; null: none. */
  readonly from: string | null;
  /** What it counts as here: by the order, or by the server's last report. */
  readonly counts: SharingOrder;
}

/** `of`: where a vnode was named. */
export interface SharingReport {
  readonly orders: readonly SharingRow[];
  readonly of: SharingOf | null;
}
