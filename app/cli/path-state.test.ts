import { expect, it } from '@jest/globals';
import type { QueueEntry } from '../../shared/control/queue.ts';
import { pathState, stateText } from './path-state.ts';

const entry = (path: string, state: QueueEntry['state'], more: Partial<QueueEntry> = {}) => ({
  ...{ number: 1, volume: 'home', path, kind: 'store' as const, state },
  ...{ priorityClass: 'STORE_DATA' as const, bytes: 200, sentBytes: 0, turn: null },
  ...{ waitsFor: [], reason: null, until: null, seconds: null },
  ...more,
});
const QUEUE: QueueEntry[] = [
  entry('docs/big', 'on its way', { sentBytes: 100 }),
  entry('docs/ready', 'ready'),
  entry('late', 'delayed'),
  entry('full', 'held back', { reason: 'no room' }),
  entry('out', 'cancelled', { reason: 'it was taken out of the queue' }),
  entry('other', 'ready', { volume: 'other' }),
];

it.each([
  ['docs/big', 'sending 50 %'],
  ['docs/ready', 'queued'],
  ['docs', 'sending 25 %'],
  ['doc', 'synced'],
  ['late', 'delayed'],
  ['full', 'held back: no room'],
  ['out', 'cancelled: it was taken out of the queue'],
  ['other', 'synced'],
  ['', 'held back: no room'],
])('%s is %s', (path, text) => {
  expect(stateText(pathState('committed', QUEUE, 'home', path))).toBe(text);
});

it('knows of what is in no list', () => {
  expect(pathState('queued', [], 'home', 'a').state).toBe('queued');
  expect(pathState('conflict', QUEUE, 'home', 'docs/big').state).toBe('conflict');
});
