import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryDisk } from '../../app/lab/simulator/disk/memory-disk.ts';
import { MemoryStreamFiles } from '../../app/lab/simulator/store/memory-stream-files.ts';
import { SILENT } from '../../test/support/silent-log.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import { instant, wallTime } from '../../shared/model/time.ts';
import { PART_LIFETIME } from '../limits.ts';
import { Parts, type BegunBytes } from './parts.ts';

const [ADA, BOB] = ['a'.repeat(64), 'b'.repeat(64)];
const LENGTH = 100;
const [HOME, SHARED] = [1 as VolumeId, 2 as VolumeId];

let disk: MemoryDisk;
let parts: Parts;
let wall: number;
let last = 0;
let counts: Array<readonly BegunBytes[]> = [];

const clock = { now: () => instant(0), wall: () => wallTime(wall) };
const bounds = { count: 4, bytes: 100, deviceCount: 3, deviceBytes: 80 };
const digestOf = (n: number): string => String(n).padStart(64, '0');

async function opened(): Promise<Parts> {
  const made = new Parts(
    {
      files: new MemoryStreamFiles(disk, '/streams'),
      clock,
      log: SILENT,
      counted: (begun) => counts.push(begun),
    },
    bounds,
  );
  await made.open();
  return made;
}

async function offer(fingerprint: string, n: number, kept: number, volume = HOME): Promise<void> {
  const path = `/spool/${++last}`;
  disk.write(path, new Uint8Array(kept));
  wall += 1;
  await parts.offer(path, { fingerprint, volume, digest: digestOf(n), length: LENGTH, kept });
}

/** Lengths of the parts of a device, by number. */
const lengths = (fingerprint: string, ...numbers: number[]): number[] =>
  numbers.map((n) => parts.lengthOf(fingerprint, digestOf(n)));

const wanted = (fingerprint: string, n: number, kept: number) => {
  return { fingerprint, digest: digestOf(n), length: LENGTH, kept };
};

beforeEach(async () => {
  disk = new MemoryDisk();
  wall = PART_LIFETIME * 10;
  counts = [];
  parts = await opened();
});

describe('the parts of uploads', () => {
  it.each([
    [
      'a device has too many',
      [
        [ADA, 1, 5],
        [ADA, 2, 5],
        [ADA, 3, 5],
        [ADA, 4, 5],
      ],
    ],
    [
      'a device has too much',
      [
        [ADA, 1, 40],
        [ADA, 2, 41],
      ],
    ],
    [
      'there are too many',
      [
        [ADA, 1, 5],
        [ADA, 2, 5],
        [BOB, 3, 5],
        [BOB, 4, 5],
        [BOB, 5, 5],
      ],
    ],
    [
      'there is too much',
      [
        [ADA, 1, 60],
        [BOB, 2, 41],
      ],
    ],
  ] as const)('go oldest first when %s', async (_, offers) => {
    for (const [who, n, kept] of offers) await offer(who, n, kept);
    const left = offers.map(([who, n]) => parts.lengthOf(who, digestOf(n)));
    expect(left).toEqual([0, ...offers.slice(1).map(([, , kept]) => kept)]);
    expect(disk.list('/')).toEqual(parts.paths.toSorted());
  });

  it('are not kept when they are too large for their device', async () => {
    await offer(ADA, 1, 81);
    expect(disk.list('/')).toEqual([]);
  });

  it('go when they are too old, also after a restart', async () => {
    await offer(ADA, 1, 5);
    wall += PART_LIFETIME - 1;
    expect(lengths(ADA, 1)).toEqual([5]);
    parts = await opened();
    expect(lengths(ADA, 1)).toEqual([5]);
    wall += 1;
    expect(lengths(ADA, 1)).toEqual([0]);
    expect(parts.take(wanted(ADA, 1, 5))).toBeNull();
    await parts.trim();
    expect(disk.list('/')).toEqual([]);
  });

  it('count as made at the start when their clock was ahead', async () => {
    wall *= 2;
    await offer(ADA, 1, 5);
    wall /= 2;
    parts = await opened();
    wall += PART_LIFETIME;
    expect(lengths(ADA, 1)).toEqual([0]);
  });

  it('are not offered, replaced or removed while an upload resumes them', async () => {
    await offer(ADA, 1, 5);
    const part = parts.take(wanted(ADA, 1, 5));
    expect(lengths(ADA, 1)).toEqual([0]);
    expect(parts.take(wanted(ADA, 1, 5))).toBeNull();
    await offer(ADA, 1, 9);
    for (const n of [2, 3, 4]) await offer(ADA, n, 5);
    expect(await parts.clear()).toBe(3);
    if (part !== null) parts.release(part);
    expect(lengths(ADA, 1)).toEqual([5]);
  });

  it('are taken only with the right device, stream and lengths', async () => {
    await offer(ADA, 1, 5);
    const others = [wanted(BOB, 1, 5), wanted(ADA, 2, 5), wanted(ADA, 1, 4)];
    expect(others.map((each) => parts.take(each))).toEqual([null, null, null]);
    expect(parts.take({ ...wanted(ADA, 1, 5), length: LENGTH - 1 })).toBeNull();
    expect(parts.take(wanted(ADA, 1, 5))).not.toBeNull();
  });

  it('become one when two of one stream were kept before a crash', async () => {
    await offer(ADA, 1, 5);
    const before = disk.read(parts.paths[0] ?? '');
    const [path = ''] = parts.paths;
    await offer(ADA, 1, 9);
    disk.putByHand(path, before);
    parts = await opened();
    expect(lengths(ADA, 1)).toEqual([9]);
    expect(disk.list('/')).toHaveLength(1);
  });

  it('are counted by volume unless they are being resumed, also after a restart', async () => {
    await offer(ADA, 1, 5);
    await offer(BOB, 2, 20, SHARED);
    await offer(ADA, 3, 7);
    const all = [
      { volume: HOME, bytes: 12 },
      { volume: SHARED, bytes: 20 },
    ];
    expect(counts.at(-1)).toEqual(all);
    const part = parts.take(wanted(BOB, 2, 20));
    expect(counts.at(-1)).toEqual([{ volume: HOME, bytes: 12 }]);
    parts = await opened();
    expect(counts.at(-1)).toEqual(all);
    await parts.drop(ADA, digestOf(3));
    expect(counts.at(-1)?.[0]).toEqual({ volume: HOME, bytes: 5 });
    if (part !== null) parts.release(part);
    await parts.clear();
    expect(counts.at(-1)).toEqual([]);
  });

  it('give way in a volume, the oldest first, as needed and not while they are resumed', async () => {
    await offer(ADA, 1, 5);
    await offer(ADA, 2, 5);
    await offer(BOB, 3, 5);
    await offer(BOB, 4, 5, SHARED);
    parts.take(wanted(ADA, 1, 5));
    expect(await parts.giveWay(HOME, 3)).toBe(1);
    expect([...lengths(ADA, 2), ...lengths(BOB, 3, 4)]).toEqual([0, 5, 5]);
    expect(await parts.giveWay(HOME, 99)).toBe(1);
    expect(lengths(BOB, 3, 4)).toEqual([0, 5]);
    expect(disk.list('/')).toEqual(parts.paths.toSorted());
  });
});
