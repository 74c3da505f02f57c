/** The steps of the demo, with a synchronisation that is a plain copy, and with ones that are at fault. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Demo } from './demo-step.ts';
import { gitAgainstSource, isGitCheckout } from './git-steps.ts';
import type { Laptop } from './laptop.ts';
import { countTree } from './compare-trees.ts';
import { readTree } from './read-tree.ts';
import { makeSourceTree } from './source-tree.ts';
import { copySource, edit, remove, renameThousand } from './tree-steps.ts';

let base: string;
let made: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'godwit-steps-'));
  made = join(base, 'made');
  mkdirSync(made);
  makeSourceTree(made);
});
afterAll(() => rmSync(base, { recursive: true }));

let count = 0;

/** `after` is what goes wrong on B. */
function demoWith(source: string, after: (folder: string) => void = () => undefined): Demo {
  const root = join(base, `demo ${(count += 1)}`);
  const [a, b] = ['A', 'B'].map((name) => {
    const folder = join(root, name);
    mkdirSync(folder, { recursive: true });
    return { name, folder, tree: () => readTree(folder), flush: () => Promise.resolve() };
  }) as unknown as [Laptop, Laptop];
  a.flush = () => {
    rmSync(b.folder, { recursive: true });
    execFileSync('cp', ['-a', a.folder, b.folder]);
    after(b.folder);
    return Promise.resolve();
  };
  const signal = new AbortController().signal;
  return { source, a, b, flushSeconds: 1, awaySeconds: 1, signal, server: null as never };
}

describe('the tree of the demo', () => {
  it('has files of all kinds and is the same each time', () => {
    const { files, folders, symlinks, links } = countTree(readTree(made));
    expect({ symlinks, links }).toEqual({ symlinks: 5, links: 2 });
    expect(files).toBeGreaterThan(590);
    expect(folders).toBeGreaterThan(10);
    const again = join(base, 'again');
    mkdirSync(again);
    makeSourceTree(again);
    const contents = (root: string) =>
      [...readTree(root)].map(([path, node]) => [path, node.contents]);
    expect(contents(again)).toEqual(contents(made));
  });
});

describe('the steps of the demo', () => {
  it('hold on a right copy and change what they claim', async () => {
    const demo = demoWith(made);
    expect(await copySource(demo)).toMatchObject({ faults: [] });
    const before = demo.a.tree();
    for (const step of [edit, renameThousand, remove]) {
      const { items, faults } = await step(demo);
      expect(faults).toEqual([]);
      expect(items).toBeGreaterThan(600);
    }
    const after = demo.a.tree();
    const gone = [...before.keys()].filter((path) => !after.has(path));
    expect(gone.length).toBeGreaterThanOrEqual(20);
    expect(readdirSync(join(demo.a.folder, 'godwit demo', 'a thousand (renamed)'))).toHaveLength(
      1000,
    );
    const changed = [...before].filter(([path, node]) => {
      const now = after.get(path);
      return now !== undefined && (now.contents !== node.contents || now.mode !== node.mode);
    });
    expect(changed.length).toBeGreaterThanOrEqual(4);
  });

  it('rename a folder of a thousand files when the source has one', async () => {
    const source = join(base, 'large');
    mkdirSync(join(source, 'outer/inner'), { recursive: true });
    for (let index = 0; index < 1000; index++)
      writeFileSync(join(source, 'outer/inner', `${index}`), '');
    const demo = demoWith(source);
    await copySource(demo);
    await renameThousand(demo);
    expect(readdirSync(join(demo.b.folder, 'outer'))).toEqual(['inner (renamed)']);
  });

  it.each<[string, (folder: string) => void]>([
    ['a file is missing', (folder) => rmSync(join(folder, 'empty file'))],
    ['a time differs', (folder) => utimesSync(join(folder, 'large.bin'), 1, 1)],
    ['contents differ', (folder) => writeFileSync(join(folder, 'bin/run.sh'), 'x')],
  ])('fail when %s', async (_what, after) => {
    const { faults } = await copySource(demoWith(made, after));
    expect(faults.length).toBeGreaterThan(0);
    expect(faults[0]).toMatch(/^laptop B: /);
  });
});

describe('the git check of the demo', () => {
  const git = (folder: string, ...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', '-C', folder, ...args]);
  };

  it('accepts a good copy and rejects a bad one', async () => {
    const source = join(base, 'checkout');
    mkdirSync(source);
    git(base, 'init', '-q', source);
    writeFileSync(join(source, 'tracked'), 'one\n');
    git(source, 'add', '.');
    git(source, 'commit', '-q', '-m', 'one');
    writeFileSync(join(source, 'untracked'), '');
    expect(isGitCheckout(source)).toBe(true);
    expect(isGitCheckout(made)).toBe(false);

    const good = demoWith(source);
    await copySource(good);
    expect(await gitAgainstSource(good)).toMatchObject({ faults: [], items: 1 });

    const changed = demoWith(source, (folder) => writeFileSync(join(folder, 'tracked'), 'two\n'));
    await copySource(changed);
    expect((await gitAgainstSource(changed)).faults[0]).toMatch(/git status differs/);

    const broken = demoWith(source, (folder) =>
      rmSync(join(folder, '.git/objects'), { recursive: true }),
    );
    await copySource(broken);
    expect((await gitAgainstSource(broken).catch(() => ({ faults: ['x'] }))).faults).not.toEqual(
      [],
    );
  });
});
