import { describe, expect, it } from '@jest/globals';
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
const error = (code: string, message: string) => ({ code, message, remedy: 'r', path: null });

describe('the icon', () => {
  it('has a sign of its own for each state', () => {
    expect(Object.keys(STATE_SHAPES).sort()).toEqual([...DAEMON_STATES].sort());
    expect(new Set(Object.values(STATE_SHAPES)).size).toBe(DAEMON_STATES.length);
  });

  it.each(DAEMON_STATES)('is that of the state %s, which has a word', (state) => {
    expect(iconState(running({ state }))).toBe(state);
    expect(stateWord(running({ state }))).toMatch(/^[A-Z]/);
  });

  it.each(['away', 'new', 'looking'] as const)(
    'is that of no connection while it is %s',
    (kind) => {
      expect(iconState({ kind })).toBe('offline');
    },
  );
});

describe('the line', () => {
  const clock = clockText('2026-01-02T14:00:00Z', NOW);
  it.each<[string, Partial<StatusSnapshot>]>([
    ['Synced', {}],
    ['Syncing, 4 changes waiting, 4.0 MB to send', { state: 'syncing', queues: WAITING }],
    ['Paused', { state: 'paused', paused: true }],
    [`Paused until ${clock}`, { state: 'paused', pausedUntil: '2026-01-02T14:00:00Z' }],
    ['Paused until the network changes', { state: 'paused', pausedUntilNetworkChanges: true }],
    ['Offline: work goes on', { state: 'offline' }],
    ['Trickling on –', { state: 'trickling', network: null }],
    [
      'no room',
      { state: 'error', errors: [error('put-aside', 'a note'), error('disk-full', 'no room')] },
    ],
    ['Needs attention', { state: 'error', errors: [] }],
  ])('says "%s"', (line, change) => {
    expect(headline(running(change), NOW)).toBe(line);
    expect(tooltip(running(change), NOW)).toBe(`Godwit: ${line}`);
  });

  it('says that there is no daemon', () => {
    expect(headline({ kind: 'away' }, NOW)).toBe('The daemon does not run');
  });

  it('counts what a person took out of the queue as nothing that waits', () => {
    const status = { ...IDLE, queues: WAITING, unsettled: { paths: 7, commits: 0 } };
    expect(changesWaiting(status)).toBe(11);
    expect(bytesToSend(status)).toBe(4_000_000);
  });
});
