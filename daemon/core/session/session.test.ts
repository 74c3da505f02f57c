import { beforeEach, describe, expect, it } from '@jest/globals';
import { instant } from '../../../shared/model/time.ts';
import { Session } from './session.ts';

describe('a session with the server', () => {
  let session: Session;

  beforeEach(() => {
    session = new Session(instant(0));
    session.start(instant(0));
  });

  const attempt = (at: number): void => {
    expect(session.due(instant(at))).toBe('connect');
    session.connecting(instant(at));
  };
  /** Fails and gives the time until the next attempt, without jitter. */
  const fails = (at: number, fraction = 1): number => {
    session.closed(instant(at), 'unreachable', '', fraction);
    return (session.nextWake(instant(at)) ?? 0) - at;
  };

  it('backs off with doubled delays up to half a minute', () => {
    const waits: number[] = [];
    let now = 0;
    for (let i = 0; i < 10; i++) {
      attempt(now);
      const wait = fails(now);
      waits.push(wait);
      now += wait;
    }
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('spreads its attempts over half of the delay', () => {
    attempt(0);
    expect(fails(0, 0)).toBe(125);
  });

  it('reconnects at once after a session, with the shortest delay', () => {
    attempt(0);
    fails(0);
    attempt(250);
    session.connected();
    session.helloAccepted();
    session.closed(instant(5_000), 'idle', '', 1);
    attempt(5_000);
    expect(fails(5_000)).toBe(250);
  });

  it('searches for a lost server by attempts of varied length', () => {
    attempt(0);
    session.connected();
    session.helloAccepted();
    session.closed(instant(1_000), 'idle', '', 1);
    const began: number[] = [];
    let now = 1_000;
    while (now < 20_000) {
      began.push(now);
      attempt(now);
      now = session.nextWake(instant(now + 2_000)) ?? Infinity;
      expect(session.due(instant(now))).toBe('give-up');
      session.gaveUp();
      session.closed(instant(now), 'local', '', 1);
    }
    expect(began.slice(0, 7)).toEqual([1_000, 2_000, 3_000, 4_000, 7_000, 8_000, 9_000]);
    expect(session.failure?.code).toBe('server-unreachable');
    // One that was heard has as much time as ever.
    attempt(now);
    session.connected();
    expect(session.due(instant(now + 19_999))).toBeNull();
    expect(session.due(instant(now + 20_000))).toBe('give-up');
  });

  it('tries once a second while attempts fail at once, as without a network', () => {
    attempt(0);
    session.connected();
    session.helloAccepted();
    session.closed(instant(1_000), 'idle', '', 1);
    let now = 1_000;
    for (let n = 0; n < 9; n++) {
      attempt(now);
      now += fails(now);
    }
    expect(now).toBeLessThan(10_000);
    attempt(now);
    expect(fails(now)).toBe(1000);
  });

  it('stops the search after two minutes, or when the server refuses', () => {
    attempt(0);
    session.connected();
    session.helloAccepted();
    session.closed(instant(1_000), 'idle', '', 1);
    attempt(1_000);
    expect(fails(1_010)).toBe(250);
    attempt(121_000);
    expect(session.due(instant(140_999))).toBeNull();
    expect(session.due(instant(141_000))).toBe('give-up');
    session.gaveUp();
    expect(fails(141_000)).toBe(500);
  });

  it('counts as away when an attempt failed or the first one takes too long', () => {
    expect(session.isAway(instant(1_000))).toBe(false);
    expect(session.isAway(instant(1_500))).toBe(true);
    attempt(0);
    fails(10);
    expect(session.isAway(instant(10))).toBe(true);
    attempt(300);
    session.connected();
    session.helloAccepted();
    expect(session.isAway(instant(99_999))).toBe(false);
  });

  it('closes a connection that does not complete Hello', () => {
    attempt(0);
    expect(session.due(instant(19_999))).toBeNull();
    expect(session.due(instant(20_000))).toBe('give-up');
    session.gaveUp();
    expect(session.due(instant(30_000))).toBeNull();
  });

  it.each(['not-paired', 'protocol-version'] as const)('asks again slowly after %s', (code) => {
    attempt(0);
    session.connected();
    session.refused({ code, detail: 'no' });
    session.closed(instant(0), 'local', '', 1);
    expect(session.failure).toEqual({ code, detail: 'no' });
    expect(session.isRefused).toBe(true);
    expect(session.due(instant(59_999))).toBeNull();
    expect(session.due(instant(60_000))).toBe('connect');
  });

  it.each(['incarnation-reused', 'epoch-changed', 'invitation-used'] as const)(
    'stops after %s',
    (code) => {
      attempt(0);
      session.connected();
      session.refused({ code, detail: '' });
      session.closed(instant(0), 'local', '', 1);
      expect(session.due(instant(1e9))).toBeNull();
      expect(session.isRefused).toBe(true);
    },
  );

  it('tries a new address at once, whatever came of the old one', () => {
    attempt(0);
    fails(0);
    expect(session.readdress(instant(10))).toBe(false);
    attempt(10);
    session.connected();
    // What the old address still has to say is not heard.
    expect(session.readdress(instant(20))).toBe(true);
    expect(session.due(instant(1e6))).toBeNull();
    session.refused({ code: 'device-revoked', detail: '' });
    session.closed(instant(30), 'local', '', 1);
    expect(session.failure).toBeNull();
    attempt(30);
    expect(fails(30)).toBe(250);
  });

  it('reconnects at a new address without counting as away', () => {
    attempt(0);
    session.connected();
    session.helloAccepted();
    expect(session.readdress(instant(1_000))).toBe(true);
    session.closed(instant(1_100), 'local', '', 1);
    expect(session.isAway(instant(1_100))).toBe(false);
    attempt(1_100);
  });

  it.each(['device-revoked', 'incarnation-reused'] as const)(
    'tries a new address after the final refusal %s',
    (code) => {
      attempt(0);
      session.refused({ code, detail: '' });
      session.closed(instant(0), 'local', '', 1);
      expect(session.readdress(instant(5))).toBe(false);
      attempt(5);
    },
  );

  it('reports a server with another fingerprint', () => {
    attempt(0);
    session.closed(instant(0), 'pin-mismatch', 'other', 1);
    expect(session.failure).toEqual({ code: 'wrong-fingerprint', detail: 'other' });
    expect(session.due(instant(60_000))).toBe('connect');
  });

  it('forgets its last failure when it is connected', () => {
    attempt(0);
    fails(0);
    attempt(250);
    session.connected();
    session.helloAccepted();
    expect(session.failure).toBeNull();
  });
});
