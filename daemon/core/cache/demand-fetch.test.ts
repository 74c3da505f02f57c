import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Fid } from '../../../shared/model/fid.ts';
import { instant, milliseconds, wallTime } from '../../../shared/model/time.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import { present } from '../../../shared/util/assert.ts';
import { FETCHES_IN_FLIGHT } from '../../limits.ts';
import type { ContentsFetch } from './fetch-list.ts';
import { ClientState } from '../state.ts';
import { fetchReport } from './fetch-report.ts';
import { onContentsFailed, sendPendingFetches } from './demand-fetch.ts';
import { contentsKey } from './fetches.ts';

const FID = '1.65536.2' as Fid;
const KEY = contentsKey(FID);
const CALL = 7;

const NEW = {
  ahead: false,
  isBrought: false,
  priorityClass: 'FETCH',
  request: null,
  raises: 0,
} as const;

let state: ClientState;

/** A program waits for the contents of a file, and they are on their way. */
beforeEach(() => {
  const config = {
    deviceName: 'ada',
    software: 'test',
    frontEnd: 'none',
    invitation: null,
    notConnectedWait: milliseconds(0),
    cacheBytes: 0,
    localCopies: false,
  } as const;
  state = new ClientState(config, {
    at: instant(0),
    wall: wallTime(0),
  });
  const what = { op: 'open', fid: FID, how: { mode: 'read' } } as const;
  state.waiting.begin({
    call: CALL,
    what,
    requestId: 1,
    since: instant(0),
    patient: false,
    byProgram: false,
    waitedFor: 0,
  });
  state.waiting.wait(CALL, [KEY]);
  const fetching = {
    key: KEY,
    fid: FID,
    version: null,
    into: 'cache',
    digest: null,
    unless: null,
    bytes: 0,
    ...NEW,
  } as const;
  const running: ContentsFetch = { ...fetching, state: 'queued' };
  state.cache.fetches.add(running);
  state.cache.fetches.begin(running);
});

describe('the list of fetches', () => {
  it('shows running fetches first and then waiting ones, also without a name here', () => {
    const waits = {
      ...state.cache.fetches.get(KEY),
      key: contentsKey('1.9.1' as Fid),
      fid: '1.9.1' as Fid,
    } as ContentsFetch;
    state.cache.fetches.drop(KEY);
    state.cache.fetches.add({ ...waits, into: 'caller', state: 'queued' });
    state.cache.fetches.add({ ...waits, key: KEY, fid: FID, state: 'running', bytes: 5000 });
    const entry = { volume: '1', path: null, receivedBytes: 0 };
    const first = { ...entry, demanded: true, state: 'on its way', bytes: 5000 };
    const second = { ...entry, demanded: false, state: 'waiting', bytes: null };
    expect(fetchReport(state, 9)).toEqual({ total: 2, entries: [first, second] });
    expect(fetchReport(state, 1)).toEqual({ total: 2, entries: [first] });
  });
});

describe('a fetch that the server refuses', () => {
  it.each<ErrorCode>(['try-again', 'server-full', 'server-closing', 'internal'])(
    'is tried again after %s, and its callers keep waiting',
    (code) => {
      onContentsFailed(state, 7, KEY, code, '', 0);
      expect(state.cache.fetches.get(KEY)?.state).toBe('queued');
      expect(state.delays.isHeld(KEY, instant(0))).toBe(true);
      expect(state.waiting.get(CALL)).toBeDefined();
    },
  );

  it.each<ErrorCode>(['damaged-contents', 'no-contents', 'no-right'])(
    'fails its callers after %s',
    (code) => {
      onContentsFailed(state, 7, KEY, code, '', 0);
      expect(state.cache.fetches.size).toBe(0);
      expect(state.waiting.get(CALL)).toBeUndefined();
    },
  );
});

describe('a prefetch that fails', () => {
  it.each<ErrorCode | null>([null, 'disk-failing', 'damaged-contents'])(
    'is tried again after %s for a caller who came to wait for it',
    (code) => {
      const ahead = present(state.cache.fetches.get(KEY), 'it runs');
      Object.assign(ahead, { ahead: true, priorityClass: 'PREFETCH', version: 1 });
      state.waiting.takeReady();
      onContentsFailed(state, 7, KEY, code, '', 0);
      expect(state.cache.fetches.size).toBe(0);
      expect(state.waiting.takeReady().map(({ call }) => call)).toEqual([CALL]);
    },
  );
});

it('a demand fetch goes first, also beside a full window of fetches for the folder', () => {
  Object.defineProperty(state.session, 'isUp', { value: true });
  state.cache.fetches.drop(KEY);
  state.cache.fetches.ended();
  const brings = Array.from({ length: FETCHES_IN_FLIGHT + 8 }, (_, i) =>
    contentsKey(`1.${i + 9}.1` as Fid),
  );
  const fetching = {
    fid: FID,
    version: null,
    digest: null,
    bytes: 0,
    ...NEW,
    unless: null,
    state: 'queued',
  } as const;
  for (const key of brings) state.cache.fetches.add({ ...fetching, key, into: 'caller' });
  state.waiting.wait(CALL, [...brings, KEY]);
  sendPendingFetches(state);
  expect(state.cache.fetches.running).toBe(FETCHES_IN_FLIGHT);
  state.cache.fetches.add({ ...fetching, key: KEY, into: 'cache' });
  sendPendingFetches(state);
  expect(state.cache.fetches.get(KEY)?.state).toBe('running');
  expect(state.cache.fetches.running).toBe(FETCHES_IN_FLIGHT + 1);
});
