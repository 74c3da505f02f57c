import { expect, it } from '@jest/globals';
import { pathQueueOf } from '../../shared/control/path-queue.ts';
import type { PathQueue, QueueEntry } from '../../shared/control/queue.ts';
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

/** As the daemon finds them. */
const queueAt = (at: string): PathQueue =>
  pathQueueOf(
    QUEUE.filter(
      ({ volume, path }) =>
        volume === 'home' && (at === '' || path === at || path.startsWith(`${at}/`)),
    ),
  );

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
  expect(stateText(pathState('committed', queueAt(path)))).toBe(text);
});

it('knows of what is in no list', () => {
  expect(pathState('queued', pathQueueOf([])).state).toBe('queued');
  expect(pathState('conflict', queueAt('docs/big')).state).toBe('conflict');
});
