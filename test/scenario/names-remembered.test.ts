/**
 * Contents win over a removal (C3), and keep the name that they had, though nothing here has that name any more when they are logged: a
 * program had found the file before, or the server was put back from a backup and the file is offered again (I1).
 */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { FileSystem, OpenFile } from '../../shared/ports/file-system.ts';
import { milliseconds, minutes } from '../../shared/model/time.ts';

const encoder = new TextEncoder();

/** The tree of a laptop without a folder; the names of conflict copies lose their times. */
async function seen(cluster: Cluster, client: ClientNode): Promise<Record<string, string | null>> {
  await cluster.settled();
  const found: Record<string, string | null> = {};
  for (const [path, { kind }] of await cluster.at(client, (files) => files.walk())) {
    const text = kind === 'file' ? await cluster.at(client, (files) => files.read(path)) : null;
    found[path.replace(/ \(conflict, (\w+).*\)/, ' ($1)')] = text;
  }
  return found;
}

describe('a file that a program had found before others removed it', () => {
  async function found() {
    const cluster = await Cluster.start({ frontEnd: 'none' });
    const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
    await cluster.at(ada, async (files) => {
      await files.mkdir('/dir');
      await files.write('/dir/doc', 'base');
    });
    await cluster.settled();
    const { fileSystem } = ada.daemon;
    const file = (await cluster.at(ada, (files) => files.look('/dir/doc'))).fid;
    const folder = (await cluster.at(ada, (files) => files.look('/dir'))).fid;
    /** Bob removes the file with its folder, and ada receives the removal of the folder only. */
    const removed = async (): Promise<void> => {
      await cluster.at(bob, async (files) => {
        await files.remove('/dir/doc');
        await files.rmdir('/dir');
      });
      await cluster.settled([bob]);
      await expect(cluster.run(fileSystem.getattr(folder))).rejects.toMatchObject({
        code: 'not-found',
      });
    };
    const write = async ({ handle, path }: OpenFile, text: string): Promise<void> => {
      ada.disk.write(path, encoder.encode(text));
      await cluster.run(fileSystem.close(handle, {}));
    };
    return { cluster, ada, bob, fileSystem, file, removed, write };
  }

  const opened = (fileSystem: FileSystem, file: OpenFile['attributes']['fid']) =>
    fileSystem.open(file, { mode: 'write', truncate: true });

  it('comes back under its name when the program opens it after the queue has space again', async () => {
    const { cluster, ada, bob, fileSystem, file, removed, write } = await found();
    await cluster.run(ada.daemon.writeback({ dirtyLimit: 1 }), 'the settings');
    cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 1000 });
    await cluster.at(ada, (files) => files.write('/large', 'x'.repeat(20_000)));
    // So the open asks for it, and is told before it is removed that it is there.
    await cluster.at(bob, (files) => files.write('/dir/doc', 'other'));
    await cluster.settled([bob]);
    const opening = opened(fileSystem, file);
    const waits = (): boolean => ada.daemon.inside.calls.waitingForQueue > 0;
    await cluster.until(waits, 'the open to wait for the queue');
    await removed();
    await write(await cluster.run(opening), 'ada');
    expect(await seen(cluster, ada)).toMatchObject({ '/doc': 'ada' });
  });

  it('comes back under its name when the program opens it offline', async () => {
    const { cluster, ada, fileSystem, file, removed, write } = await found();
    await removed();
    cluster.cut(ada);
    await cluster.until(() => !ada.status.connected, 'ada to be away');
    await write(await cluster.run(opened(fileSystem, file)), 'ada');
    cluster.heal(ada);
    expect(await seen(cluster, ada)).toEqual({ '/doc': 'ada' });
  });

  it('comes back under its name when the program made it in a folder that was gone when the create was answered', async () => {
    const cluster = await Cluster.start({ clients: 3, frontEnd: 'none' });
    const [ada, bob, cleo] = cluster.clients as [ClientNode, ClientNode, ClientNode];
    await cluster.at(ada, (files) => files.mkdir('/dir'));
    await cluster.settled();
    const { fid: folder } = await cluster.at(ada, (files) => files.look('/dir'));
    await cluster.at(cleo, (files) => files.list('/dir'));
    // The answers wait for cleo, who has a promise for the folder.
    cluster.cut(cleo);
    const { fileSystem } = ada.daemon;
    const { fid } = await cluster.run(fileSystem.create(folder, 'doc', { mode: 0o644 }));
    await cluster.until(() => ada.daemon.inside.queue.batchesInFlight > 0, 'the making to be sent');
    await cluster.pass(milliseconds(100));
    await cluster.at(bob, async (files) => {
      await files.remove('/dir/doc');
      await files.rmdir('/dir');
    });
    await cluster.pass(milliseconds(500));
    await expect(cluster.run(fileSystem.getattr(folder))).rejects.toMatchObject({
      code: 'not-found',
    });
    expect(ada.status.queues.metadata.updates).toBe(1);
    cluster.heal(cleo);
    await cluster.until(() => ada.status.queues.metadata.updates === 0, 'the answer');
    cluster.cut(ada);
    await cluster.until(() => !ada.status.connected, 'ada to be away');
    const { handle, path } = await cluster.run(opened(fileSystem, fid));
    ada.disk.write(path, encoder.encode('ada'));
    await cluster.run(fileSystem.close(handle, {}));
    cluster.heal(ada);
    expect(await seen(cluster, ada)).toEqual({ '/doc': 'ada' });
  });
});

