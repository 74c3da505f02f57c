/** A path that a laptop does not know costs one round trip, however deep it is; one that it knows costs one, too, after a lost lease. */
import { beforeEach, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';

const FOLDERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
const FILE = `/${FOLDERS.join('/')}/file`;

let cluster: Cluster;
let ada: ClientNode;
let bob: ClientNode;
let asked: string[];

/** Ada has made ten components; bob has seen nothing of them. */
beforeEach(async () => {
  cluster = await Cluster.start({ seed: 1, frontEnd: 'none', clients: 2 });
  [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  let path = '';
  for (const name of FOLDERS) {
    path += `/${name}`;
    await cluster.at(ada, (files) => files.mkdir(path));
  }
  await cluster.at(ada, (files) => files.write(FILE, 'deep'));
  await cluster.settled();
  await cluster.until(() => bob.status.connected, 'bob to be there');
  asked = [];
  cluster.watch((seen) => {
    if (seen.kind === 'sending' && seen.client === bob) asked.push(seen.priorityClass);
  });
});

const look = (path: string) => cluster.at(bob, (files) => files.look(path));

it('a cold path of ten components costs one round trip', async () => {
  expect(await look(FILE)).toMatchObject({ size: 4 });
  expect(asked).toEqual(['VALIDATE']);
});

it('a cold path of ten components takes a quarter of a second at most over a round trip of 100 ms', async () => {
  for (const [from, to] of [
    [bob.name, SERVER_HOST],
    [SERVER_HOST, bob.name],
  ] as const) {
    cluster.network.shape(from, to, { delayMs: 50 });
  }
  const begun = cluster.world.time.now();
  await look(FILE);
  const took = cluster.world.time.now() - begun;
  expect(took).toBeGreaterThanOrEqual(100);
  expect(took).toBeLessThanOrEqual(250);
});

it('a path that was walked once costs nothing while its promises last', async () => {
  await look(FILE);
  await look(FILE);
  expect(await look('/a/b/c')).toMatchObject({ kind: 'directory' });
  expect(asked).toEqual(['VALIDATE']);
});

it('a name that is free on the way is known after one round trip, and free as long as nobody takes it', async () => {
  await expect(look('/a/b/none/x/y')).rejects.toMatchObject({ code: 'not-found' });
  await expect(look('/a/b/none/z')).rejects.toMatchObject({ code: 'not-found' });
  expect(asked).toEqual(['VALIDATE']);
  await cluster.at(ada, (files) => files.mkdir('/a/b/none'));
  await cluster.settled();
  expect(await look('/a/b/none')).toMatchObject({ kind: 'directory' });
});

it('a folder that somebody moved away on a path that was walked is found gone', async () => {
  await look(FILE);
  await cluster.at(ada, (files) => files.rename('/a/b/c', '/a/moved'));
  await cluster.settled();
  await expect(look(FILE)).rejects.toMatchObject({ code: 'not-found' });
  expect(await look('/a/moved/d/e/f/g/h/i/file')).toMatchObject({ size: 4 });
});

it('a path that is known costs one round trip after a lost lease', async () => {
  await look(FILE);
  await cluster.restart(bob);
  await cluster.until(() => bob.status.connected, 'bob to be back');
  asked.length = 0;
  await look(FILE);
  expect(asked).toEqual(['VALIDATE']);
});

it('changes of ones own show over names that came alone', async () => {
  await look(FILE);
  await cluster.at(bob, (files) => files.rename(FILE, '/a/b/c/taken'));
  await expect(look(FILE)).rejects.toMatchObject({ code: 'not-found' });
  expect(await look('/a/b/c/taken')).toMatchObject({ size: 4 });
  await cluster.settled();
  await expect(look(FILE)).rejects.toMatchObject({ code: 'not-found' });
  expect(await look('/a/b/c/taken')).toMatchObject({ size: 4 });
});
