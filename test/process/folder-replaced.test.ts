/** A folder is replaced on one laptop while another one that has not heard of it puts something into it, with real processes and real folders. */
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { treeOf, twoLaptops } from '../support/two-laptops.ts';

const bench = twoLaptops();
const { a, b } = bench;

type Change = (path: string) => void | Promise<void>;

/** Ann is paused while both change their folders; bob's changes are first. */
async function apart(name: string, bobs: Change, anns: Change) {
  const [at, of] = [join(a.folder, name), join(b.folder, name)];
  mkdirSync(join(at, 'sub'), { recursive: true });
  writeFileSync(join(at, 'in'), 'in');
  writeFileSync(join(at, 'sub', 'deep'), 'deep');
  await bench.flush(a, b);
  await bench.json(['pause', '--data', a.data]);
  await anns(at);
  await bench.json(['flush', '--data', a.data]);
  rmSync(of, { recursive: true });
  await bobs(of);
  await bench.flush(b);
  await bench.json(['resume', '--data', a.data]);
  await bench.flush(a, b, a);
  expect(bench.differences()).toEqual([]);
  for (const { data } of [a, b]) {
    const { errors, state, waiting } = await bench.status(data);
    expect({ errors, waiting }).toEqual({ errors: [], waiting: [] });
    expect(['idle', 'conflict']).toContain(state);
  }
  return seen(name);
}

/** Paths of ann's folder that begin with the name, with what files say; conflict names lose their times. */
function seen(name: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [path, { kind }] of treeOf(a)) {
    if (!path.startsWith(name)) continue;
    const short = path.replaceAll(/ \(conflict, [^)]*\)/g, '*');
    found[short] = kind === 'file' ? readFileSync(join(a.folder, path), 'utf8') : kind;
  }
  return found;
}

it('by a file: a folder beside it has what was put into it', async () => {
  const found = await apart(
    'one',
    (path) => writeFileSync(path, 'bob'),
    (path) => {
      writeFileSync(join(path, 'new'), 'ann');
      appendFileSync(join(path, 'in'), ', ann');
      mkdirSync(join(path, 'sub', 'fresh'));
      writeFileSync(join(path, 'sub', 'fresh', 'new'), 'ann');
      symlinkSync('new', join(path, 'link'));
    },
  );
  expect(found).toEqual({
    one: 'bob',
    'one*': 'directory',
    'one*/in': 'in, ann',
    'one*/link': 'symlink',
    'one*/new': 'ann',
    'one*/sub': 'directory',
    'one*/sub/fresh': 'directory',
    'one*/sub/fresh/new': 'ann',
  });
});

it('by a folder: that takes it in', async () => {
  const found = await apart(
    'two',
    async (path) => {
      // Or it is taken for the same folder, in which much has changed.
      await bench.flush(b);
      mkdirSync(path);
      writeFileSync(join(path, 'bobs'), 'bob');
    },
    (path) => {
      writeFileSync(join(path, 'new'), 'ann');
      writeFileSync(join(path, 'sub', 'new'), 'ann too');
    },
  );
  expect(found).toEqual({
    two: 'directory',
    'two/bobs': 'bob',
    'two/new': 'ann',
    'two/sub': 'directory',
    'two/sub/new': 'ann too',
  });
});

it('by a link, while the daemon was off', async () => {
  const found = await apart(
    'three',
    (path) => symlinkSync('elsewhere', path),
    async (path) => {
      await bench.json(['down', '--data', a.data]);
      writeFileSync(join(path, 'sub', 'new'), 'ann');
      await bench.json(['up', '--data', a.data]);
    },
  );
  expect(found).toEqual({
    three: 'symlink',
    'three*': 'directory',
    'three*/sub': 'directory',
    'three*/sub/new': 'ann',
  });
});
