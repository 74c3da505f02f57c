import { describe, expect, it } from '@jest/globals';
import type { NetworkStatus } from '../../../shared/control/network.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { DAEMON_STATES } from '../../../shared/model/daemon-state.ts';
import { IDLE } from '../../../test/support/fake-daemon.ts';
import { clockText } from './clock.ts';
import { ACTIVITY_SHAPES, ATTENTION_SHAPES } from './state-shapes.ts';
import {
  ACTIVITIES,
  activityOf,
  activityText,
  attentionOf,
  attentionText,
  ATTENTIONS,
  bytesToSend,
  changesWaiting,
  connectionText,
  headline,
  iconState,
  tooltip,
  waitingText,
} from './status-view.ts';

const NOW = Date.UTC(2026, 0, 2, 12);
const running = (change: Partial<StatusSnapshot>) =>
  ({ kind: 'running', status: { ...IDLE, ...change } }) as const;

const { data } = IDLE.queues;
const WAITING = {
  metadata: { ...data, updates: 2 },
  data: { ...data, updates: 3, cancelled: 1, bytes: 5_000_000, sentBytes: 1_000_000 },
};
/** Nothing but what a person has taken out. */
const TAKEN_OUT = {
  metadata: { ...data, updates: 1, cancelled: 1 },
  data: { ...data, updates: 1, cancelled: 1, bytes: 5_000_000, cancelledBytes: 5_000_000 },
};
const NETWORK: NetworkStatus = {
  ...{ name: 'Train', kind: 'wifi', metered: true, why: 'a rule', used: 0, budget: null },
  ...{ trickle: 64_000, background: 'trickles', until: null },
  waiting: { stores: 1, bytes: 1, fetches: 0 },
};
const error = (code: string, message: string) => ({ code, message, remedy: 'r', path: null });

const CONFLICT = { id: 1, when: '', path: 'doc', copy: 'doc (conflict)', kind: 'contents' };
const FULL = error('disk-full', 'no room');
const clock = clockText('2026-01-02T14:00:00Z', NOW);

describe('the signs of the icon', () => {
  it('are a shape of its own for each activity, and for what needs a person', () => {
    expect(Object.keys(ACTIVITY_SHAPES).sort()).toEqual([...ACTIVITIES].sort());
    expect(['none', ...Object.keys(ATTENTION_SHAPES)].sort()).toEqual([...ATTENTIONS].sort());
    const all = [...Object.values(ACTIVITY_SHAPES), ...Object.values(ATTENTION_SHAPES)];
    expect(new Set(all).size).toBe(all.length);
  });

  it.each(DAEMON_STATES)('exist for the state %s, which has words', (state) => {
    expect(iconState(running({ state }))).toBe(state);
    expect(ACTIVITIES).toContain(activityOf(running({ state })));
    expect(activityText(running({ state }))).toMatch(/^[A-Z]/);
  });

  it.each(['away', 'new', 'looking'] as const)(
    'show no connection while the daemon is %s',
    (kind) => {
      expect([iconState({ kind }), activityOf({ kind })]).toEqual(['offline', 'offline']);
      expect(attentionOf({ kind })).toBe('none');
    },
  );
});

