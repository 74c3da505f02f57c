/** What is queued of a path, and how much of the log is looked at for it. */
import { expect, it } from '@jest/globals';
import { ClientBench, ROOT } from '../../../test/support/client-bench.ts';
import type { PathQueue } from '../../../shared/control/queue.ts';
import type { Attributes } from '../../../shared/ports/file-system.ts';

type BenchClient = Awaited<ReturnType<ClientBench['join']>>;

const made = { mode: 0o755 } as const;
const folder = (client: BenchClient, name: string, dir = ROOT): Promise<Attributes> =>
  client.do({ op: 'mkdir', dir, name, options: made });

/** What is found, and in how many steps. */
function look({ client }: BenchClient, path: string): { queue: PathQueue; steps: number } {
  const names = path === '' ? [] : path.split('/');
  const looking = client.reports.queueAt('home', names);
  if (looking === null) throw new Error('there is such a volume');
  for (let steps = 0; ; steps++) {
    const step = looking.next();
    if (step.done === true) return { queue: step.value, steps };
  }
}

/** A client that is away, with `count` files queued in `d/e`, and one each in `d` and `other`. */
async function queued(count: number): Promise<BenchClient> {
  const bench = await ClientBench.start();
  const client = await bench.join();
  const d = await folder(client, 'd');
  const e = await folder(client, 'e', d.fid);
  const other = await folder(client, 'other');
  await bench.settle();
  client.cutOff();
  await bench.pass(60_000);
  for (let each = 0; each < count; each++) await client.write(e.fid, `f${each}`, 'text');
  await client.write(d.fid, 'f', 'longer');
  await client.write(other.fid, 'f', 'text');
  return client;
}

const NOTHING = { updates: 0, bytes: 0, sentBytes: 0, kept: null, moving: null };

it('the queue of a path contains updates of its file, or of everything in its folder', async () => {
  const client = await queued(10);
  const found = (path: string): unknown => {
    const { updates, bytes, moving } = look(client, path).queue;
    return [updates, bytes, moving];
  };
  expect(found('d/e/f7')).toEqual([2, 4, 'queued']);
  expect(found('d/f')).toEqual([2, 6, 'queued']);
  expect(found('d/e')).toEqual([20, 40, 'queued']);
  expect(found('d')).toEqual([22, 46, 'queued']);
  expect(found('other')).toEqual([2, 4, 'queued']);
  expect(found('')).toEqual([24, 50, 'queued']);
  expect(look(client, 'd/e/none').queue).toEqual(NOTHING);
  expect(look(client, 'd/e/f').queue).toEqual(NOTHING);
  expect(client.client.reports.queueAt('none', [])).toBeNull();
});

it('the queue of a path includes files that have left it and those that came back', async () => {
  const client = await queued(2);
  const [d] = await client.do<Array<{ attributes: Attributes }>>({ op: 'readdir', dir: ROOT });
  const at = { dir: d?.attributes.fid ?? ROOT, name: 'f' };
  const before = look(client, 'd/f').queue.updates;
  await client.do({ op: 'rename', from: at, to: { dir: ROOT, name: 'moved' }, options: {} });
  expect(look(client, 'd/f').queue).toEqual(NOTHING);
  expect(look(client, 'moved').queue.updates).toBe(before + 1);
  expect(look(client, 'd').queue.updates).toBe(4);
  await client.write(at.dir, 'f', 'again');
  expect(look(client, 'd/f').queue).toMatchObject({ updates: 2, bytes: 5 });
});

it('the queue of a path is found without the log for a file, and with one look per update for a folder', async () => {
  const [few, many] = [await queued(3), await queued(60)];
  expect(look(few, 'd/e/f1').steps).toBe(0);
  expect(look(many, 'd/e/f1').steps).toBe(0);
  expect(look(few, 'd').steps).toBe(2 * 5);
  expect(look(many, 'd').steps).toBe(2 * 62);
});
