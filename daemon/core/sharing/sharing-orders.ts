/**
 * Orders of users about sharing (rule S1): asked for, given, and resolved. The order of a folder holds for what is in it, and the nearest one counts:
 * the vnode's own, then that of the folder that it is in, and so on to the root.
 *
 * `shared`: its stores go before others, and its hidden updates are announced one by one, even if the device has the file or volume unshared.
 * `unshared`: its stores go as all do, and with the next question the server hears that a user wishes it.
 */
import type { SharingOf, SharingReport } from '../../../shared/control/sharing.ts';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import { isFid, volumeOf } from '../../../shared/model/fid.ts';
import {
  SHARING_ORDERS,
  type HoldingOrder,
  type OrderedVnode,
  type SharingOrder,
} from '../../../shared/model/sharing.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import { refused, waitFor, WORKING, type Attempt } from '../waits/attempt-result.ts';
import type { ClientState } from '../state.ts';
import { chainOf, isRoot, isUncommitted, pathOf, viewPlaces } from '../log/view.ts';

/** Signalled, as all facts are, with each session. */
const SESSION_KEY = { kind: 'session' } as const;
const PREFIX = 'orders-';

/** As the run before knew them. */
export function loadOrders(state: ClientState): void {
  for (const volume of state.names.volumes.keys()) {
    const text = state.meta.get(`${PREFIX}${volume}`);
    if (typeof text !== 'string') continue;
    state.sharing.orders.replace(
      volume,
      (JSON.parse(text) as OrderedVnode[]).filter(isOrdered),
      null,
    );
  }
}

const isOrdered = ({ fid, order }: OrderedVnode): boolean =>
  isFid(fid) && SHARING_ORDERS.includes(order);

/** The order that holds for a vnode, as far as its place is known here; null: there is none. */
export function holdingOrder(state: ClientState, fid: Fid): HoldingOrder | null {
  if (!state.sharing.orders.hasAny(volumeOf(fid))) return null;
  const own = state.sharing.orders.get(fid);
  if (own !== null) return { order: own, from: fid };
  const dir = viewPlaces(state, fid)[0]?.dir;
  if (dir === undefined) return null;
  for (const from of chainOf(state, dir)) {
    const order = state.sharing.orders.get(from);
    if (order !== null) return { order, from };
  }
  return null;
}

/** Its stores go before others. */
function countsAsShared(state: ClientState, fid: Fid): boolean {
  const holding = holdingOrder(state, fid);
  return holding === null ? state.sharing.sharedFiles.has(fid) : holding.order === 'shared';
}

/** The server need not know which updates of it are hidden. */
export function isForItself(state: ClientState, fid: Fid): boolean {
  return state.sharing.promises.isOwn(fid) && holdingOrder(state, fid)?.order !== 'shared';
}

/** For the question about a vnode. */
export function wishFor(state: ClientState, fid: Fid): { readonly wished?: true } {
  return holdingOrder(state, fid)?.order === 'unshared' ? { wished: true } : {};
}

/** Takes the revisions of orders that an answer reports. `volumes`: those of these without a revision have no orders. */
export function onOrdersTold(
  state: ClientState,
  told: ReplyOf<'Hello'>['orders'] = [],
  volumes: readonly VolumeId[] = [],
): void {
  for (const { volume, revision } of told) state.sharing.orders.told(volume, revision);
  for (const volume of volumes) {
    if (told.some((each) => each.volume === volume)) continue;
    if (state.sharing.orders.hasAny(volume)) changeTo(state, volume, [], null);
  }
}

/** The end of a step: asks where there is something else than what is known. */
export function sendPendingOrders(state: ClientState): void {
  if (!state.session.isUp) return;
  for (const volume of state.sharing.orders.takeStale()) {
    const purpose = { for: 'orders', volume } as const;
    state.send({ rpc: 'SharingOrders', body: { volume } }, 'VALIDATE', purpose);
  }
}

