/** A folder and a program on one laptop, at one file: neither ends what it has not seen. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/sim/cluster/cluster.ts';
import type { ClientNode } from '../../app/sim/cluster/client-node.ts';
import { agreed } from './agreed.ts';

it('a file removed in the folder keeps what a program stored and the folder does not show yet', async () => {
  const cluster = await Cluster.start({ clients: 2 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  cluster.cut(ada);
  await cluster.at(bob, (files) => files.write('/doc', "bob's"));
  const { fid, version: base } = await cluster.at(ada, (files) => files.look('/doc'));
  await cluster.at(ada, (files) => files.write('/doc', "the program's"));
  const place = await cluster.at(ada, (files) => files.place('/doc'));
  await cluster.run(ada.daemon.fileSystem.remove(place, { observed: { fid, base } }));
  cluster.heal(ada);
  const shown = await agreed(cluster);
  expect(new Set(Object.values(shown))).toEqual(new Set(["bob's", "the program's"]));
  expect(shown['/doc']).toBe("bob's");
});

it('a file written in the folder keeps what a program stored meanwhile', async () => {
  const cluster = await Cluster.start({ clients: 2 });
  const [ada] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  const { fid, version: base } = await cluster.at(ada, (files) => files.look('/doc'));
  const how = { mode: 'write', truncate: true, base } as const;
  const opened = await cluster.run(ada.daemon.fileSystem.open(fid, how));
  await cluster.at(ada, (files) => files.write('/doc', "the program's"));
  ada.disk.write(opened.path, Buffer.from("the folder's"));
  await cluster.run(ada.daemon.fileSystem.close(opened.handle, {}));
  const shown = await agreed(cluster);
  expect(new Set(Object.values(shown))).toEqual(new Set(["the program's", "the folder's"]));
  expect(shown['/doc']).toBe("the program's");
});
