/** The state of the daemon, in one word for the icon and in one line for people. */
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { DaemonState } from '../../../shared/model/daemon-state.ts';
import { clockText } from './clock.ts';
import { lineText } from './format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { isNote } from './problems.ts';
import { TEXT } from './text.ts';

/** What is known of the daemon: its status, or why there is none. */
export type Known =
  | { readonly kind: 'looking' }
  | { readonly kind: 'running'; readonly status: StatusSnapshot }
  /** It is set up, and nobody answers. */
  | { readonly kind: 'away' }
  /** This device belongs to no server yet. */
  | { readonly kind: 'new' };

/** A daemon that does not run syncs nothing, as one without its server. */
export function iconState(known: Known): DaemonState {
  return known.kind === 'running' ? known.status.state : 'offline';
}

/** Gives the state of the daemon in one or a few words. */
export function stateWord(known: Known): string {
  if (known.kind === 'running') {
    const { status } = known;
    if (takenOutAlone(status) > 0) return TEXT.syncedInPart;
    return waitsForNetwork(status) ? TEXT.waiting : TEXT.state(status.state);
  }
  return known.kind === 'looking' ? TEXT.starting : TEXT.unknownState;
}

/**
 * Writes the state of the daemon in one line, with how many changes and bytes wait. `now`:
 * milliseconds since the epoch.
 */
export function headline(known: Known, now: number): string {
  if (known.kind === 'looking') return TEXT.starting;
  if (known.kind !== 'running') return TEXT.notRunning;
  const { status } = known;
  const parts = [sentence(status, now)];
  const waiting = changesWaiting(status);
  if (waiting > 0) parts.push(TEXT.changesWaiting(waiting));
  const bytes = bytesToSend(status);
  if (bytes > 0) parts.push(`${sizeText(bytes)} ${TEXT.facts.toSend.toLowerCase()}`);
  return parts.join(', ');
}

/** Of the icon: the product, the state in words, and what waits. */
export function tooltip(known: Known, now: number): string {
  return `${TEXT.product}: ${headline(known, now)}`;
}

/**
 * Counts the changes that will still be sent: queued updates that were not put aside, and unsettled
 * paths.
 */
export function changesWaiting({ queues, unsettled }: StatusSnapshot): number {
  const { metadata, data } = queues;
  const cancelled = metadata.cancelled + data.cancelled;
  return metadata.updates + data.updates - cancelled + unsettled.paths;
}

/** Without what a person has taken out: that is not sent. */
export function bytesToSend({ queues: { data } }: Pick<StatusSnapshot, 'queues'>): number {
  return Math.max(0, data.bytes - (data.cancelledBytes ?? 0) - data.sentBytes);
}

/** How many changes a person has taken out, where there is nothing else to do; 0: there is, or none. */
function takenOutAlone(status: StatusSnapshot): number {
  const { state, queues, fetches, unsettled } = status;
  if ((state !== 'syncing' && state !== 'incomplete') || changesWaiting(status) > 0) return 0;
  if (fetches.running + unsettled.commits > 0) return 0;
  return queues.metadata.cancelled + queues.data.cancelled;
}

/** Contents do not even trickle. */
const waitsForNetwork = ({ state, network }: StatusSnapshot): boolean =>
  state === 'trickling' && network?.background === 'waits';

function sentence(status: StatusSnapshot, now: number): string {
  switch (status.state) {
    case 'paused':
      return pauseText(status, now);
    case 'offline':
      return TEXT.offline;
    case 'trickling':
      return tricklingText(status, now);
    case 'conflict':
      return TEXT.conflicts(status.conflicts.length);
    case 'error': {
      const worst = status.errors.find((error) => !isNote(error));
      return worst === undefined ? TEXT.state('error') : lineText(worst.message);
    }
    case 'incomplete':
    case 'syncing': {
      const takenOut = takenOutAlone(status);
      return takenOut === 0 ? TEXT.state(status.state) : TEXT.syncedBut(takenOut);
    }
    case 'idle':
      return TEXT.state('idle');
  }
}

function tricklingText(status: StatusSnapshot, now: number): string {
  const name = lineText(status.network?.name ?? TEXT.nothing);
  if (!waitsForNetwork(status)) return TEXT.tricklingOn(name);
  const until = status.network?.until ?? null;
  if (until === null) return TEXT.waitingForOther(name);
  return TEXT.waitingUntil(name, clockText(until, now));
}

function pauseText(status: StatusSnapshot, now: number): string {
  const { pausedUntil = null, pausedUntilNetworkChanges } = status;
  if (pausedUntilNetworkChanges === true) return TEXT.pausedUntilNetwork;
  return pausedUntil === null
    ? TEXT.state('paused')
    : TEXT.pausedUntil(clockText(pausedUntil, now));
}
