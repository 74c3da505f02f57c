import { expect, it } from '@jest/globals';
import { milliseconds } from '../../../../shared/model/time.ts';
import { World } from '../world.ts';
import type { Packet } from './outgoing-frame.ts';
import { LOCAL_NETWORK, Pipe, type PathConditions } from './pipe.ts';

/** A line of a byte a millisecond. */
const SLOW: PathConditions = { ...LOCAL_NETWORK, bytesPerSecond: 1000, overheadBytes: 0 };

/** When each packet has left the bottleneck; each is of 100 bytes, and handed down at one of `times`. */
async function leftAt(
  burstBytes: number,
  times: readonly number[],
  changes: ReadonlyArray<{ at: number; bytesPerSecond: number }> = [],
  more: Partial<PathConditions> = {},
  packets: Packet[] = [],
): Promise<number[]> {
  const world = new World(1);
  const pipe = new Pipe(world.time, 'line', { ...SLOW, burstBytes, ...more }, world.random);
  const waiting: Packet[] = [];
  const left: number[] = [];
  pipe.join({
    label: 'a sender',
    take: () => waiting.shift() ?? null,
    left: (packet) => {
      packets.push(packet);
      left.push(world.time.now());
    },
  });
  for (const at of times) {
    world.time.at(at, 'a packet', () => {
      waiting.push({ bytes: 100 } as Packet);
      pipe.wake();
    });
  }
  for (const { at, bytesPerSecond } of changes) {
    world.time.at(at, 'the rate changes', () => pipe.set({ bytesPerSecond }));
  }
  await world.pass(milliseconds(10_000));
  return left;
}

it('the pipe takes time for each packet', async () => {
  expect(await leftAt(0, [0, 0, 1000])).toEqual([100, 200, 1100]);
});

it('the pipe sends at once what came together while it was idle, within its burst', async () => {
  expect(await leftAt(250, [0, 0, 0, 0])).toEqual([0, 0, 50, 150]);
  expect(await leftAt(250, [0, 0, 0, 300, 300, 300, 300])).toEqual([0, 0, 50, 300, 300, 350, 450]);
});

it('the pipe has a burst for the length of the pause before', async () => {
  expect(await leftAt(250, [0, 0, 0, 100])).toEqual([0, 0, 50, 150]);
  expect(await leftAt(100, [0, 30, 160])).toEqual([0, 100, 200]);
});

it('the pipe puts small messages of one moment into one datagram', async () => {
  const around = { overheadBytes: 50, packetBytes: 250, queueMs: 1000 };
  const packets: Packet[] = [];
  expect(await leftAt(0, [0, 0, 0, 700], [], around, packets)).toEqual([150, 250, 400, 850]);
  expect(packets.map(({ goesAlong }) => goesAlong)).toEqual([false, true, false, false]);
});

it('the pipe has no burst at a change of the rate while it is busy', async () => {
  expect(await leftAt(100, [0, 0, 0], [{ at: 50, bytesPerSecond: 1000 }])).toEqual([0, 100, 200]);
});

it('the pipe has no burst for a time in which nothing leaves', async () => {
  const gone = [
    { at: 50, bytesPerSecond: 0 },
    { at: 1050, bytesPerSecond: 1000 },
  ];
  expect(await leftAt(100, [0, 0, 0], gone)).toEqual([0, 1100, 1200]);
});
