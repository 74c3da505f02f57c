/**
 * Real processes: what an edit of a large file costs on the line, and that nothing of the way is left behind. It is counted where it
 * passes, datagram by datagram, with the headers of IP and UDP: whatever the programs say of it themselves.
 */
import { createCipheriv } from 'node:crypto';
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parseHostPort } from '../../shared/control/addresses.ts';
import type { DirectionStatistics } from '../../app/lab/shaper/statistics.ts';
import { UdpRelay } from '../../app/lab/shaper/udp-relay.ts';
import { TwoLaptops } from '../support/two-laptops.ts';

const SIZE = 10 * 1024 * 1024;
/** The most bytes that an edit may cost in each direction, including the keep-alive of the connection. */
const MOST_BYTES = 8 * 1024;

/** The headers of IPv4 and UDP. */
const HEADER_BYTES = 28;

const bench = new TwoLaptops();
const { a, b } = bench;
/** The relays of a and of b. */
const lines: UdpRelay[] = [];

beforeAll(() =>
  bench.begin(async (address) => {
    const line = await UdpRelay.open({ to: parseHostPort(address, '127.0.0.1') });
    lines.push(line);
    return line.address;
  }),
);
afterAll(async () => {
  await bench.close();
  for (const line of lines) line.close();
});

/** Random bytes, equal in each run, since the boundaries of chunks and so the cost of an edit depend on them. */
function noise(length: number, kind: number): Buffer {
  return createCipheriv('aes-128-ctr', Buffer.alloc(16, kind), Buffer.alloc(16)).update(
    Buffer.alloc(length),
  );
}

/** Overwrites a hundred bytes in the middle, as a database would. */
function edit(folder: string, kind: number): void {
  const file = openSync(join(folder, 'big'), 'r+');
  writeSync(file, noise(100, kind), 0, 100, SIZE / 2);
  closeSync(file);
}

const contentsOf = ({ folder }: { folder: string }): Buffer => readFileSync(join(folder, 'big'));

interface Passed {
  readonly up: number;
  readonly down: number;
}

/** The bytes on the network of each laptop, when nothing more is being sent. */
async function passed(): Promise<Passed[]> {
  await bench.flush(a, b);
  await bench.flush(b, a);
  return lines.map((line) => {
    const { up, down } = line.statistics();
    const bytes = ({ offered }: DirectionStatistics): number =>
      offered.payload + HEADER_BYTES * offered.packets;
    return { up: bytes(up), down: bytes(down) };
  });
}

/** The bytes that a change costs. */
async function costOf(change: () => void): Promise<Passed[]> {
  const before = await passed();
  change();
  const after = await passed();
  return after.map(({ up, down }, i) => ({
    up: up - (before[i]?.up ?? 0),
    down: down - (before[i]?.down ?? 0),
  }));
}

/**
 * The least that edits of one kind made pass, for each laptop and direction. The first that costs little enough is enough: a machine that
 * stalls makes QUIC send again what was not lost, and that is of the machine, not of the edit.
 */
async function leastOf(changes: readonly (() => void)[]): Promise<Passed[]> {
  const least = lines.map(() => ({ up: Infinity, down: Infinity }));
  for (const change of changes) {
    const cost = await costOf(change);
    for (const [i, one] of least.entries()) {
      one.up = Math.min(one.up, cost[i]?.up ?? Infinity);
      one.down = Math.min(one.down, cost[i]?.down ?? Infinity);
    }
    if (least.every(({ up, down }) => Math.max(up, down) < MOST_BYTES)) break;
  }
  return least;
}

it('an edit of a hundred bytes in ten megabytes transfers little in both directions', async () => {
  const [whole, fetched] = await costOf(() => writeFileSync(join(a.folder, 'big'), noise(SIZE, 1)));
  expect(whole?.up).toBeGreaterThan(SIZE);
  expect(fetched?.down).toBeGreaterThan(SIZE);
  const passing = await leastOf([2, 4, 6].map((kind) => () => edit(a.folder, kind)));
  expect(contentsOf(b).equals(contentsOf(a))).toBe(true);
  expect(passing).toHaveLength(2);
  for (const { up, down } of passing) {
    expect(up).toBeLessThan(MOST_BYTES);
    expect(down).toBeLessThan(MOST_BYTES);
  }
  for (const { data } of [a, b]) expect(readdirSync(join(data, 'transfers', 'made'))).toEqual([]);
});

it('an edit on the laptop that downloaded the file transfers little in both directions', async () => {
  const [followed, edited] = await leastOf([3, 5, 7].map((kind) => () => edit(b.folder, kind)));
  expect(contentsOf(b).equals(contentsOf(a))).toBe(true);
  expect(edited?.up).toBeLessThan(MOST_BYTES);
  expect(followed?.down).toBeLessThan(MOST_BYTES);
});
