/** A pause with an end lasts over restarts of the daemon. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { SqliteClientStore } from '../../daemon/adapters/store/client-store-sqlite.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { present } from '../../shared/util/assert.ts';
import { endProcess } from '../support/bench.ts';
import { SILENT } from '../support/silent-log.ts';
import { twoLaptops } from '../support/two-laptops.ts';

const bench = twoLaptops();
const { a, b } = bench;

const isOver = ({ paused }: { readonly paused: boolean }): boolean => !paused;
const up = () => bench.json(['up', '--data', a.data, '--folder', a.folder]);

/** As if so much time had gone by while no daemon ran. */
async function shiftEnd(ms: number): Promise<void> {
  const file = join(a.data, 'daemon.db');
  const store = SqliteClientStore.open(file, new NativeHost(), null);
  await store.load();
  const { byTime } = store.pauseEnds(SILENT);
  const end = present(byTime.load(), 'it was paused for some time');
  byTime.save({ ...end, due: end.due + ms, until: end.until + ms });
  await store.close();
}

it('a timed pause ends by itself, also after a `kill -9`, and queued updates are sent', async () => {
  const said = await bench.json(['pause', '--for', '2h', '--data', a.data]);
  const { pid } = await bench.until(a.data, ({ paused }) => paused);
  writeFileSync(join(a.folder, 'doc'), 'waits');
  await endProcess(pid, 'SIGKILL');
  await up();
  const again = await bench.status(a.data);
  expect(again).toMatchObject({ paused: true, pausedUntil: said['pausedUntil'] });
  await bench.json(['pause', '--for', '1s', '--data', a.data]);
  const over = await bench.until(a.data, isOver);
  expect(over.pausedUntil).toBe(null);
  await bench.flush(a, b);
  expect(readFileSync(join(b.folder, 'doc'), 'utf8')).toBe('waits');
});

it('a timed pause is over when its daemon was down at its end, and an unlimited one is not', async () => {
  await bench.json(['pause', '--for', '1s', '--data', a.data]);
  await bench.json(['down', '--data', a.data]);
  await shiftEnd(-60_000);
  await up();
  await bench.until(a.data, isOver);
  await bench.json(['pause', '--data', a.data]);
  await bench.json(['down', '--data', a.data]);
  await up();
  expect(await bench.status(a.data)).toMatchObject({ paused: true, pausedUntil: null });
});
