/** How the daemon is, in one word for the icon and in one line for people. */
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { DaemonState } from '../../../shared/model/daemon-state.ts';
import { clockText } from './clock.ts';
import { lineText, sizeText } from './format.ts';
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

export function stateWord(known: Known): string {
  if (known.kind === 'running') return TEXT.state(known.status.state);
  return known.kind === 'looking' ? TEXT.starting : TEXT.unknownState;
}

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

export function changesWaiting({ queues, unsettled }: StatusSnapshot): number {
  const { metadata, data } = queues;
  const cancelled = metadata.cancelled + data.cancelled;
  return metadata.updates + data.updates - cancelled + unsettled.paths;
}

export function bytesToSend({ queues: { data } }: StatusSnapshot): number {
  return Math.max(0, data.bytes - data.sentBytes);
}

function sentence(status: StatusSnapshot, now: number): string {
  switch (status.state) {
    case 'paused':
      return pauseText(status, now);
    case 'offline':
      return TEXT.offline;
    case 'trickling':
      return TEXT.tricklingOn(lineText(status.network?.name ?? TEXT.nothing));
    case 'conflict':
      return TEXT.conflicts(status.conflicts.length);
    case 'error': {
      const worst = status.errors.find((error) => !isNote(error));
      return worst === undefined ? TEXT.state('error') : lineText(worst.message);
    }
    case 'idle':
    case 'syncing':
      return TEXT.state(status.state);
  }
}

function pauseText(status: StatusSnapshot, now: number): string {
  const { pausedUntil = null, pausedUntilNetworkChanges } = status;
  if (pausedUntilNetworkChanges === true) return TEXT.pausedUntilNetwork;
  return pausedUntil === null
    ? TEXT.state('paused')
    : TEXT.pausedUntil(clockText(pausedUntil, now));
}
