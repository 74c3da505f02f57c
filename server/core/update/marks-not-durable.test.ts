/** Marks whose rows could not be written: the server forgets them, and their device ends or reports them again. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { bodyOf, CoreServer, type TestDevice } from '../../../test/support/core-server.ts';
import { chmod, create, ROOT, VOLUME } from '../../../test/support/core-updates.ts';
import { unsharedIn, type Fid } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import { present } from '../../../shared/util/assert.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';

let server: CoreServer;
let a: TestDevice;
let b: TestDevice;
let y: Fid;

const OWN = unsharedIn(VOLUME);
const seq = (n: number): UpdateSeq => n as UpdateSeq;
const tell = async (told: Partial<RequestOf<'ForwardInvalidate'>>) =>
  a.try('ForwardInvalidate', { number: 1, marks: [], ends: [], complete: false, ...told });
const marks = () => server.state.volumes.marksOf(a.id).map((mark) => [mark.fid, mark.seq]);

const isWhole = () => server.state.devices.get(a.id)?.connection?.announcements?.isWhole;

/** An update of the device whose group fails. */
async function failOf(device: TestDevice): Promise<void> {
  server.meta.failNextCommit('server-full');
  const call = device.sendUpdates([{ update: chmod(ROOT, 0o700) }]);
  await server.settle();
  expect(server.outcome(call)).toEqual({ code: 'server-full' });
}

/** a made y, and nobody else knows it. */
beforeEach(async () => {
  server = await CoreServer.start();
  [a, b] = [await server.join(), await server.join()];
  await a.hello({ announces: true, takesUnshared: true });
  y = a.fid(0);
  await a.apply(create(y, 'y'));
  await a.ask('FetchStatus', { fids: [y] });
});

/** b asks for y, which a has for its own and has changed. Returns the call, and the break that a is sent. */
async function askedForOwn(): Promise<{ reading: number; message: number }> {
  server.hold.breaks = true;
  const reading = b.send('FetchStatus', { fids: [y] });
  await server.settle();
  return { reading, message: present(server.breaks[0], 'its promise is broken').message };
}

describe('hidden updates that an acknowledgement reports', () => {
  const report = () => ({ number: 2, marks: [{ fid: y, seq: seq(90) }], more: false });

  it('make their device begin a new session when they could not be recorded', async () => {
    await tell({ marks: [{ fid: OWN, seq: null }], complete: true });
    const { reading, message } = await askedForOwn();
    // It arrives first, records nothing, and has its answer.
    expect(await tell({ number: 3, ends: [OWN] })).toHaveProperty('body');
    server.meta.failNextCommit('server-full');
    server.feed({ kind: 'acknowledged', message, hidden: report() });
    await server.settle();
    expect(server.closedConnections).toContain(a.connection);
    expect(bodyOf<'FetchStatus'>(server.outcome(reading)).items[0]?.grant).toBeNull();
    await a.hello({ announces: true, takesUnshared: true });
    await tell({ marks: [{ fid: y, seq: seq(90) }], complete: true });
    expect(marks()).toEqual([[y, 90]]);
  });

  it('leave the session of their device alone when a later group fails', async () => {
    await tell({ marks: [{ fid: OWN, seq: null }], complete: true });
    const { message } = await askedForOwn();
    server.feed({ kind: 'acknowledged', message, hidden: { ...report(), marks: [] } });
    await server.settle();
    await failOf(b);
    expect(server.closedConnections).not.toContain(a.connection);
    expect(isWhole()).toBe(true);
  });
});

describe('a report of everything', () => {
  const all = { marks: [{ fid: OWN, seq: null }], complete: true };

  it('does not count as whole until it has come again when it could not be recorded', async () => {
    server.meta.failNextCommit('server-full');
    expect(await tell(all)).toEqual({ code: 'server-full' });
    expect(isWhole()).toBe(false);
    await tell({ ...all, number: 2 });
    expect(isWhole()).toBe(true);
  });

  it('stays whole when a message that recorded nothing was answered and a later group fails', async () => {
    await tell(all);
    await tell({ number: 2 });
    await failOf(b);
    expect(isWhole()).toBe(true);
  });
});

describe('a mark that ends by the low water', () => {
  it('ends when its device repeats the low water that the server could not record', async () => {
    await tell({ marks: [{ fid: y, seq: seq(90) }] });
    const time = async () => a.ask('GetTime', { lowWater: seq(91) });
    server.meta.failNextCommit('server-full');
    await time();
    await server.settle();
    expect(marks()).toEqual([[y, 90]]);
    await time();
    await server.settle();
    expect(marks()).toEqual([]);
  });
});
