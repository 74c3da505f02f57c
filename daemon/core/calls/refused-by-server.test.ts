/** What becomes of a call that was sent to the server, and that the server did not carry out. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Fid } from '../../../shared/model/fid.ts';
import { instant, milliseconds, wallTime } from '../../../shared/model/time.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import { ClientState } from '../state.ts';
import { onCallRefused } from './refused-by-server.ts';

const FID = '1.65536.2' as Fid;
const CALL = 7;

let state: ClientState;

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
  state = new ClientState(config, { at: instant(0), wall: wallTime(0) });
});

const failed = (code: ErrorCode | null): void => onCallRefused(state, CALL, code, '', 'do it');

describe('the call of a request to the server', () => {
  beforeEach(() => {
    const what = { op: 'sharing', fid: FID, order: 'shared' } as const;
    state.waiting.begin({
      call: CALL,
      what,
      requestId: 1,
      since: instant(0),
      patient: false,
      byProgram: false,
      waitedFor: 0,
    });
    state.waiting.takeReady();
  });

  it.each<ErrorCode | null>([null, 'server-closing'])(
    'is repeated in the next session after %s',
    (code) => {
      failed(code);
      expect(state.waiting.takeReady()).toEqual([]);
      state.waiting.signalAll();
      expect(state.waiting.takeReady().map(({ call }) => call)).toEqual([CALL]);
    },
  );

  it.each<ErrorCode>(['no-right', 'server-full', 'bad-message'])('fails after %s', (code) => {
    failed(code);
    expect(state.waiting.get(CALL)).toBeUndefined();
  });
});
