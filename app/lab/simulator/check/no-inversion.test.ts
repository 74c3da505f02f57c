import { beforeEach, expect, it } from '@jest/globals';
import { createOf, foundBy, rowOf, storeOf } from '../../../../test/support/observations.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { PriorityClass } from '../../../../shared/model/priority-class.ts';
import { instant, milliseconds, wallTime } from '../../../../shared/model/time.ts';
import type { Update } from '../../../../shared/model/update.ts';
import { ClientState } from '../../../../daemon/core/state.ts';
import type { LoggedUpdate } from '../../../../daemon/core/log/update-log.ts';
import { BATCHES_IN_FLIGHT } from '../../../../daemon/limits.ts';
import type { Laptop } from './laptop.ts';
import { noInversion } from './no-inversion.ts';

let state: ClientState;

beforeEach(() => {
  const config = {
    ...({ deviceName: 'ada', software: 'test', frontEnd: 'none', invitation: null } as const),
    ...{ notConnectedWait: milliseconds(0), cacheBytes: 0, localCopies: false },
  };
  state = new ClientState(config, { at: instant(0), wall: wallTime(0) });
  Object.defineProperty(state.session, 'isUp', { value: true });
});

function logged(update: Update, turn = 0): LoggedUpdate {
  const { place, ancestors, above, movesDirectory, endsVnode, renumbered } = rowOf(1, update);
  const parts = { place, ancestors, above, movesDirectory, endsVnode, renumbered, rank: null };
  const queueStatus = turn === 0 ? null : { priority: turn, isCancelled: false, written: null };
  return state.log.append({ update, content: null, queueStatus, ...parts });
}

function sends(priorityClass: PriorityClass): Promise<string[]> {
  const client = { name: 'ada', daemon: { inside: state } } as unknown as Laptop;
  return foundBy(noInversion, [{ kind: 'sending', client, priorityClass }]);
}

it('the checker finds contents that are sent while metadata could be', async () => {
  logged(createOf('doc'));
  expect(await sends('STORE_DATA')).toEqual([
    expect.stringMatching(/^ada sends something in class STORE_DATA while update 1 \(create /),
  ]);
  expect(await sends('STORE_ATTR')).toEqual([]);
});

it('the checker finds a delayed store that was expedited or that a reader waits for', async () => {
  const store = logged(storeOf(1, 'a'));
  expect(await sends('STORE_DATA')).toEqual([]);
  store.expedited = true;
  store.queueStatus = { priority: -1, isCancelled: false, written: null };
  expect(await sends('STORE_ATTR')).toHaveLength(1);
  store.expedited = false;
  expect(await sends('STORE_DATA')).toHaveLength(1);
  expect(await sends('STORE_ATTR')).toEqual([]);
});

it('the checker finds a program that waits for contents behind others', async () => {
  const key = { kind: 'contents', fid: '1.1.2' as Fid } as const;
  const fetching = { key, fid: '1.1.2', version: null, digest: null, bytes: 0 } as const;
  state.cache.fetches.add({ ...fetching, state: 'queued', into: 'cache' } as never);
  expect(await sends('STORE_DATA')).toEqual([]);
  const what = { op: 'getattr', fid: '1.1.2' } as never;
  state.waiting.begin({
    call: 1,
    what,
    requestId: 1,
    since: instant(0),
    patient: true,
    byProgram: true,
    waitedFor: 0,
  });
  state.waiting.wait(1, [key]);
  expect(await sends('STORE_DATA')).toHaveLength(1);
  expect(await sends('FETCH')).toEqual([]);
});

const fillWindow = (): void => {
  for (let sent = 0; sent < BATCHES_IN_FLIGHT; sent += 1) state.queue.batchSent();
};

it.each<[string, () => void]>([
  ['something is in its way', () => logged(storeOf(0, 'a')).waitsFor.add(1 as never)],
  ['its window is full', fillWindow],
  ['it failed a moment ago', () => state.delays.failed({ kind: 'batch' }, instant(0), 1)],
  ['everything is paused', () => state.session.pause(true)],
  ['the log goes in order', () => state.queue.use({ ...state.queue.settings, policy: 'logging' })],
])('the checker accepts a lower class when %s', async (_, but) => {
  but();
  if (state.log.unanswered === 0) logged(createOf('doc'));
  expect(await sends('PREFETCH')).toEqual([]);
});
