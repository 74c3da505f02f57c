/**
 * Chooses the volume heads that a Hello reports: as many as fit into what a server takes of a device that it does not know yet. With numbers of the
 * usual size all fit. Of those that do not the server can't say that it has lost their newest commits (rule I1); it still can of the others.
 */
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import { MAX_HELLO_BYTES, MAX_VOLUMES } from '../../../shared/wire/limits.ts';

export interface Head {
  readonly volume: VolumeId;
  readonly head: CommitNumber;
}

/** All else in a Hello, at its longest: names, tokens, the epochs before, and the keys. */
export const REST_OF_HELLO_BYTES = 1800;

/** The map and its two keys. */
const KEYS_BYTES = 15;

/** The volumes that changed most come first: there a server has most to lose. */
export function headsTold(all: readonly Head[]): Head[] {
  let room = MAX_HELLO_BYTES - REST_OF_HELLO_BYTES;
  const byHead = [...all].sort((a, b) => b.head - a.head || a.volume - b.volume);
  return byHead.slice(0, MAX_VOLUMES).filter(({ volume, head }) => {
    room -= KEYS_BYTES + bytesOf(volume) + bytesOf(head);
    return room >= 0;
  });
}

/** Of a whole number in MessagePack. */
function bytesOf(number: number): number {
  if (number < 0x80) return 1;
  if (number < 0x100) return 2;
  if (number < 0x1_0000) return 3;
  return number < 0x1_0000_0000 ? 5 : 9;
}
