/** A laptop that joins is told of on the others of its person: it may be nobody that they know. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { minutes } from '../../shared/model/time.ts';

const joined = ({ status: { devices = [] } }: ClientNode) =>
  devices.filter((each) => each.joined !== undefined).map(({ device }) => device);

it('other laptops show a new one, also after they were away or started anew', async () => {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.settled();
  // Bob was paired after ada.
  expect([joined(ada), joined(bob)]).toEqual([[bob.device], []]);
  cluster.cut(bob);
  const cleo = await cluster.join();
  await cluster.until(() => joined(ada).length === 2, 'ada hears of it');
  expect(joined(ada)).toEqual([cleo.device, bob.device]);
  expect(ada.status.devices).toMatchObject([{ name: cleo.name }, {}, {}]);
  cluster.heal(bob);
  await cluster.until(() => joined(bob).length === 1, 'bob hears of it');
  await cluster.restart(bob);
  await cluster.settled();
  expect([joined(bob), joined(cleo)]).toEqual([[cleo.device], []]);
});

it('laptops of other people show no new one', async () => {
  const cluster = await Cluster.start({ seed: 1 });
  const guest = await cluster.join('read', 'guest');
  await cluster.settled();
  await cluster.join();
  await cluster.pass(minutes(2));
  expect(guest.status.devices).toMatchObject([{ device: guest.device }]);
});
