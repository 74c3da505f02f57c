import { expect, it } from '@jest/globals';
import { FILE, fakeLaptop, foundBy } from '../../../../test/support/observations.ts';
import { LockState } from '../../../../daemon/core/lock/lock-state.ts';
import { FileLocks } from '../../../../server/core/lock/file-locks.ts';
import type { LockMode } from '../../../../shared/model/file-lock.ts';
import { instant, wallTime } from '../../../../shared/model/time.ts';
import type { Laptop } from './laptop.ts';
import { locksKept } from './locks-kept.ts';
import type { Observation } from './observation.ts';

const LEASE_END = instant(1_000);

/** A laptop that takes the file for locked, at a time of its own. */
function holder(name: string, device: number, mode: LockMode | null, now = 0): Laptop {
  const fake = fakeLaptop(name);
  fake.now = now;
  const locks = new LockState();
  const times = { since: wallTime(0), heldAt: wallTime(0), leaseEnd: null } as const;
  const about = { state: 'held', path: null, revision: 1, ...times } as const;
  if (mode !== null) locks.own.set(FILE, { fid: FILE, mode, ...about });
  Object.assign(fake.client.daemon.inside, {
    ...{ locks, meta: new Map([['device', device]]), now: { at: instant(now) } },
    sharing: { promises: { leaseEnd: LEASE_END } },
  });
  return fake.client;
}

const heard = (...clients: Laptop[]): Observation[] =>
  clients.map((client) => ({ kind: 'sending', client, priorityClass: 'VALIDATE' }));

it('the checker finds two laptops that have one lock, once', async () => {
  const [ada, bob] = [holder('ada', 1, 'exclusive'), holder('bob', 2, 'shared')];
  expect(await foundBy(locksKept, heard(ada, bob, bob))).toEqual([
    `bob has ${FILE} locked (shared), and so has ada (exclusive)`,
  ]);
});

it.each<[string, Laptop, Laptop]>([
  ['both share it', holder('ada', 1, 'shared'), holder('bob', 2, 'shared')],
  ['the lease of one is over', holder('ada', 1, 'exclusive', 1_000), holder('bob', 2, 'shared')],
  ['both are one device', holder('ada', 1, 'exclusive'), holder('bob', 1, 'exclusive')],
  ['one has none', holder('ada', 1, null), holder('bob', 2, 'exclusive')],
])('the checker finds nothing if %s', async (_, ada, bob) => {
  expect(await foundBy(locksKept, heard(ada, bob))).toEqual([]);
});

/** A server at which a device, connected or not, has the file locked. */
function cluster(clients: readonly Laptop[], device: number | null, isThere = true): object {
  const locks = new FileLocks();
  const about = { mode: 'exclusive', since: wallTime(0), brokenBy: null } as const;
  if (device !== null) locks.put(FILE, { device, ...about });
  const volumes = Object.assign([{ locks }], { find: () => ({ locks }) });
  const connection = isThere ? { device: { id: device ?? 1 } } : null;
  const connections = new Map(connection === null ? [] : [[1, connection]]);
  const devices = new Map([[device ?? 1, { connection, lease: instant(0) }]]);
  const inside = { volumes, connections, devices };
  return {
    ...{ clients, server: { inside, clock: { now: () => instant(5) } } },
    pass: () => Promise.resolve(),
  };
}

it('the checker finds a lock that only one side has', async () => {
  const [with1, without] = [holder('ada', 1, 'exclusive'), holder('ada', 1, null)];
  expect(await foundBy(locksKept, [], cluster([with1], null))).toEqual([
    `ada takes ${FILE} for locked, and the server knows nothing of it`,
  ]);
  expect(await foundBy(locksKept, [], cluster([without], 1))).toEqual([
    `ada has ${FILE} locked at the server, and nobody there wants it`,
  ]);
  expect(await foundBy(locksKept, [], cluster([with1], 1))).toEqual([]);
});

it('the checker finds a lock of a laptop that is away', async () => {
  expect(await foundBy(locksKept, [], cluster([], 2, false))).toEqual([
    `${FILE} is locked by device 2, whose lease is over`,
  ]);
  expect(await foundBy(locksKept, [], cluster([], 2))).toEqual([]);
});
