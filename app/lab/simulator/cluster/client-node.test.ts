import { expect, it } from '@jest/globals';
import { seconds } from '../../../../shared/model/time.ts';
import { Cluster } from './cluster.ts';

it('a laptop closes in good order, and its run ends', async () => {
  const cluster = await Cluster.start({ clients: 1 });
  const [ada] = cluster.clients;
  expect(await cluster.run(ada!.close(), 'ada to close')).toBe(true);
  expect(ada!.begun).toBe(false);
});

it('a laptop that dies while it closes keeps nobody waiting, and starts again', async () => {
  const cluster = await Cluster.start({ clients: 1 });
  const [ada] = cluster.clients;
  await cluster.at(ada!, (files) => files.write('/doc', 'unsent'));
  const closing = ada!.close();
  ada!.crash();
  expect(await cluster.run(closing, 'ada to close', seconds(10))).toBe(false);
  await cluster.restart(ada!);
  expect(await cluster.at(ada!, (files) => files.read('/doc'))).toBe('unsent');
});
