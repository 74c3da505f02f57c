import { describe, expect, it } from '@jest/globals';
import { formatAddress, parseAddress, reachable } from './address.ts';

describe('an address', () => {
  it.each([
    ['files.example.org:4433', null, 'files.example.org', 4433],
    ['[::1]:5', null, '::1', 5],
    ['10.0.0.1', 4433, '10.0.0.1', 4433],
    ['[fe80::1%eth0]', 7, 'fe80::1%eth0', 7],
  ])('%s', (text, port, host, expected) => {
    const address = parseAddress(text, port);
    expect(address).toEqual({ host, port: expected });
    expect(parseAddress(formatAddress(address), null)).toEqual(address);
  });

  it.each([
    '',
    ':1',
    'host',
    'host:0',
    'host:65536',
    '::1:5',
    'a b:c',
    'a b:1',
    'a/b:1',
    '[a b]:1',
    '[::1',
  ])('%j is none', (text) => {
    expect(() => parseAddress(text, null)).toThrow(/ is no address$/);
  });

  it('of a server that listens everywhere is one that others can reach', () => {
    expect(reachable({ host: '10.1.2.3', port: 1 })).toEqual({ host: '10.1.2.3', port: 1 });
    const { host, port } = reachable({ host: '0.0.0.0', port: 1 });
    expect([host === '0.0.0.0', port]).toEqual([false, 1]);
  });
});
