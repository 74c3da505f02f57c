import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesBetween, parseRate, parseRateTrace } from './rate-trace.ts';

describe('a rate in an argument', () => {
  it.each([
    ['65536B/s', 65_536],
    ['64KiB/s', 65_536],
    ['256KB/s', 256_000],
    ['256kB/s', 256_000],
    ['12.5MB/s', 12_500_000],
    ['1GiB/s', 1_073_741_824],
    ['100Mbit/s', 12_500_000],
    ['9600bit/s', 1200],
    ['0B/s', 0],
  ])('is read from %s as %d bytes a second', (text, rate) => {
    expect(parseRate(text)).toBe(rate);
  });

  it.each([
    '',
    '5',
    '5/s',
    '-1B/s',
    '1iB/s',
    '1Kb/s',
    '1 MB/s',
    '1TB/s',
    '1e3B/s',
    '2GB/s',
    '.5B/s',
  ])('is refused when it is "%s"', (text) => {
    expect(() => parseRate(text)).toThrow(/not a rate|is possible/);
  });
});

describe('a rate trace', () => {
  it('has a step in each line, with comments and empty lines', () => {
    const text = '# a train\r\n0,750KB/s\r\n\n 12.5 , 0B/s \n20,64KiB/s';
    expect(parseRateTrace(text)).toEqual([
      { atMs: 0, bytesPerSecond: 750_000 },
      { atMs: 12_500, bytesPerSecond: 0 },
      { atMs: 20_000, bytesPerSecond: 65_536 },
    ]);
  });

  it.each([
    ['', /^no step/],
    ['# nothing\n', /^no step/],
    ['1,5KB/s', /^line 1: the first step is at 0$/],
    ['0,5KB/s\n\n3,5KB/s\n3,6KB/s', /^line 4: its time is not after the one before$/],
    ['0,5KB/s\n2;6KB/s', /^line 2: not a step/],
    ['0,5KB/s,7KB/s', /^line 1: 5KB\/s,7KB\/s: not a rate/],
    ['0,5KB/s\n1,5', /^line 2: 5: not a rate/],
    ['0,5KB/s\n-1,5KB/s', /^line 2: not a step/],
    ['0,5KB/s\n99999999,5KB/s', /^line 2: not a step/],
    ['0,0B/s\n5,0B/s', /^the rate is 0 for ever/],
  ])('is refused when it is %j', (text, message) => {
    expect(() => parseRateTrace(text)).toThrow(message);
  });

  it('is read back as it was written', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 9_999 }), fc.nat(1e9)), {
      minLength: 1,
    });
    fc.assert(
      fc.property(steps, (drawn) => {
        let atMs = 0;
        const trace = drawn.map(([ms, bytesPerSecond], index) => {
          atMs += index === 0 ? 0 : ms;
          return { atMs, bytesPerSecond: bytesPerSecond + 1 };
        });
        const text = trace.map((step) => `${step.atMs / 1000},${step.bytesPerSecond}B/s`);
        expect(parseRateTrace(text.join('\n'))).toEqual(trace);
      }),
    );
  });

  it('admits a number of bytes between two moments', () => {
    const trace = parseRateTrace('0,1KB/s\n1,0B/s\n3,500B/s');
    expect(bytesBetween(trace, 0, 4000)).toBe(1500);
    expect(bytesBetween(trace, 500, 1500)).toBe(500);
    expect(bytesBetween(trace, 1000, 3000)).toBe(0);
    expect(bytesBetween(trace, 9000, 10_000)).toBe(500);
  });
});
