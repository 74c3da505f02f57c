import { expect, it } from '@jest/globals';
import { segmentsIn } from './tcp-frames.ts';

it('the received TCP segments are read from /proc', () => {
  const tcp = 'Tcp: MaxConn InSegs OutSegs\nTcp: -1 42 17\n';
  expect(segmentsIn(`Ip: Forwarding InReceives\nIp: 2 99\n${tcp}Udp: InDatagrams\nUdp: 3\n`)).toBe(
    42,
  );
});

it.each(['', 'Tcp: MaxConn OutSegs\nTcp: -1 17\n'])(
  'the received TCP segments are not guessed from %j',
  (text) => {
    expect(() => segmentsIn(text)).toThrow(/InSegs/);
  },
);
