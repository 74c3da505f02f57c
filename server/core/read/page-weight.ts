/** How many bytes a part of a listing takes in a message, roughly and not too low; so that a page stays a message. */
import type { ChangeSet } from '../../../shared/model/change.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import { PAGE_BYTES } from '../../limits.ts';

/** Field names and fixed parts of a status in MessagePack. */
const STATUS_BYTES = 320;
const ENTRY_BYTES = 64;
/** A UTF-16 unit takes three bytes of UTF-8 at most. */
const BYTES_PER_UNIT = 3;

export function weightOfStatus(status: VnodeStatus): number {
  let weight = STATUS_BYTES + BYTES_PER_UNIT * (status.target?.length ?? 0);
  for (const { name, value } of status.xattrs) {
    weight += ENTRY_BYTES + BYTES_PER_UNIT * name.length + value.length;
  }
  return weight;
}

export function weightOfName(name: string): number {
  return ENTRY_BYTES + BYTES_PER_UNIT * name.length;
}

export function weightOfChange(change: ChangeSet): number {
  let weight = ENTRY_BYTES;
  for (const status of change.vnodes) weight += weightOfStatus(status);
  for (const { name } of change.entries) weight += weightOfName(name) + ENTRY_BYTES;
  return weight;
}

/** As many items, from the first, as fit a page; one at least. */
export function fitting<T>(items: readonly T[], weigh: (item: T) => number): readonly T[] {
  let weight = 0;
  for (const [index, item] of items.entries()) {
    weight += weigh(item);
    if (weight > PAGE_BYTES && index > 0) return items.slice(0, index);
  }
  return items;
}
