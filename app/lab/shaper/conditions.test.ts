import { expect, it } from '@jest/globals';
import { checkConditions, CLEAR, type Conditions } from './conditions.ts';

const rate = [{ atMs: 0, bytesPerSecond: 1000 }];

it.each<Partial<Conditions>>([
  {},
  { rate, burstBytes: 3000, queue: { bytes: 0 } },
  { rate: [...rate, { atMs: 5, bytesPerSecond: 0 }], queue: { ms: 1000 } },
  { delayMs: 20, jitterMs: 20, loss: 1, outages: [{ fromMs: 0, untilMs: 0.5 }] },
])('the link conditions %j are accepted', (change) => {
  const conditions = { ...CLEAR, ...change };
  expect(checkConditions(conditions)).toBe(conditions);
});

it.each<[Partial<Conditions>, RegExp]>([
  [{ rate: [{ atMs: 1, bytesPerSecond: 5 }] }, /not at 0/],
  [{ rate: [{ atMs: 0, bytesPerSecond: 0 }] }, /0 for ever/],
  [{ rate: [...rate, { atMs: 0, bytesPerSecond: 5 }] }, /order/],
  [{ rate: [{ atMs: 0, bytesPerSecond: -1 }] }, /rate -1/],
  [{ rate: [{ atMs: 0, bytesPerSecond: NaN }] }, /rate NaN/],
  [{ burstBytes: -1 }, /burst/],
  [{ queue: { bytes: 1e12 } }, /queue/],
  [{ queue: { ms: -1 } }, /queue/],
  [{ delayMs: 60_001 }, /delay/],
  [{ delayMs: 5, jitterMs: 6 }, /jitter is more/],
  [{ loss: 1.01 }, /loss/],
  [{ outages: [{ fromMs: 5, untilMs: 5 }] }, /ends before/],
  [{ outages: [{ fromMs: -1, untilMs: 5 }] }, /begin of an outage/],
])('the link conditions %j are refused', (change, message) => {
  expect(() => checkConditions({ ...CLEAR, ...change })).toThrow(message);
});
