/** After a lost lease a folder costs one round trip, not one for each of its files, however a program gets to them. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { ConsistencyChange } from '../../shared/model/consistency.ts';

const FILES = Array.from({ length: 20 }, (_, index) => `/folder/file-${index}`);

/** The number of messages with which ada reads all files when her promises are gone. */
async function asked(change: ConsistencyChange): Promise<number> {
  const cluster = await Cluster.start({ seed: 1, frontEnd: 'none', clients: 1 });
  const [ada] = cluster.clients as [ClientNode];
  await cluster.run(ada.daemon.consistency(change), 'the settings');
  await cluster.at(ada, (files) => files.mkdir('/folder'));
  for (const path of FILES) await cluster.at(ada, (files) => files.write(path, path));
  await cluster.settled();
  await cluster.restart(ada);
  await cluster.until(() => ada.status.connected, 'ada to be back');
  // The folder is validated along with the root.
  await cluster.at(ada, (files) => files.look('/folder'));
  let asked = 0;
  cluster.watch((seen) => {
    if (seen.kind === 'sending' && seen.priorityClass === 'VALIDATE') asked += 1;
  });
  for (const path of FILES) {
    expect(await cluster.at(ada, (files) => files.read(path))).toBe(path);
  }
  return asked;
}

it('files of a folder are validated together, also when the folder itself was validated before', async () => {
  expect(await asked({})).toBeLessThanOrEqual(2);
});

it('each file is validated at its first use when that is configured', async () => {
  expect(await asked({ validations: 'each' })).toBe(FILES.length);
});
