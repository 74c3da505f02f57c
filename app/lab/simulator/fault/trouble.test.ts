/** Disks and databases in trouble: each fault does what it says, programs are told by a code, and all recovers. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { seconds } from '../../../../shared/model/time.ts';
import { RETRY_MOST } from '../../../../daemon/limits.ts';
import { begun } from '../../../../test/support/fault-target.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { Cluster } from '../cluster/cluster.ts';
import { copied } from './copied.ts';
import { bitRot, full, readError, slowDisk } from './disk-trouble.ts';
import { logFails, metaFails } from './store-trouble.ts';

const SERVER = -1;

let cluster: Cluster;
let ada: ClientNode;
let bob: ClientNode;

beforeEach(async () => {
  cluster = await Cluster.start({ frontEnd: 'none' });
  [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
});

const save = (text: string): Promise<unknown> =>
  cluster.at(ada, (files) => files.write('/doc', text));

async function bobReads(): Promise<string> {
  await cluster.settled();
  return cluster.at(bob, (files) => files.read('/doc'));
}

describe('a full disk in the simulator', () => {
  it('makes a laptop refuse writes until there is space', async () => {
    const end = await begun(cluster, full, { machine: 0, room: 3 });
    await expect(save('too much')).rejects.toMatchObject({ code: 'disk-full' });
    await end();
    await save('second');
    expect(await bobReads()).toBe('second');
  });

  it("makes everything wait on the laptop when it is the server's", async () => {
    const end = await begun(cluster, full, { machine: SERVER, room: 0 });
    await save('second');
    await cluster.pass(seconds(20));
    expect(ada.status.queues.data.updates).toBe(1);
    await end();
    expect(await bobReads()).toBe('second');
  });
});

describe('a disk with read errors', () => {
  it('gives programs of a laptop an error code', async () => {
    await cluster.at(ada, (files) => files.read('/doc'));
    const end = await begun(cluster, readError, { machine: 0, file: -1, call: 'read' });
    await expect(cluster.at(ada, (files) => files.read('/doc'))).rejects.toMatchObject({
      code: 'disk-failing',
    });
    await end();
    expect(await cluster.at(ada, (files) => files.read('/doc'))).toBe('first');
  });

  it('keeps one file of the server from everybody until it can be read', async () => {
    const end = await begun(cluster, readError, { machine: SERVER, file: 0, call: 'read' });
    const reading = bob.files.read('/doc');
    await cluster.pass(seconds(10));
    await end();
    expect(await cluster.run(reading)).toBe('first');
  });
});

describe('a flipped bit in contents', () => {
  it('causes a coded error on the server until a good copy is put', async () => {
    const end = await begun(cluster, bitRot, { machine: SERVER, file: 0, bit: 13 });
    await expect(cluster.at(bob, (files) => files.read('/doc'))).rejects.toMatchObject({
      code: 'damaged-contents',
    });
    await end();
    expect(await bobReads()).toBe('first');
  });

  it('is repaired on the server beside another one by whichever is repaired last', async () => {
    const rot = (bit: number) => begun(cluster, bitRot, { machine: SERVER, file: 0, bit });
    const [first, second] = [await rot(13), await rot(2)];
    await first();
    await expect(cluster.at(bob, (files) => files.read('/doc'))).rejects.toMatchObject({
      code: 'damaged-contents',
    });
    await second();
    expect(await bobReads()).toBe('first');
  });

  it('is found on a laptop at the next start, and the contents are fetched again', async () => {
    expect(await bobReads()).toBe('first');
    const file = bob.disk.list('/store/contents').length - 1;
    await begun(cluster, bitRot, { machine: 1, file, bit: 13 });
    await cluster.until(() => bob.status.connected, 'bob to be back');
    expect(await bobReads()).toBe('first');
    expect(bob.log.lines.map(({ message }) => message)).toContain(
      'contents on this disk are damaged',
    );
  });
});

describe('a flipped bit in queued contents', () => {
  const logged = (): unknown[] => [...ada.daemon.inside.log.all()].map(({ state }) => state);

  async function turned(): Promise<void> {
    cluster.cut(ada);
    await save('second');
    const file = ada.disk.list('/store/contents').length - 1;
    await begun(cluster, bitRot, { machine: 0, file, bit: 13 });
  }

  it('blocks only that save, and the next one of the file is sent', async () => {
    await turned();
    cluster.heal(ada);
    await cluster.until(() => ada.status.errors.length > 0, 'it to be told');
    expect(ada.status.errors).toMatchObject([{ code: 'sync-blocked', path: 'doc' }]);
    await save('third');
    expect(await bobReads()).toBe('third');
    await cluster.pass(seconds(1));
    expect(ada.status.errors).toEqual([]);
  });

  it('blocks no save over it from before it was found, nor what waits for that', async () => {
    await turned();
    await save('third');
    await cluster.at(ada, (files) => files.rename('/doc', '/moved'));
    await cluster.at(ada, (files) => files.write('/moved', 'fourth'));
    const { version } = await cluster.at(ada, (files) => files.look('/moved'));
    expect(logged()).toHaveLength(4);
    cluster.heal(ada);
    await cluster.settled();
    expect(await cluster.at(bob, (files) => files.read('/moved'))).toBe('fourth');
    expect(await cluster.at(bob, (files) => files.exists('/doc'))).toBe(false);
    const after = await cluster.at(ada, (files) => files.look('/moved'));
    expect(after).toMatchObject({ version, sync: 'committed' });
    await cluster.at(ada, (files) => files.write('/moved', 'fifth'));
    await cluster.settled();
    expect(await cluster.at(bob, (files) => files.read('/moved'))).toBe('fifth');
    expect([ada, bob].map(({ status }) => [status.errors, status.conflicts])).toEqual([
      [[], []],
      [[], []],
    ]);
  });

  it.each([
    ['before the damage was found', false],
    ['after the damage was found', true],
  ])('blocks no removal of its file, %s', async (_, isKnown) => {
    await turned();
    if (!isKnown) await cluster.at(ada, (files) => files.remove('/doc'));
    cluster.heal(ada);
    if (isKnown) {
      await cluster.until(() => ada.status.errors.length > 0, 'it to be told');
      await cluster.at(ada, (files) => files.remove('/doc'));
    }
    await cluster.settled();
    expect(await cluster.at(bob, (files) => files.exists('/doc'))).toBe(false);
    await cluster.pass(seconds(1));
    expect(ada.status.errors).toEqual([]);
  });

  it('blocks no save that a program began before it was found', async () => {
    await turned();
    await save('third');
    const { fileSystem } = ada.daemon;
    const { fid } = await cluster.at(ada, (files) => files.look('/doc'));
    const how = { mode: 'write', truncate: true } as const;
    const { handle, path } = await cluster.run(fileSystem.open(fid, how), 'the open');
    cluster.heal(ada);
    expect(await bobReads()).toBe('third');
    ada.disk.write(path, new TextEncoder().encode('fourth'));
    await cluster.run(fileSystem.close(handle, {}), 'the close');
    expect(await bobReads()).toBe('fourth');
    expect(ada.status.conflicts).toEqual([]);
  });

  it('blocks no close that waits for the server', async () => {
    await turned();
    cluster.heal(ada);
    await cluster.until(() => ada.status.errors.length > 0, 'it to be told');
    await cluster.run(ada.daemon.writeback({ policy: 'sync' }), 'the policy');
    await save('third');
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('third');
  });
});

describe('a flipped bit on a disk that is copied', () => {
  it('is repaired on both disks, and unsent contents are sent', async () => {
    cluster.cut(ada);
    await save('second');
    const file = ada.disk.list('/store/contents').length - 1;
    const healed = await begun(cluster, bitRot, { machine: 0, file, bit: 13 });
    const apart = await begun(cluster, copied, { laptop: 0 });
    await healed();
    cluster.heal(ada);
    await apart();
    await cluster.pass(RETRY_MOST);
    await cluster.settled();
    expect(cluster.clients.map(({ status }) => status.errors)).toEqual([[], [], []]);
    expect(await bobReads()).toBe('second');
  });
});

describe('a slow disk in the simulator', () => {
  it('delays a write only during the fault', async () => {
    const write = async (): Promise<number> => {
      const start = cluster.world.time.now();
      await save(`at ${start}`);
      return cluster.world.time.now() - start;
    };
    const usual = await write();
    const end = await begun(cluster, slowDisk, { machine: 0, what: 'both', mostMs: 5_000 });
    expect(await write()).toBeGreaterThan(usual + 500);
    await end();
    await cluster.settled();
    expect(await write()).toBeLessThan(100);
  });
});

describe('a failing database of the server', () => {
  it.each(['coded', 'disk'])(
    'loses nothing when several commits in a row fail (%s)',
    async (how) => {
      const end = await begun(cluster, metaFails, { method: 'commit', how, times: 3 });
      await save('second');
      await cluster.pass(seconds(10));
      expect(cluster.server.running).toBe(how === 'coded');
      await end();
      expect(await bobReads()).toBe('second');
    },
  );

  it.each(['load', 'accessOf', 'changedOutside'])('is survived when %s fails', async (method) => {
    const end = await begun(cluster, metaFails, { method, how: 'disk', times: 5 });
    await save('second');
    await cluster.pass(seconds(10));
    await end();
    expect(await bobReads()).toBe('second');
  });

  it('causes a coded error at the start, and the next start succeeds', async () => {
    cluster.server.crash();
    const end = await begun(cluster, metaFails, { method: 'open', how: 'coded', times: 1 });
    await expect(cluster.run(cluster.server.start())).rejects.toMatchObject({
      code: 'disk-failing',
    });
    expect(cluster.server.running).toBe(false);
    await end();
    expect(await bobReads()).toBe('first');
  });
});

describe('a failing log of a laptop', () => {
  it('makes a program wait for space, and its answer is true', async () => {
    const end = await begun(cluster, logFails, {
      laptop: 0,
      method: 'commit',
      how: 'full',
      times: 3,
    });
    const start = cluster.world.time.now();
    // Recorded it is at once; what comes when the disk is known to be full waits.
    await save('first of two');
    await save('second');
    expect(cluster.world.time.now() - start).toBeGreaterThan(2_000);
    await cluster.until(() => ada.isDurable, 'the save to be durable');
    ada.losePower();
    await cluster.restart(ada);
    await end();
    expect(await bobReads()).toBe('second');
  });

  it('ends the daemon on a disk error, without an answer or half-done changes', async () => {
    const end = await begun(cluster, logFails, {
      laptop: 0,
      method: 'commit',
      how: 'disk',
      times: 1,
    });
    let answered = false;
    void ada.files.write('/doc', 'second').then(() => (answered = true));
    await cluster.until(() => !ada.running, 'the daemon to end');
    expect(answered).toBe(false);
    await end();
    expect(await bobReads()).toBe('first');
  });

  it('causes a coded error at the start, and the next start succeeds', async () => {
    ada.crash();
    const end = await begun(cluster, logFails, {
      laptop: 0,
      method: 'load',
      how: 'disk',
      times: 1,
    });
    await expect(cluster.run(ada.start())).rejects.toMatchObject({ code: 'disk-failing' });
    await end();
    expect(await bobReads()).toBe('first');
  });
});
