import { expect, it } from '@jest/globals';
import type { PathQueue } from '../../shared/control/queue.ts';
import { pathState, stateText, UNSTORED } from './path-state.ts';

const NOTHING: PathQueue = { updates: 0, bytes: 0, sentBytes: 0, kept: null, moving: null };
const queue = (more: Partial<PathQueue>): PathQueue => ({
  ...{ ...NOTHING, updates: 2, bytes: 200, moving: 'queued' },
  ...more,
});

it.each<[PathQueue, string]>([
  [NOTHING, 'synced'],
  [queue({}), 'queued'],
  [queue({ moving: 'sending', sentBytes: 100 }), 'sending 50 %'],
  [queue({ moving: 'delayed' }), 'delayed'],
  [queue({ kept: { state: 'held back', reason: 'no room' } }), 'held back: no room'],
  [
    queue({ kept: { state: 'cancelled', reason: 'it was taken out' } }),
    'cancelled: it was taken out',
  ],
  [
    queue({ moving: 'sending', kept: { state: 'blocked', reason: 'no right' } }),
    'blocked: no right',
  ],
])('the state of a path %j is printed as %s', (about, text) => {
  expect(stateText(pathState('committed', about))).toBe(text);
});

it('a file without contents is not called synced', () => {
  const text = (queued: PathQueue): string => stateText(pathState('committed', queued, true));
  expect(text(NOTHING)).toBe(`not synced: ${UNSTORED}`);
  expect(text(queue({}))).toBe('queued');
});

it('the state of a path in no list comes from its attributes', () => {
  expect(pathState('queued', NOTHING).state).toBe('queued');
  expect(pathState('conflict', queue({ moving: 'sending' })).state).toBe('conflict');
});
