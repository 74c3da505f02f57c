/** A laptop shows its own queued updates over the state of the server (rule P5). */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { milliseconds } from '../../shared/model/time.ts';
import { withoutCommit } from './agreed.ts';

describe('a view of a file with two updates that are answered in reverse order', () => {
  type Work = (files: UserFiles) => Promise<unknown>;
  const rename: Work = (files) => files.rename('/doc', '/paper');
  const chmod: Work = (files) => files.chmod('/doc', 0o600);
  const link: Work = (files) => files.link('/doc', '/other');

  it.each<[string, Work, string, number]>([
    ['a rename does not hide the store before it', rename, '/paper', 2],
    ['a change of mode does not hide the store before it', chmod, '/doc', 2],
    ['one more name does not hide the store before it', link, '/doc', 2],
    ['a rename is not hidden by the store after it', rename, '/paper', 3],
    ['a change of mode is not hidden by the store after it', chmod, '/doc', 3],
    ['one more name is not hidden by the store after it', link, '/doc', 3],
  ])('shows both updates: %s', async (_, work, path, version) => {
    const cluster = await Cluster.start({ seed: 1, frontEnd: 'none' });
    const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
    await cluster.at(bob, (files) => files.write('/big', new Uint8Array(20_000)));
    await cluster.at(ada, (files) => files.write('/doc', 'first'));
    await cluster.settled();
    await cluster.at(ada, (files) => files.walk());
    // A fetch holds the line; when it is free again, answers leave by class.
    cluster.network.shape(SERVER_HOST, ada.name, { bytesPerSecond: 20_000 });
    const fetched = ada.files.read('/big');
    await cluster.pass(milliseconds(200));
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.pass(milliseconds(200));
    await cluster.at(ada, work);
    await cluster.run(fetched);
    await cluster.settled();
    if (version === 3) await cluster.at(ada, (files) => files.write(path, 'third'));
    await cluster.settled();
    const [here, there] = [
      await cluster.at(ada, (files) => files.look(path)),
      await cluster.at(bob, (files) => files.look(path)),
    ];
    expect(here.version).toBe(version);
    // The number of its commit may be behind; then the laptop asks again.
    expect(withoutCommit(here)).toEqual(withoutCommit(there));
  });
});

it('a view shows a change of mode after an earlier store of the file was answered', async () => {
  const cluster = await Cluster.start({ seed: 1, frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, async (files) => {
    await files.mkdir('/mine');
    await files.write('/mine/doc', 'first');
    await files.write('/other', 'first');
  });
  await cluster.settled();
  await cluster.at(ada, (files) => files.walk());
  await cluster.at(bob, (files) => files.look('/other'));
  // The two changes of mode travel in one batch, and its answer waits for bob's lease to end.
  cluster.cut(bob);
  ada.daemon.pause();
  await cluster.at(ada, (files) => files.chmod('/mine/doc', 0o600));
  await cluster.at(ada, (files) => files.chmod('/other', 0o600));
  ada.daemon.resume();
  await cluster.pass(milliseconds(50));
  await cluster.at(ada, (files) => files.write('/mine/doc', 'second'));
  await cluster.settled([ada]);
  cluster.heal(bob);
  await cluster.settled();
  const [here, there] = [
    await cluster.at(ada, (files) => files.look('/mine/doc')),
    await cluster.at(bob, (files) => files.look('/mine/doc')),
  ];
  expect(here.mode).toBe(0o600);
  expect(withoutCommit(here)).toEqual(withoutCommit(there));
});

describe('a folder that two laptops change', () => {
  it("counts an own change once, also when another laptop's change came between", async () => {
    const cluster = await Cluster.start({ seed: 1, frontEnd: 'none' });
    const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
    await cluster.at(ada, (files) => files.mkdir('/dir'));
    await cluster.at(ada, (files) => files.names('/'));
    // Bob's is committed while ada's is on its way, and ada hears of it only then.
    cluster.network.shape(SERVER_HOST, ada.name, { delayMs: 100 });
    await cluster.at(bob, (files) => files.mkdir('/by bob'));
    await cluster.pass(milliseconds(20));
    await cluster.at(ada, (files) => files.mkdir('/by ada'));
    await cluster.settled();
    const [here, there] = [
      await cluster.at(ada, (files) => files.look('/')),
      await cluster.at(bob, (files) => files.look('/')),
    ];
    expect(here).toEqual(there);
  });
});
