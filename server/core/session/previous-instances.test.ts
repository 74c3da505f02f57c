import { beforeEach, describe, expect, it } from '@jest/globals';
import { CoreServer, type TestDevice } from '../../../test/support/core-server.ts';
import { chmod, create } from '../../../test/support/core-updates.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import { LEASE, MAX_PREVIOUS_INSTANCES } from '../../limits.ts';

const run = (n: number): string => n.toString(16).padStart(16, '0');
const answered = (server: CoreServer, call: number): boolean => server.outcome(call) !== undefined;

let server: CoreServer;
let a: TestDevice;
let b: TestDevice;
let x: Fid;

/** a makes x; b, in its first run, is promised to hear of changes of it. */
beforeEach(async () => {
  server = await CoreServer.start();
  a = await server.join();
  b = await server.join();
  await b.hello({ run: run(1) });
  x = a.fid(0);
  await a.apply(create(x, 'x'));
  await b.ask('FetchStatus', { fids: [x] });
});

const change = (by: TestDevice): number => by.sendUpdates([{ update: chmod(x, 0o600) }]);

describe('the previous run of a device that says Hello', () => {
  it('is waited for until its lease is over, since a copy may have said Hello', async () => {
    await server.pass(10_000);
    await b.hello({ run: run(2) });
    const call = change(a);
    await server.pass(LEASE - 10_001);
    expect(answered(server, call)).toBe(false);
    await server.pass(1);
    expect(answered(server, call)).toBe(true);
    expect(server.state.previousInstances.size).toBe(0);
    expect(server.state.leases.has({ device: b.id, run: run(1) })).toBe(false);
  });

  it('is waited for by the new run as well', async () => {
    await b.hello({ run: run(2) });
    const call = change(b);
    await server.pass(LEASE - 1);
    expect(answered(server, call)).toBe(false);
    await server.pass(1);
    expect(answered(server, call)).toBe(true);
  });

  it('keeps earlier waiting writers waiting when the new run comes', async () => {
    server.hold.breaks = true;
    const call = change(a);
    await server.settle();
    await b.hello({ run: run(2) });
    await server.pass(LEASE - 1);
    expect(answered(server, call)).toBe(false);
    await server.pass(1);
    expect(answered(server, call)).toBe(true);
  });

  it.each([
    ['is the same run', { run: run(1) }],
    ['has ended, as the new run reports', { run: run(2), endedRun: run(1) }],
  ])('is not waited for when it %s', async (_, hello) => {
    server.hold.breaks = true;
    const call = change(a);
    await server.settle();
    await b.hello(hello);
    expect(answered(server, call)).toBe(true);
    const next = change(a);
    await server.settle();
    expect(answered(server, next)).toBe(true);
  });

  it('is no longer waited for when it returns itself', async () => {
    await b.hello({ run: run(2) });
    await b.hello({ run: run(1) });
    const call = change(a);
    await server.settle();
    expect(answered(server, call)).toBe(true);
    expect(server.state.leases.inOrder()).toEqual([
      { device: a.id, run: '' },
      { device: b.id, run: run(1) },
    ]);
  });

  it('is not waited for when it had no promise', async () => {
    await b.hello({ run: run(2) });
    await b.hello({ run: run(3) });
    expect([...server.state.previousInstances.values()].map((each) => each.run)).toEqual([run(1)]);
    expect(server.state.leases.has({ device: b.id, run: run(2) })).toBe(false);
  });

  it('is limited in number, and the next Hello is accepted when some have expired', async () => {
    for (let n = 2; n < MAX_PREVIOUS_INSTANCES + 2; n++) {
      await b.hello({ run: run(n) });
      await b.ask('FetchStatus', { fids: [x] });
    }
    expect(await b.hello({ run: run(99) })).toEqual({ code: 'try-again' });
    await server.pass(LEASE);
    b.incarnation--;
    expect(await b.hello({ run: run(99) })).toHaveProperty('body');
  });
});

describe('a restarted server with former runs', () => {
  const restart = async (): Promise<void> => {
    server = await CoreServer.start(server.meta);
    for (const device of [a, b]) Object.assign(device, { server });
    await a.hello();
  };

  it.each([
    ['waits for a lease when another run of a device says Hello', { run: run(2) }, false],
    ['stops waiting when the same run says Hello', { run: run(1) }, true],
    [
      'stops waiting when the new run reports the end of the old one',
      { run: run(2), endedRun: run(1) },
      true,
    ],
  ])('decides about its wait: it %s', async (_, hello, atOnce) => {
    await restart();
    await b.hello(hello);
    const call = change(a);
    await server.settle();
    expect(answered(server, call)).toBe(atOnce);
    await server.pass(LEASE);
    expect(answered(server, call)).toBe(true);
    expect(server.state.leases.inOrder()).toEqual([
      { device: a.id, run: '' },
      { device: b.id, run: hello.run },
    ]);
  });

  it('waits for a previous instance as well', async () => {
    await b.hello({ run: run(2) });
    await restart();
    await b.hello({ run: run(2) });
    expect(server.state.leases.awaited).toEqual([`${b.id} ${run(1)}`]);
  });
});
