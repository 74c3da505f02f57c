import { describe, expect, it } from '@jest/globals';
import { formatHostPort } from '../model/host-port.ts';
import { parseAddress, parseHostPort } from './addresses.ts';

describe('the address to listen on', () => {
  it.each([
    ['0.0.0.0:4433', '0.0.0.0', 4433],
    [':0', 'any', 0],
    ['4433', 'any', 4433],
    ['[::1]:1', '::1', 1],
    ['laptop.local:1', 'laptop.local', 1],
  ])('is parsed from %s', (text, host, port) => {
    expect(parseHostPort(text, 'any')).toEqual({ host, port });
  });

  it.each(['', 'host', 'host:', 'host:x', 'host:65536', '::1:5', 'a b:1'])(
    'is refused when it is %j',
    (text) => {
      expect(() => parseHostPort(text, 'any')).toThrow(
        expect.objectContaining({ code: 'bad-address' }),
      );
    },
  );

  it('is printed with brackets when it needs them', () => {
    expect(formatHostPort({ host: '::1', port: 2 })).toBe('[::1]:2');
    expect(formatHostPort({ host: '127.0.0.1', port: 2 })).toBe('127.0.0.1:2');
  });
});

describe('the address of a server', () => {
  it.each([
    ['files.example.org:4433', null, 'files.example.org', 4433],
    ['[::1]:5', null, '::1', 5],
    ['10.0.0.1', 4433, '10.0.0.1', 4433],
    ['[fe80::1%eth0]', 7, 'fe80::1%eth0', 7],
  ])('is parsed from %s', (text, port, host, expected) => {
    const address = parseAddress(text, port);
    expect(address).toEqual({ host, port: expected });
    expect(parseAddress(formatHostPort(address), null)).toEqual(address);
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
    `${'x'.repeat(256)}:1`,
  ])('is refused when it is %j', (text) => {
    expect(() => parseAddress(text, null)).toThrow(/: no address of a server$/);
  });
});
