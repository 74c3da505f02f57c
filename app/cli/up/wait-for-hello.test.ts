/** What `up` makes of a daemon that does not get through to its server. */
import { describe, expect, it } from '@jest/globals';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { GodwitError, type ErrorCode } from '../../../shared/wire/error-codes.ts';
import { goesOnOffline, helloError, isRefusal, notPaired, offlineText } from './wait-for-hello.ts';

const told = (code: string): StatusSnapshot =>
  ({
    server: { address: 'files.example.org:4433' },
    errors: [{ code, message: `it said ${code}`, remedy: '', path: null }],
  }) as unknown as StatusSnapshot;

describe('a server with a full disk', () => {
  it('has answered the hello, and the command gives that answer', () => {
    expect(helloError(told('server-full'))?.code).toBe('server-full');
    expect(offlineText(told('server-full'))).toBe(
      'not connected to files.example.org:4433: it said server-full',
    );
  });

  it('is no reason to end the daemon of a laptop that is paired', () => {
    expect(goesOnOffline(new GodwitError('server-full'))).toBe(true);
    expect(goesOnOffline(new GodwitError('device-revoked'))).toBe(false);
    expect(goesOnOffline(null)).toBe(false);
  });

  it('keeps the invitation good, and what to do names the server', () => {
    const error = notPaired(new GodwitError('server-full'));
    expect(isRefusal(error)).toBe(false);
    expect(error.remedy).toMatch(/^free space on the server, and give the command again/);
  });
});

it.each([
  ['server-unreachable', 'offline: files.example.org:4433 is away'],
  ['disk-full', 'offline: files.example.org:4433 is away'],
  ['wrong-fingerprint', 'not connected to files.example.org:4433: it said wrong-fingerprint'],
] satisfies Array<[ErrorCode, string]>)('the command gives %s as "%s"', (code, text) => {
  expect(offlineText(told(code))).toBe(text);
});
