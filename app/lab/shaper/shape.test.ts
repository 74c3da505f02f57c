/** Properties of a direction, whatever the conditions and whenever packets come. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CLEAR, type Conditions } from './conditions.ts';
import { bytesBetween } from './rate-trace.ts';
import { shape, type Offered } from './shape.ts';

const MS = 1_000_000;
/** What arrives at the same nanosecond is in one of them, and a byte is not divided. */
const ROUNDING_BYTES = 1;

const packets: fc.Arbitrary<Offered[]> = fc
  .array(fc.tuple(fc.nat(40 * MS), fc.integer({ min: 43, max: 1514 })), { maxLength: 60 })
  .map((drawn) => {
    let atNs = 0;
    return drawn.map(([pause, bytes]) => ({ atNs: (atNs += pause), bytes }));
  });

const rate = fc
  .tuple(
    fc.integer({ min: 1000, max: 2_000_000 }),
    fc.array(fc.tuple(fc.integer({ min: 1, max: 500 }), fc.nat(2_000_000)), { maxLength: 5 }),
    fc.integer({ min: 1000, max: 2_000_000 }),
  )
  .map(([first, more, last]) => {
    let atMs = 0;
    const steps = more.map(([ms, bytesPerSecond]) => ({ atMs: (atMs += ms), bytesPerSecond }));
    return [
      { atMs: 0, bytesPerSecond: first },
      ...steps,
      { atMs: atMs + 500, bytesPerSecond: last },
    ];
  });

const conditions: fc.Arbitrary<Conditions> = fc.record({
  rate: fc.oneof(fc.constant([]), rate),
  burstBytes: fc.constantFrom(0, 1514, 3000),
  queue: fc.oneof(
    fc.record({ bytes: fc.nat(20_000) }),
    fc.record({ ms: fc.integer({ min: 0, max: 2000 }) }),
  ),
  delayMs: fc.integer({ min: 20, max: 200 }),
  jitterMs: fc.nat(20),
  loss: fc.constantFrom(0, 0.1, 0.5),
  outages: fc
    .array(fc.record({ fromMs: fc.nat(1000), ms: fc.integer({ min: 1, max: 300 }) }), {
      maxLength: 3,
    })
    .map((drawn) => drawn.map(({ fromMs, ms }) => ({ fromMs, untilMs: fromMs + ms }))),
});

const seed = fc.nat();
const arrived = (times: ReadonlyArray<number | null>): number[] =>
  times.filter((at) => at !== null);

describe('a shaped direction', () => {
  it('repeats its decisions for the same seed', () => {
    fc.assert(
      fc.property(conditions, seed, packets, (given, chance, offered) => {
        expect(shape(given, chance, offered)).toEqual(shape(given, chance, offered));
      }),
    );
  });

  it('keeps the order and the least delay', () => {
    fc.assert(
      fc.property(conditions, seed, packets, (given, chance, offered) => {
        const times = shape(given, chance, offered);
        const order = arrived(times);
        expect([...order].sort((a, b) => a - b)).toEqual(order);
        for (const [index, at] of times.entries()) {
          const took = at === null ? Infinity : at - (offered[index]?.atNs ?? 0);
          expect(took).toBeGreaterThanOrEqual((given.delayMs - given.jitterMs) * MS);
        }
      }),
    );
  });

  it('never carries more than its rate and its burst', () => {
    fc.assert(
      fc.property(conditions, seed, packets, (given, chance, offered) => {
        const plain = { ...given, jitterMs: 0, delayMs: 0 };
        fc.pre(plain.rate.length > 0);
        const found = shape(plain, chance, offered).flatMap((at, index) =>
          at === null ? [] : [{ at, bytes: offered[index]?.bytes ?? 0 }],
        );
        for (const [first, { at: from }] of found.entries()) {
          let sum = 0;
          for (const { at, bytes } of found.slice(first + 1)) {
            sum += bytes;
            const most = bytesBetween(plain.rate, from / MS, at / MS) + plain.burstBytes;
            expect(sum).toBeLessThanOrEqual(most + ROUNDING_BYTES);
          }
        }
      }),
    );
  });

  it('is never idle while packets wait', () => {
    fc.assert(
      fc.property(rate, fc.integer({ min: 1, max: 60 }), (given, count) => {
        const offered = Array.from({ length: count }, () => ({ atNs: 0, bytes: 1000 }));
        const times = arrived(shape({ ...CLEAR, rate: given, queue: { bytes: 1e8 } }, 1, offered));
        expect(times).toHaveLength(count);
        for (const [index, at] of times.entries()) {
          const could = bytesBetween(given, 0, at / MS);
          expect(Math.abs(could - (index + 1) * 1000)).toBeLessThanOrEqual(2 * ROUNDING_BYTES);
        }
      }),
    );
  });

  it('never holds more than the queue takes', () => {
    fc.assert(
      fc.property(packets, fc.integer({ min: 2000, max: 20_000 }), (offered, bytes) => {
        const slow = [{ atMs: 0, bytesPerSecond: 10_000 }];
        const times = shape({ ...CLEAR, rate: slow, queue: { bytes } }, 1, offered);
        for (const { atNs } of offered) {
          const waiting = offered.filter(
            (packet, index) => packet.atNs <= atNs && (times[index] ?? 0) > atNs,
          );
          expect(waiting.reduce((sum, packet) => sum + packet.bytes, 0)).toBeLessThanOrEqual(bytes);
        }
      }),
    );
  });

  it('drops nothing without a reason', () => {
    fc.assert(
      fc.property(conditions, packets, (given, offered) => {
        const kind = { ...given, loss: 0, outages: [], queue: { bytes: 1e8 } };
        expect(shape(kind, 1, offered)).not.toContain(null);
      }),
    );
  });

  it('loses about the requested share', () => {
    const offered = Array.from({ length: 10_000 }, (_, index) => ({ atNs: index, bytes: 100 }));
    const lost = shape({ ...CLEAR, loss: 0.01 }, 7, offered).filter((at) => at === null);
    expect(lost.length).toBeGreaterThan(60);
    expect(lost.length).toBeLessThan(140);
  });
});
