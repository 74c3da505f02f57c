import { describe, expect, it } from '@jest/globals';
import type { VolumeId } from '../../shared/model/fid.ts';
import { CallBroker } from './call-broker.ts';

describe('a call that is refused', () => {
  it('rejects with the code and without the stack of the answering side', async () => {
    const calls: number[] = [];
    const broker = new CallBroker((event) => {
      if (event.kind === 'call') calls.push(event.call);
    });
    const usual = Error.stackTraceLimit;
    const call = broker.call({ op: 'flush', volume: 1 as VolumeId, timeoutMs: null });
    broker.refuse(calls[0] ?? 0, 'not-found', 'nothing there');
    const error = await call.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'not-found', message: 'nothing there' });
    expect((error as Error).stack).not.toContain('call-broker');
    expect(Error.stackTraceLimit).toBe(usual);
  });
});
