/** How many bytes a part of a listing takes in a message, roughly and not too low; so that a page stays a message. */
import type { ChangeSet } from '../../../shared/model/change.ts';
import type { UpdateResult } from '../../../shared/model/update.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import { PAGE_BYTES } from '../../limits.ts';

/** Field names and fixed parts of a status in MessagePack. */
const STATUS_BYTES = 320;
const ENTRY_BYTES = 64;
/** Of an item of an answer, without a status. */
export const ITEM_BYTES = 128;
/** A UTF-16 unit takes three bytes of UTF-8 at most. */
const BYTES_PER_UNIT = 3;

/** Bytes of a status. */
export function weightOfStatus(status: VnodeStatus): number {
  let weight = STATUS_BYTES + BYTES_PER_UNIT * (status.target?.length ?? 0);
  for (const { name, value } of status.xattrs) {
    weight += ENTRY_BYTES + BYTES_PER_UNIT * name.length + value.length;
  }
  return weight;
}

/** Bytes of a result: a refused update comes with the status of what is in its way. */
export function weightOfResult(result: UpdateResult): number {
  if (result.ok) return ITEM_BYTES + ENTRY_BYTES * result.touched.length;
  return ITEM_BYTES + (result.existing === null ? 0 : weightOfStatus(result.existing));
}

/** Bytes of a name, with what says of what it is the name. */
export function weightOfName(name: string): number {
  return ENTRY_BYTES + BYTES_PER_UNIT * name.length;
}

/** Bytes of a commit in the feed. */
export function weightOfChange(change: ChangeSet): number {
  let weight = ENTRY_BYTES + weightOfName(change.copyOf ?? '');
  for (const status of change.vnodes) weight += weightOfStatus(status);
  for (const { name } of change.entries) weight += weightOfName(name) + ENTRY_BYTES;
  return weight;
}

/** As many items, from the first, as fit a page (PAGE_BYTES); one at least. `weigh` gives the bytes of an item. */
export function fitting<T>(
  items: readonly T[],
  weigh: (item: T, index: number) => number,
): readonly T[] {
  let weight = 0;
  for (const [index, item] of items.entries()) {
    weight += weigh(item, index);
    if (weight > PAGE_BYTES && index > 0) return items.slice(0, index);
  }
  return items;
}
