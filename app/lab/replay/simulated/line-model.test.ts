/** The line model against what the relay counted in the real runs of its docstring: what follows from its constants, not how long it takes. */
import { describe, expect, it } from '@jest/globals';
import { pathOf, type LinkDirection, type LinkEnd } from './line-model.ts';

interface Counted {
  readonly kilobytes: number;
  readonly towards: LinkEnd;
  readonly contents: number;
  readonly bytes: number;
  readonly packets: number;
  readonly back: number;
}

const COUNTED: readonly Counted[] = [
  {
    ...{ kilobytes: 1024, towards: 'laptop', contents: 16_786_262 },
    ...{ bytes: 17_755_654, packets: 11_798, back: 307_003 },
  },
  {
    ...{ kilobytes: 1024, towards: 'server', contents: 16_782_272 },
    ...{ bytes: 17_867_157, packets: 11_874, back: 280_582 },
  },
  {
    ...{ kilobytes: 256, towards: 'laptop', contents: 4_196_912 },
    ...{ bytes: 4_458_943, packets: 3_010, back: 219_586 },
  },
  {
    ...{ kilobytes: 256, towards: 'server', contents: 4_196_767 },
    ...{ bytes: 4_482_346, packets: 3_017, back: 196_065 },
  },
  {
    ...{ kilobytes: 64, towards: 'laptop', contents: 4_196_904 },
    ...{ bytes: 4_534_990, packets: 3_381, back: 254_850 },
  },
  {
    ...{ kilobytes: 64, towards: 'server', contents: 4_195_568 },
    ...{ bytes: 4_535_478, packets: 3_358, back: 226_746 },
  },
];
const MOST_BYTES_OFF = 0.01;
const MOST_PACKETS_OFF = 0.06;
const MOST_BACK_OFF = 0.08;

const lineOf = (kilobytes: number, towards: LinkEnd): LinkDirection => {
  return { bytesPerSecond: kilobytes * 1024, roundTripMs: 0, queueMs: 100, towards };
};
const OTHER: Readonly<Record<LinkEnd, LinkEnd>> = { server: 'laptop', laptop: 'server' };

describe.each(COUNTED)(
  'contents towards a $towards at $kilobytes KiB/s',
  ({ kilobytes, towards, contents, ...counted }) => {
    const there = pathOf(lineOf(kilobytes, towards));
    const packets = contents / there.packetBytes;

    it('take the counted bytes and packets', () => {
      const bytes = packets * (there.packetBytes + there.overheadBytes);
      expect(Math.abs(bytes / counted.bytes - 1)).toBeLessThan(MOST_BYTES_OFF);
      expect(Math.abs(packets / counted.packets - 1)).toBeLessThan(MOST_PACKETS_OFF);
    });

    it('cause the counted bytes of acknowledgements', () => {
      const back = packets * pathOf(lineOf(kilobytes, OTHER[towards])).acknowledgementBytes;
      expect(Math.abs(back / counted.back - 1)).toBeLessThan(MOST_BACK_OFF);
    });
  },
);

it('packets fill whole frames as far as their time on the link allows', () => {
  const frames = [1024, 256, 64, 32, 8].map(
    (kilobytes) => pathOf(lineOf(kilobytes, 'laptop')).packetBytes + 82,
  );
  expect(frames).toEqual([1514, 1514, 1323, 800, 800]);
});

it('the queue before the bottleneck is the window and one packet, bounded by the link', () => {
  expect(pathOf(lineOf(64, 'laptop')).queueMs).toBeCloseTo(25 + 20.2, 0);
  expect(pathOf({ ...lineOf(64, 'laptop'), queueMs: 10 }).queueMs).toBeCloseTo(10 + 20.2, 0);
  expect(pathOf(lineOf(0, 'laptop')).queueMs).toBe(25);
});
