/**
 * The quota usage of volumes as the server reported it, and what may be written by that. It is durable: a laptop that is away has it too.
 *
 * It is a hint. What is logged is sent, and the server decides (held-back.ts); what a program writes through the port is refused here, at
 * once, where it would not fit (rule W7). What a front end found on its disk has happened, and is logged in any case.
 */
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { QuotaUsage } from '../../../shared/model/quota.ts';
import type { ClientState } from '../state.ts';

const PREFIX = 'room-';

/** Takes the usage that an answer reports for these volumes; one that is not among `rooms` has no quota. */
export function onRooms(
  state: ClientState,
  volumes: Iterable<VolumeId>,
  rooms: readonly QuotaUsage[] = [],
): void {
  for (const volume of volumes) {
    const room = rooms.find((each) => each.volume === volume);
    if (!state.quota.tell(volume, room)) continue;
    state.meta.set(`${PREFIX}${volume}`, room === undefined ? null : JSON.stringify(room));
    state.changed = true;
  }
}

/** An answer about the volume says that its quota is another one; null: it has none any more; undefined: nothing of it. */
export function onQuotaTold(
  state: ClientState,
  volume: VolumeId,
  quota: QuotaUsage | null | undefined,
): void {
  if (quota !== undefined) onRooms(state, [volume], quota === null ? [] : [quota]);
}

/** Loads the quota usage of each volume from the durable values of the earlier run. */
export function loadRooms(state: ClientState): void {
  for (const volume of state.names.volumes.keys()) {
    const text = state.meta.get(`${PREFIX}${volume}`);
    if (typeof text === 'string') state.quota.load(volume, JSON.parse(text) as QuotaUsage);
  }
}

/** May a program write so much more? What others were granted ahead is theirs. */
export function mayWrite(state: ClientState, volume: VolumeId, growth: number): boolean {
  const room = state.quota.of(volume);
  if (room === undefined || growth <= 0) return true;
  return state.log.growth.of(volume) + growth <= room.free;
}

/** Would the server take what lets the volume grow by so much? */
export function maySend(state: ClientState, volume: VolumeId, growth: number): boolean {
  const room = state.quota.of(volume);
  return room === undefined || growth <= 0 || growth <= room.limit - room.used;
}
