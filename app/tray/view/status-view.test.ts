import { describe, expect, it } from '@jest/globals';
import type { NetworkStatus } from '../../../shared/control/network.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { DAEMON_STATES } from '../../../shared/model/daemon-state.ts';
import { IDLE } from '../../../test/support/fake-daemon.ts';
import { clockText } from './clock.ts';
import { STATE_SHAPES } from './state-shapes.ts';
import {
  bytesToSend,
  changesWaiting,
  headline,
  iconState,
  stateWord,
  tooltip,
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

describe('the icon of the tray', () => {
  it('has a shape of its own for each state', () => {
    expect(Object.keys(STATE_SHAPES).sort()).toEqual([...DAEMON_STATES].sort());
    expect(new Set(Object.values(STATE_SHAPES)).size).toBe(DAEMON_STATES.length);
  });

  it.each(DAEMON_STATES)('is that of the state %s, which has a name', (state) => {
    expect(iconState(running({ state }))).toBe(state);
    expect(stateWord(running({ state }))).toMatch(/^[A-Z]/);
  });

  it.each(['away', 'new', 'looking'] as const)(
    'shows no connection while the daemon is %s',
    (kind) => {
      expect(iconState({ kind })).toBe('offline');
    },
  );
});

describe('the headline of the status', () => {
  const clock = clockText('2026-01-02T14:00:00Z', NOW);
  it.each<[string, Partial<StatusSnapshot>]>([
    ['Synced', {}],
    ['Syncing, 4 changes waiting, 4.0 MB to send', { state: 'syncing', queues: WAITING }],
    ['Paused', { state: 'paused', paused: true }],
    [`Paused until ${clock}`, { state: 'paused', pausedUntil: '2026-01-02T14:00:00Z' }],
    ['Paused until the network changes', { state: 'paused', pausedUntilNetworkChanges: true }],
    ['Offline: work goes on', { state: 'offline' }],
    ['Trickling on –', { state: 'trickling', network: null }],
    ['Trickling on Train', { state: 'trickling', network: NETWORK }],
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
    [
      'no room',
      { state: 'error', errors: [error('put-aside', 'a note'), error('disk-full', 'no room')] },
    ],
    ['Needs attention', { state: 'error', errors: [] }],
  ])('is "%s" for its status', (line, change) => {
    expect(headline(running(change), NOW)).toBe(line);
    expect(tooltip(running(change), NOW)).toBe(`Godwit: ${line}`);
  });

  it('has a title that claims no more than is true', () => {
    const word = (change: Partial<StatusSnapshot>) => stateWord(running(change));
    expect(word({ state: 'syncing', queues: WAITING })).toBe('Syncing');
    expect(word({ state: 'syncing', queues: TAKEN_OUT })).toBe('Synced in part');
    expect(word({ state: 'trickling', network: NETWORK })).toBe('Trickling');
    const waits = { ...NETWORK, background: 'waits' } as const;
    expect(word({ state: 'trickling', network: waits })).toBe('Waiting');
  });

  it('reports that there is no daemon', () => {
    expect(headline({ kind: 'away' }, NOW)).toBe('The daemon does not run');
  });

  it('counts cancelled updates as not waiting', () => {
    const status = { ...IDLE, queues: WAITING, unsettled: { paths: 7, commits: 0 } };
    expect(changesWaiting(status)).toBe(11);
    expect(bytesToSend(status)).toBe(4_000_000);
    expect(bytesToSend({ queues: TAKEN_OUT })).toBe(0);
  });
});
