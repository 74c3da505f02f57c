/** A user's order about the sharing of a file or folder (rule S1): it overrides the estimate of the share monitor. */
import type { Fid } from './fid.ts';

/**
 * `shared`: its stores go before others, and no device has it as its own. `unshared`: a wish; a device that alone has a promise for it may have it
 * as its own, whichever device used it lately, and its stores have the usual order. Of a folder it holds for what is in it, as far as that has none itself.
 */
export const SHARING_ORDERS = ['shared', 'unshared'] as const;
export type SharingOrder = (typeof SHARING_ORDERS)[number];

export interface OrderedVnode {
  readonly fid: Fid;
  readonly order: SharingOrder;
}

/** The order that holds for a vnode, and the vnode that has it: itself, or a folder around it. */
export interface HoldingOrder {
  readonly order: SharingOrder;
  readonly from: Fid;
}
