/**
 * A server that is put back twice from one backup (rules I1, I3): the second time it knows nothing of what it did since the first, the
 * numbers that it gave then among it.
 */
import { beforeEach, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { Backup } from '../../app/lab/simulator/cluster/server-node.ts';
import { minutes } from '../../shared/model/time.ts';
import { agreed } from './agreed.ts';

let cluster: Cluster;
let backup: Backup;
let cleo: ClientNode;

async function putBack(): Promise<void> {
  cluster.server.crash();
  cluster.server.restore(backup);
  await cluster.run(cluster.server.start(), 'the server to start');
}

/** Cleo came after the first time, so her numbers are of the history that is lost the second time. */
beforeEach(async () => {
  cluster = await Cluster.start({ clients: 1 });
  backup = cluster.server.backUp();
  await putBack();
  cleo = await cluster.join();
  await cluster.pass(minutes(1));
});

it('a twice restored server takes files with numbers that it does not know', async () => {
  await cluster.at(cleo, (files) => files.write('/made', "cleo's"));
  await putBack();
  cluster.inviteAgain(cleo, 'itself');
  await cluster.restart(cleo);
  expect(await agreed(cluster)).toEqual({ '/made': "cleo's" });
});

it('a twice restored server gives numbers from the lost part to nobody else', async () => {
  await cluster.at(cleo, (files) => files.write('/made', "cleo's"));
  await cluster.settled();
  const made = await cluster.at(cleo, (files) => files.look('/made'));
  await putBack();
  const dan = await cluster.join();
  await cluster.at(dan, (files) => files.write('/dans', "dan's"));
  const dans = await cluster.at(dan, (files) => files.look('/dans'));
  expect(dans.fid).not.toBe(made.fid);
  cluster.inviteAgain(cleo, 'itself');
  await cluster.restart(cleo);
  expect(await agreed(cluster)).toEqual({ '/made': "cleo's", '/dans': "dan's" });
});
