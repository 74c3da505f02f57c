import { beforeEach, describe, expect, it } from '@jest/globals';
import type { GrantNumber } from '../../../shared/model/callback-promise.ts';
import { makeFid, type VolumeId } from '../../../shared/model/fid.ts';
import { instant, seconds } from '../../../shared/model/time.ts';
import { commitNumber } from '../../../shared/model/vnode.ts';
import { CallbackPromises } from './callback-promise.ts';

const FID = makeFid(1, 2, 3);
const OTHER = makeFid(1, 4, 3);
const VOLUME = 1 as VolumeId;
const LEASE = seconds(30);
const grant = (value: number): GrantNumber => value as GrantNumber;

describe('callback promises of a client', () => {
  let promises: CallbackPromises;

  beforeEach(() => {
    promises = new CallbackPromises();
  });

  /** A request that was sent at `sent` and is answered now; its grants are offered by `reply`. */
  function asked(request: number, sent: number, reply: () => void = () => undefined): void {
    promises.sent(request, instant(sent));
    promises.answered(request, LEASE, instant(sent));
    reply();
    promises.ended(request);
  }

  it('are usable under a lease and only for their vnode', () => {
    asked(1, 0, () => promises.granted(FID, grant(1), 1));
    expect([promises.usable(FID), promises.usable(OTHER)]).toEqual([true, false]);
  });

  it('include everything in their volume', () => {
    asked(1, 0, () => promises.grantedVolume(VOLUME, grant(1), commitNumber(7)));
    promises.caughtUp(VOLUME, commitNumber(7));
    expect(promises.usable(FID)).toBe(true);
    expect(promises.usable(makeFid(2, 2, 3))).toBe(false);
  });

  it('do not count for a volume before the cache has reached their commit', () => {
    asked(1, 0, () => promises.grantedVolume(VOLUME, grant(1), commitNumber(7)));
    promises.caughtUp(VOLUME, commitNumber(6));
    expect([promises.holdsVolume(VOLUME), promises.isBehind(VOLUME)]).toEqual([true, true]);
    expect(promises.usable(FID)).toBe(false);
    promises.broken({ subject: { volume: VOLUME }, upTo: grant(1) });
    promises.caughtUp(VOLUME, commitNumber(7));
    expect([promises.usable(FID), promises.isBehind(VOLUME)]).toEqual([false, false]);
  });

  it('are usable until the lease ends, counted from the request (P1)', () => {
    promises.sent(1, instant(1_000));
    // The answer comes late: nothing of that time counts.
    promises.answered(1, LEASE, instant(20_000));
    promises.granted(FID, grant(1), 1);
    expect(promises.leaseEnd).toBe(31_000);
    expect(promises.expire(instant(30_999))).toBe(false);
    expect(promises.usable(FID)).toBe(true);
    expect(promises.expire(instant(31_000))).toBe(true);
    expect(promises.usable(FID)).toBe(false);
  });

  it('are not accepted with an answer after the lease of its request', () => {
    promises.sent(1, instant(1_000));
    promises.answered(1, LEASE, instant(31_000));
    promises.granted(FID, grant(1), 1);
    expect([promises.leaseEnd, promises.usable(FID)]).toEqual([null, false]);
    expect(promises.confirmedSince(FID, 0)).toBe(true);
  });

  it('stay usable when an older request is answered late', () => {
    promises.sent(1, instant(1_000));
    asked(2, 40_000, () => promises.granted(FID, grant(1), 2));
    promises.answered(1, LEASE, instant(41_000));
    expect([promises.leaseEnd, promises.usable(FID)]).toEqual([70_000, true]);
  });

  it('do not return with a lease that is renewed too late', () => {
    asked(1, 0, () => promises.granted(FID, grant(1), 1));
    promises.expire(instant(30_000));
    asked(2, 30_001);
    expect(promises.usable(FID)).toBe(false);
  });

  it('last as long as any traffic renews the lease', () => {
    asked(1, 0, () => promises.granted(FID, grant(1), 1));
    asked(2, 20_000);
    expect(promises.expire(instant(45_000))).toBe(false);
    expect(promises.usable(FID)).toBe(true);
  });

  it('end with a break up to their number and not with an older one', () => {
    asked(1, 0, () => promises.granted(FID, grant(5), 1));
    promises.broken({ subject: { fid: FID }, upTo: grant(4) });
    expect(promises.usable(FID)).toBe(true);
    promises.broken({ subject: { fid: FID }, upTo: grant(5) });
    expect(promises.usable(FID)).toBe(false);
  });

  it('are not accepted when a break overtook their answer (P2)', () => {
    promises.sent(1, instant(0));
    promises.broken({ subject: { fid: FID }, upTo: grant(7) });
    promises.answered(1, LEASE, instant(20));
    promises.granted(FID, grant(7), 1);
    expect(promises.usable(FID)).toBe(false);
    // The next one is of a later request, with a later number.
    promises.granted(FID, grant(8), 1);
    expect(promises.usable(FID)).toBe(true);
  });

  it('are checked against a break as long as a request from before it is open', () => {
    promises.sent(1, instant(0));
    promises.broken({ subject: { fid: FID }, upTo: grant(7) });
    promises.sent(2, instant(10));
    promises.answered(2, LEASE, instant(20));
    promises.ended(2);
    promises.answered(1, LEASE, instant(20));
    promises.granted(FID, grant(6), 1);
    expect(promises.usable(FID)).toBe(false);
    promises.ended(1);
    // Nobody can bring a grant that old any more; what comes now is judged by itself.
    asked(3, 20, () => promises.granted(FID, grant(9), 3));
    expect(promises.usable(FID)).toBe(true);
  });

  it('end for vnodes with a break of their volume', () => {
    asked(1, 0, () => promises.granted(FID, grant(3), 1));
    promises.broken({ subject: { volume: VOLUME }, upTo: grant(3) });
    expect(promises.usable(FID)).toBe(false);
  });

  it('end with their connection', () => {
    asked(1, 0, () => {
      promises.granted(FID, grant(1), 1);
      promises.grantedVolume(VOLUME, grant(1), commitNumber(0));
    });
    promises.reset();
    expect([promises.usable(FID), promises.holdsVolume(VOLUME)]).toEqual([false, false]);
  });

  it('report whether a request after a call found things as they are cached', () => {
    asked(5, 0, () => promises.granted(FID, null, 5));
    expect(promises.usable(FID)).toBe(false);
    expect(promises.confirmedSince(FID, 4)).toBe(true);
    expect(promises.confirmedSince(FID, 5)).toBe(false);
  });
});
