/** A laptop that may only read, with a real server: what it changed by mistake is laid aside, and the server's comes. */
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { compareTrees } from '../../app/lab/demo/compare-trees.ts';
import { textOf } from '../support/bench.ts';
import { treeOf, twoLaptops } from '../support/two-laptops.ts';

const bench = twoLaptops();
const { a } = bench;
let eve: { data: string; folder: string };

beforeAll(async () => {
  mkdirSync(join(a.folder, 'letters'));
  for (const name of ['p.txt', 'newsletter.txt', 'moved.txt', 'letters/one']) {
    writeFileSync(join(a.folder, name), `${name} of ann`);
  }
  await bench.flush(a);
  const rights = ['--user', 'eve', '--rights', 'read'];
  eve = await bench.laptop('eve', await bench.invite(bench.home, ...rights));
  await bench.until(eve.data, () => existsSync(join(eve.folder, 'letters', 'one')));
  await bench.flush(eve);
});

const at = (name: string): string => join(eve.folder, name);
const blocked = ({ errors }: { errors: ReadonlyArray<{ path: string | null }> }): string[] =>
  errors.map(({ path }) => path ?? '');
const ofEve = (...args: string[]) => bench.godwit([...args, '--data', eve.data]);
const lost = (): string[] => readdirSync(join(eve.data, 'store', 'lost+found'));

it('a change of a laptop that may only read is laid aside by restore or queue cancel', async () => {
  appendFileSync(at('p.txt'), ' and eve');
  rmSync(at('newsletter.txt'));
  await bench.until(eve.data, (status) => {
    const paths = blocked(status);
    return paths.includes('p.txt') && paths.includes('newsletter.txt');
  });
  writeFileSync(join(a.folder, 'p.txt'), 'second of ann');
  writeFileSync(join(a.folder, 'newsletter.txt'), 'second newsletter');
  await bench.flush(a);

  expect((await ofEve('status')).stdout).toMatch(/p\.txt.*godwit restore/);
  const restored = await ofEve('restore', '/p.txt');
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  expect(restored.stdout).toMatch(/lost\+found/);
  await bench.until(eve.data, () => textOf(at('p.txt')) === 'second of ann');
  expect(lost().map((name) => textOf(join(eve.data, 'store', 'lost+found', name)))).toEqual([
    'p.txt of ann and eve',
  ]);

  expect(await ofEve('queue', 'cancel', '/newsletter.txt')).toMatchObject({ code: 0, stderr: '' });
  await bench.until(eve.data, () => existsSync(at('newsletter.txt')));
  expect(textOf(at('newsletter.txt'))).toBe('second newsletter');
  await bench.flush(eve);

  writeFileSync(join(a.folder, 'p.txt'), 'third of ann');
  await bench.flush(a);
  await bench.until(eve.data, () => textOf(at('p.txt')) === 'third of ann');
});

it('everything that was done by mistake is given up by one restore, after a restart too', async () => {
  const before = treeOf(a);
  renameSync(at('moved.txt'), at('elsewhere.txt'));
  rmSync(at('letters'), { recursive: true });
  chmodSync(at('newsletter.txt'), 0o600);
  linkSync(at('p.txt'), at('second name'));
  await bench.until(eve.data, (status) => {
    const paths = blocked(status);
    return ['elsewhere.txt', 'letters/one', 'newsletter.txt'].every((path) => paths.includes(path));
  });
  await bench.json(['down', '--data', eve.data]);
  await bench.json(['up', '--data', eve.data]);
  appendFileSync(at('elsewhere.txt'), ' and eve');
  await bench.until(eve.data, (status) => blocked(status).length >= 4);
  expect((await ofEve('queue')).stdout).not.toMatch(/\d+\.\d+\.\d+\/?/);
  const folder = await ofEve('restore', '/letters');
  expect(folder).toMatchObject({ code: 0, stderr: '' });
  expect(folder.stdout).toMatch(/^\/letters\/one becomes the server's again$/m);
  // Nothing was written in it.
  expect(folder.stdout).not.toContain('lost+found');
  const all = await ofEve('restore', '/');
  expect(all).toMatchObject({ code: 0, stderr: '' });
  expect(all.stdout).toContain('lost+found');
  await bench.until(eve.data, ({ queues, unsettled }) => {
    const { metadata, data } = queues;
    return metadata.updates + data.updates + unsettled.paths + unsettled.commits === 0;
  });
  await bench.flush(eve);
  expect(compareTrees(before, treeOf(eve))).toEqual([]);
  expect((await bench.status(eve.data)).errors).toEqual([]);
});

it('a new file on a laptop that may only read stays, and makes way when it is moved out', async () => {
  writeFileSync(at('eve.txt'), 'eve');
  mkdirSync(at('folder'));
  writeFileSync(at('folder/in'), 'in');
  symlinkSync('eve.txt', at('link'));
  await bench.until(eve.data, (status) =>
    ['eve.txt', 'folder', 'link'].every((path) => blocked(status).includes(path)),
  );
  const flushed = await ofEve('flush', '--wait', '--timeout', '60');
  expect(flushed).toMatchObject({ code: 1 });
  expect(flushed.stderr).toMatch(
    /\/(eve.txt|folder|link): this device may only read (this volume|the volume home)/,
  );
  const log = textOf(join(eve.data, 'log', 'daemon.log')) ?? '';
  const lines = log.split('\n').filter((line) => line.includes('could not be logged'));
  expect(lines).toHaveLength(3);

  writeFileSync(join(a.folder, 'eve.txt'), 'of ann');
  mkdirSync(join(a.folder, 'folder'));
  writeFileSync(join(a.folder, 'folder/of ann'), 'of ann');
  await bench.flush(a);
  await bench.until(eve.data, () => existsSync(at('folder/of ann')));
  expect([textOf(at('folder/in')), textOf(at('eve.txt'))]).toEqual(['in', 'eve']);
  renameSync(at('eve.txt'), join(eve.data, 'eve.txt'));
  await bench.until(eve.data, () => textOf(at('eve.txt')) === 'of ann');
});

it('a refused change is sent when the right is back', async () => {
  rmSync(at('folder/in'));
  rmSync(at('link'));
  appendFileSync(at('p.txt'), ' and eve');
  await bench.until(eve.data, (status) => blocked(status).includes('p.txt'));
  // The rights are those of the user, and a later invitation has others.
  await bench.laptop('second', await bench.invite(bench.home, '--user', 'eve'));
  await bench.until(a.data, () => textOf(join(a.folder, 'p.txt'))?.endsWith(' and eve') === true);
  await bench.flush(eve);
});