describe('the two axes of the status', () => {
  it('show that the server is away beside a conflict', () => {
    const known = running({
      ...{ state: 'conflict', connected: false, offlineSince: '2026-01-02T14:00:00Z' },
      conflicts: [CONFLICT],
    });
    expect([activityOf(known), attentionOf(known)]).toEqual(['offline', 'conflict']);
    expect(connectionText(known, NOW)).toBe(`Offline since ${clock}`);
    expect(tooltip(known, NOW)).toBe(
      `Godwit: Offline\nOffline since ${clock}\nNeeds you: 1 conflict`,
    );
  });

  it.each<[string, Partial<StatusSnapshot>, string, string]>([
    ['in an error', { state: 'error', errors: [FULL] }, 'idle', 'error'],
    [
      'with removals held',
      { state: 'error', errors: [error('removals-held', '')] },
      'idle',
      'error',
    ],
    ['with a note', { errors: [error('put-aside', '')] }, 'idle', 'none'],
    [
      'in an error while it sends',
      {
        ...{ state: 'error', errors: [FULL] },
        queues: { ...WAITING, data: { ...WAITING.data, inFlight: 1 } },
      },
      ...(['syncing', 'error'] as const),
    ],
    [
      'in an error that holds back',
      { state: 'error', errors: [FULL], queues: WAITING },
      'partly',
      'error',
    ],
    ['paused with a conflict', { paused: true, conflicts: [CONFLICT] }, 'paused', 'conflict'],
    ['with both', { errors: [FULL], conflicts: [CONFLICT] }, 'idle', 'error'],
  ])('stand apart from each other %s', (_what, change, activity, attention) => {
    const known = running(change);
    expect([activityOf(known), attentionOf(known)]).toEqual([activity, attention]);
  });

  it('count what needs a person', () => {
    const known = running({ errors: [FULL], conflicts: [CONFLICT, { ...CONFLICT, id: 2 }] });
    expect(attentionText(known)).toBe('2 conflicts, 1 problem');
    expect(activityText(known)).toBe('Everything else is synced');
  });

  it.each<[string, Partial<StatusSnapshot>]>([
    ['Connected to 127.0.0.1:1', {}],
    ['Paused until you resume', { paused: true }],
    [`Paused until ${clock}`, { paused: true, pausedUntil: '2026-01-02T14:00:00Z' }],
    ['Paused until the network changes', { paused: true, pausedUntilNetworkChanges: true }],
    ['Paused until you resume; not connected', { paused: true, connected: false }],
    ['Offline', { connected: false }],
  ])('have a line for the connection: "%s"', (line, change) => {
    expect(connectionText(running(change), NOW)).toBe(line);
  });
});

describe('the headline of the status', () => {
  it.each<[string, Partial<StatusSnapshot>]>([
    ['Everything is synced', {}],
    ['Syncing, 4 changes waiting, 4.0 MB to send', { state: 'syncing', queues: WAITING }],
    ['Paused', { state: 'paused', paused: true }],
    ['Offline', { state: 'offline', connected: false }],
    ['Syncing slowly on –', { state: 'trickling', network: null }],
    ['Syncing slowly on Train', { state: 'trickling', network: NETWORK }],
    [
      'Contents wait for another network than Train',
      { state: 'trickling', network: { ...NETWORK, background: 'waits' } },
    ],
    [
      `Contents wait on Train until ${clock}: its budget is used up`,
      {
        state: 'trickling',
        network: { ...NETWORK, background: 'waits', until: Date.UTC(2026, 0, 2, 14) },
      },
    ],
    ['Synced but for 2 changes taken out of the queue', { state: 'syncing', queues: TAKEN_OUT }],
    ['Syncing', { state: 'syncing', queues: TAKEN_OUT, unsettled: { paths: 0, commits: 1 } }],
    ['Syncing', { state: 'syncing', queues: TAKEN_OUT, fetches: { ...IDLE.fetches, running: 1 } }],
  ])('is "%s" for its status', (line, change) => {
    expect(headline(running(change), NOW)).toBe(line);
    expect(tooltip(running(change), NOW).split('\n')[0]).toBe(`Godwit: ${line}`);
  });

  it('has a title that claims no more than is true', () => {
    const word = (change: Partial<StatusSnapshot>) => activityText(running(change));
    expect(word({ state: 'syncing', queues: WAITING })).toBe('Syncing');
    expect(word({ state: 'syncing', queues: TAKEN_OUT })).toBe('Synced in part');
    expect(word({ state: 'trickling', network: NETWORK })).toBe('Syncing slowly');
    const waits = { ...NETWORK, background: 'waits' } as const;
    expect(word({ state: 'trickling', network: waits })).toBe('Waiting');
  });

  it('reports that there is no daemon', () => {
    expect(headline({ kind: 'away' }, NOW)).toBe('Not running');
    expect(tooltip({ kind: 'away' }, NOW)).toBe('Godwit: Not running');
    const failed = { kind: 'away', why: '/data: the disk is full' } as const;
    expect(tooltip(failed, NOW)).toBe('Godwit: Not running\n/data: the disk is full');
  });

  it('counts cancelled updates as not waiting', () => {
    const status = { ...IDLE, queues: WAITING, unsettled: { paths: 7, commits: 0 } };
    expect(changesWaiting(status)).toBe(11);
    expect(waitingText(status)).toBe('11 changes waiting, 4.0 MB to send');
    expect(bytesToSend(status)).toBe(4_000_000);
    expect(bytesToSend({ queues: TAKEN_OUT })).toBe(0);
  });
});
