import { expect, it } from '@jest/globals';
import { pathQueueOf, type PathEntry } from './path-queue.ts';

const entry = (state: PathEntry['state'], more: Partial<PathEntry> = {}): PathEntry => ({
  ...{ kind: 'store', bytes: 200, sentBytes: 0, state, reason: null },
  ...more,
});
const sending = entry('on its way', { sentBytes: 100 });
const ready = entry('ready');
const late = entry('delayed');
const full = entry('held back', { reason: 'no room' });
const out = entry('cancelled', { reason: 'it was taken out of the queue' });
const blocked = entry('blocked', { reason: 'no right' });

it.each([
  ['a store that is sent', [ready, sending], 'sending', null],
  ['names that are sent', [entry('on its way', { kind: 'create' })], 'queued', null],
  ['a waiting update', [ready, entry('waiting')], 'queued', null],
  ['a delayed update', [ready, late], 'delayed', null],
  ['the gravest of its held updates', [out, full, blocked, sending], 'sending', 'blocked'],
  ['the first of equally grave ones', [out, full, entry('held back')], 'queued', 'held back'],
  ['nothing', [], null, null],
] as const)('the queue of a path reports %s', (_, entries, moving, kept) => {
  const queue = pathQueueOf(entries);
  expect([queue.moving, queue.kept?.state ?? null]).toEqual([moving, kept]);
  expect(queue.updates).toBe(entries.length);
  expect(queue.bytes).toBe(200 * entries.length);
});

it('the queue of a path has the reason of its first update and the sent bytes of all', () => {
  expect(pathQueueOf([full, out]).kept?.reason).toBe('no room');
  expect(pathQueueOf([sending, sending, ready])).toMatchObject({ bytes: 600, sentBytes: 200 });
});
