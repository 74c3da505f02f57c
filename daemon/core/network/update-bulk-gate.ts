/** Carries out what bulk-gate.ts decides: what is begun, what is charged, what is stopped, and when it is looked at again. */
import {
  after,
  elapsed,
  milliseconds,
  wallTime,
  type Instant,
  type WallTime,
} from '../../../shared/model/time.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import { LEAST_STOPPED, MOST_DEBT_SLICES } from '../../limits.ts';
import type { OpenRequest } from '../waits/requests.ts';
import type { ClientState } from '../state.ts';
import {
  creditFor,
  decideBulk,
  refilled,
  sliceOf,
  waitFor,
  type BulkDecision,
} from './bulk-gate.ts';

/**
 * Decides whether background contents may be sent and fetched on the present network: freely, at a
 * rate, or not now.
 */
export function bulkDecision(state: ClientState): BulkDecision {
  const { now, policy, used, isTold, spending } = state.networks;
  if (spending > 0) return { kind: 'free' };
  if (!isTold) return { kind: 'wait', why: 'untold' };
  return decideBulk(policy, now === null ? 0 : used.on(now.name, state.now));
}

/** Whether a content in the background may begin to move now. `size` null: it is not known. */
export function mayBeginBulk(state: ClientState, size: number | null): boolean {
  const decision = bulkDecision(state);
  if (decision.kind === 'free') return true;
  if (decision.kind === 'wait') return false;
  const needed = creditFor(size ?? Infinity, decision.rate);
  return state.networks.credit - underWay(state, decision.rate) >= needed;
}

/** Why the network of now holds back the store with this number, and until when; null: it does not. */
export function heldByNetwork(state: ClientState, seq: UpdateSeq): HeldByNetwork | null {
  if (state.log.isUrgent(seq)) return null;
  const decision = bulkDecision(state);
  if (decision.kind !== 'wait') return null;
  const { now: facts, used } = state.networks;
  const where = facts === null ? 'until the network is known' : `on ${facts.name}`;
  const until = decision.why === 'budget' ? wallTime(used.dayEnds(state.now)) : null;
  return { why: `contents wait ${where}`, until };
}

export interface HeldByNetwork {
  readonly why: string;
  /** null: until there is another network. */
  readonly until: WallTime | null;
}

/** What has begun and is not charged yet. */
function underWay(state: ClientState, rate: number): number {
  let bytes = 0;
  for (const request of state.requests.values()) {
    const size = bulkSize(state, request);
    if (size !== null) bytes += Math.max(0, creditFor(size, rate) - request.charged);
  }
  return bytes;
}

/** Of a request that moves contents in the background, how much; null: it is none. */
function bulkSize(state: ClientState, { purpose }: OpenRequest): number | null {
  if (purpose.for === 'store') {
    return state.log.isUrgent(purpose.seq) ? null : purpose.bytes;
  }
  if (purpose.for !== 'contents') return null;
  const fetching = state.cache.fetches.get(purpose.key);
  return fetching?.into === 'caller' || fetching?.ahead === true ? fetching.bytes : null;
}

/** So many bytes of a request's contents have moved since this was called last. */
export function chargeBulk(state: ClientState, request: OpenRequest, bytes: number): void {
  if (bytes <= 0 || state.networks.policy === null) return;
  if (bulkSize(state, request) === null) return;
  request.charged += bytes;
  state.networks.credit -= bytes;
}

/** At each step: the credit grows with time, and what must not go on is stopped. */
export function updateBulk(state: ClientState): void {
  const { networks, now } = state;
  const decision = bulkDecision(state);
  if (decision.kind === 'free') {
    networks.credit = 0;
    networks.creditAt = now.at;
    return;
  }
  if (decision.kind === 'trickle') {
    const passed = elapsed(networks.creditAt, now.at);
    networks.credit = refilled(networks.credit, decision.rate, passed);
    networks.credit = Math.max(networks.credit, -MOST_DEBT_SLICES * sliceOf(decision.rate));
  }
  networks.creditAt = now.at;
  if (decision.kind === 'trickle' && networks.credit >= 0) return;
  for (const request of state.requests.values()) {
    const size = bulkSize(state, request);
    if (size === null || size < LEAST_STOPPED || request.stopped) continue;
    state.requests.stop(request);
  }
}

/** When something that waits here is to be looked at again; null: for nothing that time brings. */
export function nextBulk(state: ClientState): Instant | null {
  const { networks, now } = state;
  if (!state.session.isUp || state.session.isPaused) return null;
  const decision = bulkDecision(state);
  if (decision.kind === 'free') return null;
  const sizes = waitingSizes(state);
  if (sizes.length === 0) return null;
  if (decision.kind === 'wait') {
    if (decision.why !== 'budget') return null;
    return after(now.at, milliseconds(networks.used.dayEnds(now) - now.wall));
  }
  const { rate } = decision;
  const needed = Math.min(...sizes.map((size) => creditFor(size ?? Infinity, rate)));
  const lacking = needed + underWay(state, rate);
  if (networks.credit >= lacking) return null;
  return after(now.at, milliseconds(waitFor(lacking, networks.credit, rate)));
}

/** Of the first store that could go, and of fetches in the background. */
function waitingSizes(state: ClientState): Array<number | null> {
  const sizes: Array<number | null> = [];
  const next = state.queue.data.peek();
  if (next?.update.op === 'store') sizes.push(next.update.size);
  for (const { state: how, into, fid } of state.cache.fetches.values()) {
    if (how === 'queued' && into === 'caller')
      sizes.push(state.names.attributes.get(fid)?.size ?? null);
  }
  return sizes;
}

/** Takes the bytes that the connection has moved so far, as the link counts them. */
export function countData(state: ClientState, sent: number, received: number): void {
  const { networks } = state;
  const grown = (last: number, now: number): number => (now < last ? now : now - last);
  const bytes = grown(networks.counted.sent, sent) + grown(networks.counted.received, received);
  networks.counted = { sent, received };
  if (networks.now !== null) networks.used.add(networks.now.name, bytes, state.now);
}

/** Another connection counts from zero, another network for itself: what is counted is made durable. */
export function connectionTurns(state: ClientState, how: 'begins' | 'goes-on'): void {
  const { networks } = state;
  if (how === 'begins') networks.counted = { sent: 0, received: 0 };
  if (networks.now !== null) networks.used.save(networks.now.name, state.now.at);
}
