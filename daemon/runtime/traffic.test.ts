/** The rates of a link as they are told: all of it is never less than its parts. */
import { expect, it } from '@jest/globals';
import { instant } from '../../shared/model/time.ts';
import type { ConnectionStatistics } from '../../shared/ports/transport.ts';
import { Traffic } from './traffic.ts';

/** What was received of datagrams until then. */
const until = (receivedBytes: number): ConnectionStatistics => ({
  ...{ rttMs: 40, baseRttMs: 40, sentBytes: 0, receivedBytes, minRttMs: 40 },
  ...{ bulkBytesPerSecond: null, bytesInFlight: 0, congestionWindow: 0, lostPackets: 0 },
});

it('the rate of a class that has just begun is in the sum, which looks further back', () => {
  const traffic = new Traffic();
  for (let at = 0; at < 5000; at += 250) traffic.statistics(until(100 + at), instant(at));
  traffic.moved('down', 'FETCH', 200_000, instant(4500));
  traffic.statistics(until(205_000), instant(5000));
  const { classes, down } = traffic.rates(instant(5200));
  expect(classes.FETCH.down).toBe(200_000);
  expect(down).toBe(200_000);
});

it('traffic without a class is in the sum of a quiet link', () => {
  const traffic = new Traffic();
  traffic.statistics(until(0), instant(10_000));
  traffic.statistics(until(50_000), instant(11_000));
  expect(traffic.rates(instant(11_000)).down).toBe(50_000);
});
