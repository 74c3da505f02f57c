import { describe, expect, it } from '@jest/globals';
import type { ErrorStatus } from '../../shared/control/snapshot.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import { commitNumber } from '../../shared/model/vnode.ts';
import type { ReplicaFrontEnd } from '../../shared/ports/feed.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { Flushes, type FlushParts } from './flushes.ts';

const VOLUME = 1 as VolumeId;
const FAILED = new GodwitError('sync-blocked', 'doc: it can not be taken in');

/** A front end that can not log something the first `failures` times that it looks. */
function flushing(
  failures: number,
  errors: readonly ErrorStatus[] = [],
  held = 0,
  failed = FAILED,
) {
  const told: string[] = [];
  let scans = 0;
  const frontEnd = {
    volume: VOLUME,
    reached: (commit: number) => Promise.resolve(void told.push(`reached ${commit}`)),
    unlogged: () => (scans <= failures ? failed : null),
    status: () => ({ errors }),
    heldRemovals: () => held,
  } as unknown as ReplicaFrontEnd;
  const parts = {
    broker: {
      call: ({ op }: { op: string }) => {
        told.push(op);
        return Promise.resolve({ head: commitNumber(7) });
      },
    },
    frontEnd: {
      current: frontEnd,
      ask: (work: (of: ReplicaFrontEnd) => unknown) => work(frontEnd),
    },
    scan: () => {
      scans += 1;
      return Promise.resolve(void told.push('scan'));
    },
    volumes: () => Promise.resolve([{ id: VOLUME }]),
    status: () => ({ waiting: [], connected: true, errors: [] }),
    hurry: () => undefined,
    disk: { look: () => void told.push('look at the disk') },
  } as unknown as FlushParts;
  return { flushes: new Flushes(parts), told, parts };
}

const ROUND = ['look at the disk', 'scan', 'flush', 'reached 7'];

describe('a flush that takes too long', () => {
  const late = (
    isConnected: boolean,
    waiting: readonly object[] = [],
    errors: readonly ErrorStatus[] = [],
  ): Flushes => {
    const { parts } = flushing(0);
    const call = () => Promise.reject(new GodwitError('timed-out', 'too long'));
    const broker = { call } as unknown as FlushParts['broker'];
    const status = () => ({ waiting, connected: isConnected, errors });
    return new Flushes({ ...parts, broker, status } as unknown as FlushParts);
  };

  it.each([
    [false, [], 'too long (there is no connection to the server)'],
    [false, [{ path: 'a', reason: 'queued' }], 'too long (/a: queued)'],
    [true, [], 'too long (the server has not answered)'],
  ])(
    'is refused with the reason: connected %j, waiting %j',
    async (isConnected, waiting, message) => {
      const flushes = late(isConnected, waiting);
      await expect(flushes.all(null)).rejects.toMatchObject({ code: 'timed-out', message });
    },
  );

  it('is refused as the connection is, where time is of no use', async () => {
    const about = { message: 'admitted no longer', remedy: 'ask for an invitation', path: null };
    const revoked = { code: 'device-revoked', ...about };
    const waiting = [{ path: 'a', reason: 'queued' }];
    const flushing = (isConnected: boolean) => late(isConnected, waiting, [revoked]).all(null);
    await expect(flushing(false)).rejects.toMatchObject({
      ...{ code: 'device-revoked', message: about.message, remedy: about.remedy },
    });
    await expect(flushing(true)).rejects.toMatchObject({ code: 'timed-out' });
  });
});

describe('a flush of everything', () => {
  it('takes one round when everything could be logged', async () => {
    const { flushes, told } = flushing(0);
    await flushes.all(null);
    expect(told).toEqual(ROUND);
  });

  it.each(['no-right', 'volume-removed'] as const)(
    'repeats nothing that an empty log does not mend: %s',
    async (code) => {
      const refused = new GodwitError(code, '/doc: it stays here');
      const { flushes, told } = flushing(9, [], 0, refused);
      await expect(flushes.all(null)).rejects.toBe(refused);
      expect(told).toEqual(ROUND);
    },
  );

  it('repeats what could not be logged once the log is empty', async () => {
    const { flushes, told } = flushing(1);
    await flushes.all(null);
    expect(told).toEqual([...ROUND, ...ROUND]);
  });

  it.each([
    ['once', [FAILED, null, null, null], 2],
    ['each time', [FAILED, null, FAILED, null, FAILED, null], 3],
  ])('waits for what was logged %s while it waited for the server', async (_, given, rounds) => {
    const answers = [...given];
    const { parts, told } = flushing(0);
    const current = { ...parts.frontEnd.current, unlogged: () => answers.shift() ?? null };
    const frontEnd = { ...parts.frontEnd, current };
    await new Flushes({ ...parts, frontEnd } as unknown as FlushParts).all(null);
    expect(told.filter((each) => each === 'scan')).toHaveLength(rounds);
    expect(answers).toEqual([]);
  });

  it('fails when something still cannot be logged', async () => {
    await expect(flushing(2).flushes.all(null)).rejects.toBe(FAILED);
  });

  const error = (code: string, path: string): ErrorStatus => ({
    ...{ code, path, message: `${code} of it`, remedy: 'none' },
  });

  it.each([
    [['a'], '/a: file-unreadable of it'],
    [['a', 'b', 'c'], '/a: file-unreadable of it (and 2 more)'],
  ])('names the first unsynced file and counts the others: %j', async (paths, message) => {
    const errors = paths.map((path) => error('file-unreadable', path));
    const { flushes } = flushing(0, [error('special-file', 'note'), ...errors]);
    await expect(flushes.all(null)).rejects.toMatchObject({ code: 'file-unreadable', message });
  });

  it.each([
    [1, '1 removal waits to be confirmed'],
    [2, '2 removals wait to be confirmed'],
  ])('reports that %i removals wait', async (held, message) => {
    await expect(flushing(0, [], held).flushes.all(null)).rejects.toMatchObject({ message });
  });

  it('Flushes says that a disk is away by the name of that, and not that removals wait', async () => {
    const away = error('disk-away', 'photos');
    await expect(flushing(0, [away], 5).flushes.all(null)).rejects.toMatchObject({
      code: 'disk-away',
      message: '/photos: disk-away of it',
    });
    const missing = { ...error('removals-held', ''), path: null };
    await expect(flushing(0, [away, missing], 7).flushes.all(null)).rejects.toMatchObject({
      code: 'removals-held',
    });
  });
});