/** Takes the sharing orders of a volume, as of a revision, in the place of the known ones. */
export function onOrders(
  state: ClientState,
  volume: VolumeId,
  { orders, revision }: ReplyOf<'SharingOrders'>,
): void {
  changeTo(state, volume, orders, revision);
}

export function onOrdersFailed(state: ClientState, volume: VolumeId): void {
  state.sharing.orders.failed(volume);
}

function changeTo(
  state: ClientState,
  volume: VolumeId,
  orders: readonly OrderedVnode[],
  revision: number | null,
): void {
  const isNews = JSON.stringify(state.sharing.orders.of(volume)) !== JSON.stringify(orders);
  state.sharing.orders.replace(volume, orders, revision);
  if (isNews) ordersChanged(state, volume);
}

function ordersChanged(state: ClientState, volume: VolumeId): void {
  const orders = state.sharing.orders.of(volume);
  state.meta.set(`${PREFIX}${volume}`, orders.length === 0 ? null : JSON.stringify(orders));
  state.sharing.wantSort();
  state.changed = true;
}

/** Gives a vnode that is renamed over another the order of that one, as far as it is known here, until the server reports its own (rule W3). */
export function inheritOrder(state: ClientState, from: Fid, to: Fid): void {
  const order = state.sharing.orders.get(from);
  if (order === null || order === state.sharing.orders.get(to)) return;
  state.sharing.orders.put(to, order);
  ordersChanged(state, volumeOf(to));
}

/** A person gives an order; null: takes it back. It is the server's to keep, so it has to be there. */
export function attemptOrder(
  state: ClientState,
  call: number,
  fid: Fid,
  order: SharingOrder | null,
): Attempt {
  if (!state.session.isUp) return waitFor(SESSION_KEY);
  const volume = volumeOf(fid);
  if (state.names.volumes.rightsIn(volume) === null) {
    return refused('no-such-volume', `this device sees no volume ${volume}`);
  }
  if (isUncommitted(state, fid)) {
    return refused('not-committed', 'the server has not got it yet: say it when it is synced');
  }
  const purpose = { for: 'order', call, fid, order } as const;
  state.send({ rpc: 'SetSharing', body: { fid, order } }, 'STORE_ATTR', purpose);
  return WORKING;
}

/** The word counts here at once; what others have said meanwhile comes with the list. */
export function onOrdered(
  state: ClientState,
  { call, fid, order }: { call: number; fid: Fid; order: SharingOrder | null },
  reply: ReplyOf<'SetSharing'>,
): void {
  onOrdersTold(state, reply.orders);
  if (state.sharing.orders.get(fid) !== order) {
    state.sharing.orders.put(fid, order);
    ordersChanged(state, volumeOf(fid));
  }
  if (state.waiting.get(call) !== undefined) state.answer(call, sharingOf(state, fid));
}

/**
 * Lists all sharing orders with their paths, and the one that holds for `fid`; null: none is asked
 * about.
 */
export function sharingReport(state: ClientState, fid: Fid | null): SharingReport {
  const rows = state.sharing.orders.all().map(({ fid: ordered, order }) => {
    const volume = state.names.volumes.get(volumeOf(ordered))?.row.info.name ?? '';
    return { volume, path: pathTo(state, ordered), fid: ordered, order };
  });
  return { orders: rows, of: fid === null ? null : sharingOf(state, fid) };
}

function sharingOf(state: ClientState, fid: Fid): SharingOf {
  const holding = holdingOrder(state, fid);
  return {
    order: holding?.order ?? 'auto',
    from: holding === null ? null : (pathTo(state, holding.from) ?? holding.from),
    counts: countsAsShared(state, fid) ? 'shared' : 'unshared',
  };
}

/** From the root of its volume; null: its place is not known here. */
export function pathTo(state: ClientState, fid: Fid): string | null {
  if (isRoot(fid)) return '';
  const place = viewPlaces(state, fid)[0];
  if (place === undefined || !isRoot(chainOf(state, place.dir).at(-1) ?? fid)) return null;
  return pathOf(state, place);
}