describe('a file that is offered to a restored server', () => {
  async function lost(frontEnd: 'folder' | 'none') {
    const cluster = await Cluster.start({ frontEnd });
    const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
    const { server } = cluster;
    await cluster.at(ada, async (files) => {
      await files.mkdir('/dir');
      await files.write('/dir/doc', 'first');
    });
    await cluster.settled();
    const backup = server.backUp();
    await cluster.at(ada, (files) => files.read('/dir/doc'));
    cluster.cut(ada);
    await cluster.at(bob, (files) => files.write('/dir/doc', 'second'));
    await cluster.settled([bob]);
    cluster.cut(bob);
    server.crash();
    server.restore(backup);
    await cluster.run(server.start(), 'the server to start');
    cluster.heal(ada);
    await cluster.until(() => ada.status.connected, 'ada to connect', minutes(5));
    const back = async (): Promise<void> => {
      await cluster.settled([ada]);
      cluster.heal(bob);
      await cluster.until(() => bob.status.connected, 'bob to connect', minutes(5));
    };
    return { cluster, ada, bob, back };
  }

  describe.each(['folder', 'none'] as const)(
    'an offered file of a laptop with the front end %s',
    (frontEnd) => {
      it('keeps its name although another laptop has removed it since', async () => {
        const { cluster, ada, bob, back } = await lost(frontEnd);
        await cluster.at(ada, (files) => files.remove('/dir/doc'));
        await back();
        expect(await seen(cluster, bob)).toEqual({ '/dir': null, '/dir/doc': 'second' });
      });

      it('is placed in the nearest existing folder when its own folder is gone', async () => {
        const { cluster, ada, bob, back } = await lost(frontEnd);
        await cluster.at(ada, async (files) => {
          await files.remove('/dir/doc');
          await files.rmdir('/dir');
        });
        await back();
        expect(await seen(cluster, bob)).toEqual({ '/doc': 'second' });
      });

      it('becomes a conflict copy when another file has its name by now', async () => {
        const { cluster, ada, bob, back } = await lost(frontEnd);
        await cluster.at(ada, async (files) => {
          await files.remove('/dir/doc');
          await files.write('/dir/doc', 'another');
        });
        await back();
        expect(await seen(cluster, bob)).toEqual({
          ...{ '/dir': null, '/dir/doc': 'another' },
          '/dir/doc (bob)': 'second',
        });
      });

      it('keeps its name after a restart', async () => {
        const { cluster, ada, bob, back } = await lost(frontEnd);
        await cluster.at(ada, (files) => files.remove('/dir/doc'));
        await cluster.settled([ada]);
        await cluster.restart(bob);
        await back();
        expect(await seen(cluster, bob)).toEqual({ '/dir': null, '/dir/doc': 'second' });
      });
    },
  );
});

describe('a file that a program knows by its number alone', () => {
  async function numbered() {
    const cluster = await Cluster.start({ frontEnd: 'none' });
    const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
    await cluster.at(ada, async (files) => {
      await files.mkdir('/dir');
      await files.write('/dir/doc', 'base');
    });
    await cluster.settled();
    const { fid } = await cluster.at(ada, (files) => files.look('/dir/doc'));
    const removed = async (): Promise<void> => {
      await cluster.at(ada, async (files) => {
        await files.remove('/dir/doc');
        await files.rmdir('/dir');
      });
      await cluster.settled([ada]);
    };
    const save = async ({ handle, path }: OpenFile): Promise<void> => {
      bob.disk.write(path, encoder.encode('bob'));
      await cluster.run(bob.daemon.fileSystem.close(handle, {}));
    };
    const open = () => bob.daemon.fileSystem.open(fid, { mode: 'write', truncate: true });
    return { cluster, ada, bob, removed, save, open };
  }

  it('comes back under its name when others removed it after it was opened', async () => {
    const { cluster, ada, removed, save, open } = await numbered();
    const file = await cluster.run(open());
    await removed();
    await save(file);
    expect(await seen(cluster, ada)).toEqual({ '/doc': 'bob' });
  });

  it('has its name also when it was saved after a restart of the server', async () => {
    const { cluster, ada, removed, save, open } = await numbered();
    const file = await cluster.run(open());
    await removed();
    await cluster.restart(cluster.server);
    await save(file);
    expect(await seen(cluster, ada)).toEqual({ '/doc': 'bob' });
  });

  it('is opened by several programs, and asked for once', async () => {
    const { cluster, bob, open } = await numbered();
    const [one, other] = await cluster.run(Promise.all([open(), open()]));
    expect(one.attributes.fid).toBe(other.attributes.fid);
    expect(bob.daemon.inside.names.asked.size).toBe(1);
  });

  it('is opened also when the line is cut meanwhile', async () => {
    const { cluster, ada, bob, save, open } = await numbered();
    await cluster.run(bob.daemon.fileSystem.volumes());
    const opening = open();
    cluster.cut(bob);
    await cluster.until(() => !bob.status.connected, 'bob to be away');
    cluster.heal(bob);
    await save(await cluster.run(opening));
    expect(await seen(cluster, ada)).toMatchObject({ '/dir/doc': 'bob' });
  });
});
