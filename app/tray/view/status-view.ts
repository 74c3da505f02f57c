/**
 * How the daemon is, on two axes: whether it is connected, and what it does. What needs a person stands apart, so that one open conflict does
 * not hide for weeks that the server is away.
 */
import { sizeText } from '../../../shared/util/amounts.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { DaemonState } from '../../../shared/model/daemon-state.ts';
import { clockText } from './clock.ts';
import { lineText } from './format.ts';
import { problemCount, problemsOf } from './problems.ts';
import { TEXT } from './text.ts';

/** What is known of the daemon: its status, or why there is none. */
export type Known =
  | { readonly kind: 'looking' }
  | { readonly kind: 'running'; readonly status: StatusSnapshot }
  /** It is set up, and nobody answers. `why`: a start has failed for this reason. */
  | { readonly kind: 'away'; readonly why?: string }
  /** This device belongs to no server yet. */
  | { readonly kind: 'new' };

export const ACTIVITIES = ['idle', 'partly', 'syncing', 'slow', 'paused', 'offline'] as const;
export type Activity = (typeof ACTIVITIES)[number];

export const ATTENTIONS = ['none', 'conflict', 'error'] as const;
export type Attention = (typeof ATTENTIONS)[number];

/** A daemon that does not run syncs nothing, as one without its server. */
export function iconState(known: Known): DaemonState {
  return known.kind === 'running' ? known.status.state : 'offline';
}

/** What it does, whatever needs a person. */
export function activityOf(known: Known): Activity {
  if (known.kind !== 'running') return 'offline';
  const { status } = known;
  if (status.paused) return 'paused';
  if (!status.connected) return 'offline';
  switch (status.state) {
    case 'idle':
    case 'syncing':
      return takenOutAlone(status) > 0 ? 'partly' : status.state;
    case 'incomplete':
      return 'partly';
    case 'trickling':
      return 'slow';
    default:
      return beside(status);
  }
}

/** The state names what needs a person: the rest follows from what moves. */
function beside(status: StatusSnapshot): Activity {
  const { queues, fetches, network } = status;
  const moves = queues.metadata.inFlight + queues.data.inFlight + fetches.running > 0;
  if (moves) return (network?.background ?? 'free') === 'free' ? 'syncing' : 'slow';
  return changesWaiting(status) > 0 ? 'partly' : 'idle';
}

/** What needs a person, the gravest of it. */
export function attentionOf(known: Known): Attention {
  if (known.kind !== 'running') return 'none';
  const { errors, conflicts } = known.status;
  if (problemCount(problemsOf(errors)) > 0) return 'error';
  return conflicts.length > 0 ? 'conflict' : 'none';
}

/** How many things need a person, in words; '' for none. */
export function attentionText(known: Known): string {
  if (known.kind !== 'running') return '';
  const { errors, conflicts } = known.status;
  const problems = problemCount(problemsOf(errors));
  const parts = [
    ...(conflicts.length > 0 ? [TEXT.home.conflicts(conflicts.length)] : []),
    ...(problems > 0 ? [TEXT.home.problems(problems)] : []),
  ];
  return parts.join(', ');
}

/** The state in a few words, such as the largest on the page. */
export function activityText(known: Known): string {
  const words = TEXT.home;
  if (known.kind === 'looking') return words.starting;
  if (known.kind === 'new') return words.newHere;
  if (known.kind === 'away') return words.stopped;
  if (known.status.network?.background === 'waits' && activityOf(known) === 'slow') {
    return TEXT.waiting;
  }
  const said: Record<Activity, string> = {
    idle: attentionOf(known) === 'none' ? words.allSynced : words.restSynced,
    partly: words.partly,
    syncing: words.syncing,
    slow: words.slowly,
    paused: words.paused,
    offline: words.offline,
  };
  return said[activityOf(known)];
}

/** Whether it is connected, always: `Connected to …`, `Offline since 09:47`, `Paused until 15:00; not connected`. */
export function connectionText(known: Known, now: number): string {
  const words = TEXT.home;
  if (known.kind === 'looking') return words.starting;
  if (known.kind === 'new') return words.newHere;
  if (known.kind === 'away') return words.away;
  const { status } = known;
  const { connected, paused, server } = status;
  if (paused) return connected ? pauseText(status, now) : words.andOffline(pauseText(status, now));
  return connected ? words.connected(lineText(server.address)) : offlineText(status, now);
}

function offlineText({ offlineSince }: StatusSnapshot, now: number): string {
  const words = TEXT.home;
  return offlineSince === undefined
    ? words.offline
    : words.offlineSince(clockText(offlineSince, now));
}

/** What it does and how much of it waits, such as `Syncing, 3 changes waiting, 4.0 MB to send`. */
export function headline(known: Known, now: number): string {
  if (known.kind !== 'running') return activityText(known);
  const { status } = known;
  return [sentence(known, status, now), ...waitingParts(status)].join(', ');
}

/** How much waits, such as `3 changes waiting, 4.0 MB to send`; '' where nothing does. */
export const waitingText = (status: StatusSnapshot): string => waitingParts(status).join(', ');

function waitingParts(status: StatusSnapshot): string[] {
  const [waiting, bytes] = [changesWaiting(status), bytesToSend(status)];
  return [
    ...(waiting > 0 ? [TEXT.home.changesWait(waiting)] : []),
    ...(bytes > 0 ? [TEXT.home.bytesWait(sizeText(bytes))] : []),
  ];
}

function sentence(known: Known, status: StatusSnapshot, now: number): string {
  switch (activityOf(known)) {
    case 'slow':
      return slowText(status, now);
    case 'partly': {
      const takenOut = takenOutAlone(status);
      return takenOut === 0 ? TEXT.home.partly : TEXT.syncedBut(takenOut);
    }
    default:
      return activityText(known);
  }
}

/** Of the icon: the product with the state, the connection, and what needs a person, a line each. */
export function tooltip(known: Known, now: number): string {
  const needs = attentionText(known);
  return [
    `${TEXT.product}: ${headline(known, now)}`,
    ...(known.kind === 'running' ? [connectionText(known, now)] : whyAway(known)),
    ...(needs === '' ? [] : [`${TEXT.home.needs}: ${needs}`]),
  ].join('\n');
}

/** Why the daemon does not run, as a line of its own; empty where that is not known. */
export const whyAway = (known: Known): string[] =>
  known.kind === 'away' && known.why !== undefined ? [lineText(known.why)] : [];

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
  const { queues, fetches, unsettled } = status;
  if (changesWaiting(status) > 0 || fetches.running + unsettled.commits > 0) return 0;
  return queues.metadata.cancelled + queues.data.cancelled;
}

function slowText({ network = null }: StatusSnapshot, now: number): string {
  const name = lineText(network?.name ?? TEXT.nothing);
  if (network?.background !== 'waits') return `${TEXT.home.syncing} ${TEXT.slowOn(name)}`;
  const until = network.until ?? null;
  if (until === null) return TEXT.waitingForOther(name);
  return TEXT.waitingUntil(name, clockText(until, now));
}

function pauseText(status: StatusSnapshot, now: number): string {
  const { pausedUntil = null, pausedUntilNetworkChanges } = status;
  if (pausedUntilNetworkChanges === true) return TEXT.home.pausedUntilNetwork;
  return pausedUntil === null
    ? TEXT.home.pausedOpen
    : TEXT.home.pausedUntil(clockText(pausedUntil, now));
}
