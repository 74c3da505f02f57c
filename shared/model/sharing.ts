/** What a user says of who uses a file or folder (rule S1): an order or a wish, instead of what the share monitor thinks. */
import type { Fid } from './fid.ts';

/**
 * `shared`: its stores go before others, and nobody has it for its own. `unshared`: a wish; who alone has a promise for it may have it
 * for its own whoever used it lately, and its stores go as all do. Of a folder it holds for what is in it, as far as that has none itself.
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
