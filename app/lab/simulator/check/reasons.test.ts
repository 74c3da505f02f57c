import { expect, it } from '@jest/globals';
import type { StatusSnapshot } from '../../../../shared/control/snapshot.ts';
import { IDLE } from '../../../../test/support/fake-daemon.ts';
import {
  fakeLaptop,
  foundBy,
  logged,
  rowOf,
  storeOf,
} from '../../../../test/support/observations.ts';
import { fault, reasons } from './reasons.ts';

const WAITS = { path: 'a', reason: 'it is being written' };
const QUEUED = { ...IDLE.queues, data: { ...IDLE.queues.data, updates: 1 } };
const WRONG = { code: 'disk-full', message: 'the disk is full', remedy: 'make room', path: null };

it.each<[string, Partial<StatusSnapshot>, RegExp | null]>([
  ['all is synced', {}, null],
  ['synced while something waits', { waiting: [WAITS] }, /says that all is synced, and lists 1/],
  ['syncing with a reason', { state: 'syncing', waiting: [WAITS] }, null],
  ['syncing without a reason', { state: 'syncing' }, /is syncing, and nothing/],
  ['a row without words', { state: 'syncing', waiting: [{ path: 'a', reason: ' ' }] }, /lists a/],
  ['a queue without a row', { state: 'offline', connected: false, queues: QUEUED }, /counts 1/],
  ['commits without a row', { unsettled: { paths: 0, commits: 2 } }, /counts 2/],
  ['offline though it is connected', { state: 'offline' }, /is offline, and nothing/],
  ['the state conflict without a conflict', { state: 'conflict' }, /is conflict, and nothing/],
  ['an error', { state: 'error', errors: [WRONG] }, null],
  [
    'an error by a note',
    { state: 'error', errors: [{ ...WRONG, code: 'special-file' }] },
    /is error/,
  ],
  [
    'an error without a remedy',
    { errors: [{ ...WRONG, remedy: '' }] },
    /shows the error disk-full/,
  ],
])('the checker judges a status: %s', (_, change, found) => {
  const said = fault({ ...IDLE, waiting: [], ...change });
  if (found === null) expect(said).toBeNull();
  else expect(said).toMatch(found);
});

it('the checker looks at each revision once and reports the same finding once', async () => {
  const laptop = fakeLaptop();
  Object.assign(laptop.status, { ...IDLE, state: 'syncing', waiting: [] });
  const store = logged(laptop.client, rowOf(1, storeOf(1, 'a')));
  expect(await foundBy(reasons, [store, store])).toEqual([
    'ada is syncing, and nothing in its status is the reason',
  ]);
});

it('the checker finds an update that waits for ever', async () => {
  const laptop = fakeLaptop();
  const cluster = { pass: () => Promise.resolve(), clients: [laptop.client] };
  Object.assign(laptop.status, { ...IDLE, state: 'syncing', waiting: [WAITS] });
  expect(await foundBy(reasons, [], cluster)).toEqual([
    'ada has settled, is syncing, and waits for ever: it is being written',
  ]);
  Object.assign(laptop.status, { state: 'error', errors: [WRONG] });
  expect(await foundBy(reasons, [], cluster)).toEqual([]);
});
