/**
 * Why not everything is synced: a row for each thing that waits, with its reason. The state in the status is made of these rows, so each state has a
 * reason that can be listed. Updates of the queue share a row: `godwit queue` lists each of them.
 */
import type { NetworkStatus } from '../../../shared/control/network.ts';
import type { WaitingStatus } from '../../../shared/control/snapshot.ts';
import { UNANSWERED } from '../../../shared/model/all-sent.ts';
import { MOST_SHOWN } from '../../limits.ts';
import type { ClientState } from '../state.ts';
import { pathOf } from '../log/view.ts';
import { standstill } from '../log/estimates.ts';

/** Of the queue: updates, those that go out by themselves, and those that a person has taken out. */
export interface Queued {
  readonly updates: number;
  readonly going: number;
  readonly cancelled: number;
  /** Of volumes that were removed on the server. */
  readonly removed: number;
  /** All of it is sent, and waits for the server's answer. */
  readonly isSent: boolean;
}

/** What a front end says of itself. */
interface Outside {
  readonly unsettled: { readonly paths: number; readonly commits: number };
  readonly waiting: readonly WaitingStatus[];
}

/** Lists what is not synced yet, each row with its reason; at most MOST_SHOWN rows. */
export function waitingOf(
  state: ClientState,
  queued: Queued,
  network: NetworkStatus | null,
  outside: Outside,
): WaitingStatus[] {
  const rows = [
    ...ofQueue(state, queued, network),
    ...outside.waiting,
    ...ofUnsettled(outside),
    ...ofAdjustments(state),
    ...ofVolumes(state),
  ];
  return rows.slice(0, MOST_SHOWN);
}

const changes = (count: number): string => `${count} ${count === 1 ? 'change' : 'changes'}`;
const all = (reason: string): WaitingStatus => ({ path: null, reason });

function ofQueue(
  state: ClientState,
  { updates, going, cancelled, removed, isSent }: Queued,
  network: NetworkStatus | null,
): WaitingStatus[] {
  const rows: WaitingStatus[] = [];
  if (going > 0 && isSent) rows.push(all(`${changes(going)} ${UNANSWERED}`));
  else if (going > 0) {
    rows.push(all(`${changes(going)} to send: ${whyNotSent(state, going, network)}`));
  }
  if (cancelled > 0) {
    rows.push({ ...all(`${changes(cancelled)} taken out of the queue`), stands: true });
  }
  if (removed > 0) {
    const reason = `${changes(removed)} can not be sent: the volume was removed`;
    rows.push({ ...all(reason), stands: true });
  }
  const kept = updates - going - cancelled - removed;
  if (kept > 0) {
    const each = kept === 1 ? 'it has' : 'each has';
    const reason = `${changes(kept)} can not be sent: ${each} an error of its own`;
    rows.push({ ...all(reason), stands: true });
  }
  return rows;
}

function whyNotSent(state: ClientState, going: number, network: NetworkStatus | null): string {
  const stands = standstill(state);
  if (stands !== null) return stands;
  if (state.queue.delayedCount >= going) return 'the delay that you have set is not over';
  const isHeld = network !== null && network.background !== 'free' && network.waiting.stores > 0;
  if (!isHeld) return 'on the way';
  return network.background === 'trickles'
    ? `contents trickle on ${network.name}`
    : `contents wait on ${network.name}`;
}

/** A front end that counts and gives no reasons. */
function ofUnsettled({ unsettled: { paths, commits }, waiting }: Outside): WaitingStatus[] {
  if (waiting.length > 0 || paths + commits === 0) return [];
  return paths > 0
    ? [all(`${changes(paths)} in the folder ${paths === 1 ? 'is' : 'are'} being looked at`)]
    : [all(`${commits} ${commits === 1 ? 'commit is' : 'commits are'} being put in place`)];
}

function ofAdjustments(state: ClientState): WaitingStatus[] {
  return state.conflict.adjustments.first(MOST_SHOWN).map((adjustment) => ({
    path: 'to' in adjustment ? pathOf(state, adjustment.to) : null,
    reason: 'a conflict is being resolved in the folder',
  }));
}

function ofVolumes(state: ClientState): WaitingStatus[] {
  if (state.config.frontEnd !== 'folder') return [];
  return [...state.names.volumes.values()].flatMap(({ row: { info }, head, applied }) => {
    if (applied === 0 || applied >= head) return [];
    return [all(toCome(info.name, head - applied))];
  });
}

/** What is to come from a volume that is so many commits on. A restored server goes on at a number made of the time (rule I1), so most of those were never made. */
export function toCome(volume: string, commits: number): string {
  if (commits > MOST_COMMITS) return `the volume ${volume} is compared with the restored server`;
  return `${commits} ${commits === 1 ? 'commit is' : 'commits are'} to come from the volume ${volume}`;
}

/** No server has made as many while a laptop was away: some 50 for each second of a century. */
const MOST_COMMITS = 2 ** 37;
