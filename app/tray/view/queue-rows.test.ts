import { describe, expect, it } from '@jest/globals';
import type { FetchEntry, QueueEntry } from '../../../shared/control/queue.ts';
import { IDLE } from '../../../test/support/fake-daemon.ts';
import { clockText } from './clock.ts';
import { fetchRow, queueRow, queueSummary } from './queue-rows.ts';

const NOW = Date.UTC(2026, 0, 2, 12);
const STORE: QueueEntry = {
  ...{ number: 8, volume: 'home', path: 'docs/a.txt', kind: 'store' },
  ...{ priorityClass: 'STORE_DATA', bytes: 4000, sentBytes: 1000, state: 'on its way' },
  ...{ turn: null, waitsFor: [], reason: null, until: null, seconds: 75 },
};

describe('the row of an update', () => {
  it('has its name, folder, progress and remaining time', () => {
    expect(queueRow(STORE, NOW)).toEqual({
      ...{ key: '8', name: 'a.txt', folder: 'docs', state: 'on its way', isStuck: false },
      ...{ amount: '1.0 KB of 4.0 KB', share: 0.25, left: '1 min', isOut: false },
    });
  });

  it.each<[Partial<QueueEntry>, string, boolean]>([
    [{ state: 'ready' }, 'ready', false],
    [{ state: 'ready', turn: 'now' }, 'ready, goes first', false],
    [{ state: 'ready', turn: 'later' }, 'ready, goes last', false],
    [{ state: 'waiting', waitsFor: [3, 4] }, 'waits for 2 others', false],
    [{ state: 'delayed' }, 'delayed', false],
    [
      { state: 'delayed', until: '2026-01-02T13:00:00Z' },
      `delayed until ${clockText('2026-01-02T13:00:00Z', NOW)}`,
      false,
    ],
    [{ state: 'blocked' }, 'blocked', true],
    [{ state: 'blocked', reason: 'no right' }, 'blocked: no right', true],
    [{ state: 'held back' }, 'held back: no room in the quota', true],
    [{ state: 'cancelled' }, 'not sent', true],
  ])('shows the state of %j: %s', (change, state, isStuck) => {
    expect(queueRow({ ...STORE, ...change }, NOW)).toMatchObject({ state, isStuck });
  });

  it('shows the operation and no bytes for metadata', () => {
    const rename = { ...STORE, kind: 'rename', bytes: 0, sentBytes: 0, seconds: null } as const;
    expect(queueRow(rename, NOW)).toMatchObject({ amount: 'new name', share: null, left: '' });
  });

  it('never contains characters that reverse the text', () => {
    expect(queueRow({ ...STORE, path: 'a\n/b\u202ec' }, NOW)).toMatchObject({
      ...{ folder: 'a\ufffd', name: 'b\ufffdc' },
    });
  });
});

describe('the row of a fetch', () => {
  const FETCH: FetchEntry = {
    ...{ volume: 'home', path: 'a', demanded: true, state: 'on its way' },
    ...{ bytes: 2000, receivedBytes: 500 },
  };
  it('shows for whom it is', () => {
    expect(fetchRow(FETCH, 0)).toMatchObject({ state: 'on its way, wanted now', share: 0.25 });
    const later = fetchRow({ ...FETCH, demanded: false, state: 'waiting', receivedBytes: 0 }, 1);
    expect(later).toMatchObject({ state: 'ready, for the folder', share: null, amount: '2.0 KB' });
  });
  it('can have no name and no known size', () => {
    expect(fetchRow({ ...FETCH, path: null, bytes: null }, 0)).toMatchObject({
      ...{ name: 'a file without a name here', amount: '500 B', share: null },
    });
    // Nothing has come, and nobody knows how much there is.
    expect(fetchRow({ ...FETCH, bytes: null, receivedBytes: 0 }, 0).amount).toBe('–');
  });
});

describe('the summary of a queue', () => {
  const { data } = IDLE.queues;
  const some = { ...data, updates: 1234, bytes: 9e6, sentBytes: 1e6 };
  const estimate = (seconds: number | null, why: string | null) => ({
    ...{ bytesPerSecond: null, seconds, why },
  });
  it.each([
    ['data', data, 'Nothing waits'],
    ['data', { ...some, estimate: estimate(90, null) }, '1,234 updates, 8.0 MB; 2 min left'],
    [
      'data',
      { ...some, estimate: estimate(null, 'paused') },
      '1,234 updates, 8.0 MB; no estimate: paused',
    ],
    [
      'metadata',
      { ...some, estimate: estimate(3, null) },
      '1,234 updates; less than a minute left',
    ],
    [
      'data',
      { ...some, cancelled: 2, cancelledBytes: 5e6, estimate: estimate(9, null) },
      '1,234 updates, 2 taken out, 3.0 MB; less than a minute left',
    ],
    [
      'data',
      { ...data, updates: 1, cancelled: 1, bytes: 9, cancelledBytes: 9 },
      '1 update, 1 taken out',
    ],
  ] as const)('is right for %s: %j: %s', (name, queue, text) => {
    expect(queueSummary(name, queue)).toBe(text);
  });
});
