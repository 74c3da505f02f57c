/** Backups of real servers (rules I1, D4): taken while laptops write, broken off by `kill -9`, and put in place after the disk has died. */
import { rmSync, watch, writeFileSync, type FSWatcher } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compareTrees } from '../../app/lab/demo/compare-trees.ts';
import { readTree, type Tree } from '../../app/lab/demo/read-tree.ts';
import { Bench, endProcess, outputOf, textOf, type RunningServer } from '../support/bench.ts';

let bench: Bench;
let server: RunningServer;
let a: { data: string; folder: string };
let b: { data: string; folder: string };
let target: string;

beforeAll(async () => {
  bench = new Bench();
  server = await bench.server();
  a = await bench.laptop('ann', await bench.invite(server));
  b = await bench.laptop('bob', await bench.invite(server));
  target = bench.path('backup');
});
afterAll(() => bench.close());

const treeOf = (folder: string): Tree => readTree(folder, (path) => path === '.godwit');
const backup = (...args: string[]) =>
  bench.json(['server', 'backup', target, '--data', server.data, ...args]);
const bytesOf = (size: number, letter: string): Buffer => Buffer.alloc(size, letter);

describe('a backup of a running server', () => {
  it('is complete while two laptops write, and replaces a lost disk without losing an acknowledged change', async () => {
    let isDone = false;
    const writes = async (folder: string): Promise<number> => {
      let count = 0;
      for (; !isDone && count < 100; count++) {
        await writeFile(
          join(folder, `during ${folder === a.folder} ${count}`),
          `${count}`.repeat(99),
        );
        // This waits as long as the daemon takes to report its status.
        if (count % 10 === 9) await bench.status(a.data);
      }
      return count;
    };
    const writing = [a, b].map(({ folder }) => writes(folder));
    const made = await backup().finally(() => (isDone = true));
    expect(made).toMatchObject({ missing: [], damaged: [] });
    for (const written of writing) expect(await written).toBeGreaterThan(0);
    writeFileSync(join(a.folder, 'since'), 'by ann');
    writeFileSync(join(b.folder, 'large since'), bytesOf(300_000, 'l'));
    await bench.flush(a, b, a);
    const before = treeOf(a.folder);
    await endProcess(server.child.pid as number, 'SIGKILL');
    rmSync(server.data, { recursive: true });
    const restored = await bench.json(['server', 'restore', target, '--data', server.data]);
    expect(restored).toMatchObject({ aside: null, lacking: [], made: made['made'] });
    server = await bench.server('server', server.address);
    for (const { data } of [a, b]) await bench.until(data, ({ connected }) => connected);
    await bench.flush(a, b, a);
    for (const { folder } of [a, b]) expect(compareTrees(before, treeOf(folder))).toEqual([]);
    writeFileSync(join(a.folder, 'later'), 'they go on');
    await bench.flush(a, b);
    expect(textOf(join(b.folder, 'later'))).toBe('they go on');
    const c = await bench.laptop('new', await bench.invite(server));
    await bench.flush(c);
    expect(compareTrees(treeOf(a.folder), treeOf(c.folder))).toEqual([]);
    await bench.json(['down', '--data', c.data]);
  });

  it('copies only what is new since the last one, also after a collection', async () => {
    await backup();
    expect(await backup()).toMatchObject({ copiedBytes: 0 });
    writeFileSync(join(a.folder, 'small and new'), bytesOf(5000, 'n'));
    await bench.flush(a);
    const { copiedBytes } = await backup();
    expect(copiedBytes).toBe(5000 + 64);
    await bench.json(['server', 'gc', '--data', server.data]);
    writeFileSync(join(a.folder, 'after it'), bytesOf(700, 'n'));
    await bench.flush(a);
    expect(await backup('--verify')).toMatchObject({ missing: [], damaged: [] });
    await expectRestored();
  });

  it.each([
    ['its metadata are there', /^metadata-/],
    ['a pack grows', /^packs\//],
    ['a large file is on its way', /^contents\/.*\.new$/],
  ])('leaves the previous backup intact when it is killed while %s', async (what, place) => {
    const before = await backup();
    writeFileSync(join(a.folder, `small, ${what}`), what.repeat(2000));
    writeFileSync(
      join(a.folder, `large, ${what}`),
      Buffer.concat([bytesOf(4_000_000, 'l'), Buffer.from(what)]),
    );
    await bench.flush(a);
    const seen = appears(place);
    const args = ['server', 'backup', target, '--data', server.data, '--rate', '1'];
    const child = bench.start(args);
    const run = outputOf(child);
    await seen;
    child.kill('SIGKILL');
    expect((await run).code).toBeNull();
    const restored = bench.path('restored');
    const order = ['server', 'restore', target, '--data', restored];
    expect(await bench.json(order)).toMatchObject({ made: before['made'], lacking: [] });
    rmSync(restored, { recursive: true });
    expect(await backup()).toMatchObject({ missing: [], damaged: [] });
    await expectRestored();
  });
});

/** Resolves when the backup has a file with a matching name. */
function appears(place: RegExp): Promise<void> {
  let watcher: FSWatcher;
  return new Promise<void>((resolve) => {
    watcher = watch(target, { recursive: true }, (_, name) => {
      if (name !== null && place.test(name)) resolve();
    });
  }).finally(() => watcher.close());
}

async function expectRestored(): Promise<void> {
  const restored = bench.path('restored');
  await bench.json(['server', 'restore', target, '--data', restored]);
  const found = await bench.json(['server', 'check', '--data', restored]);
  expect(found).toMatchObject({ fine: true });
  rmSync(restored, { recursive: true });
}

describe('an administrator of backups', () => {
  beforeAll(async () => {
    writeFileSync(join(a.folder, 'of people'), bytesOf(2_000_000, 'p'));
    await bench.flush(a);
    await backup();
  });

  const oneLine = async (args: string[], words: RegExp): Promise<number | null> => {
    const { code, stdout, stderr } = await bench.godwit(args);
    expect(stderr).toMatch(/^godwit: [^\n]+; [^\n]+\n$/);
    expect(stderr).toMatch(words);
    expect(stdout).toBe('');
    return code;
  };

  it('gets one line about what is not possible', async () => {
    const of = ['--data', server.data];
    expect(await oneLine(['server', 'backup', join(server.data, 'x'), ...of], /data folder/)).toBe(
      1,
    );
    const above = dirname(a.folder);
    expect(await oneLine(['server', 'backup', above, ...of], /not empty, and no backup/)).toBe(1);
    expect(await oneLine(['server', 'backup', a.folder, ...of], /a synced folder/)).toBe(1);
    expect(await oneLine(['server', 'backup', ...of], /missing required argument/)).toBe(2);
    expect(await oneLine(['server', 'restore', target, ...of], /a server runs on/)).toBe(1);
    expect(await oneLine(['server', 'restore', a.folder, ...of], /no backup of a server/)).toBe(1);
    expect(await oneLine(['server', 'restore', ...of], /a server runs on/)).toBe(1);
    const used = ['server', 'restore', target, '--data'];
    expect(await oneLine([...used, above], /--replace/)).toBe(1);
    expect(await oneLine([...used, a.data], /the data folder of a daemon/)).toBe(1);
  });

  it('sees what was done and what to do next', async () => {
    const made = await bench.godwit(['server', 'backup', target, '--data', server.data]);
    expect(made.stdout).toMatch(
      /^volume home up to commit \d+\n\d+ contents? \([^\n]+\n[^\n]+holds the key/,
    );
    const to = bench.path('to');
    const restored = await bench.godwit(['server', 'restore', target, '--data', to]);
    expect(restored.stdout).toMatch(
      /goes on from its commit \d+;[^\n]+\nstart the server now: godwit server --data /,
    );
    const again = await bench.godwit(['server', 'restore', target, '--data', to, '--replace']);
    expect(again.stdout).toMatch(
      /\nwhat was there is in [^\n]+before-restore-[^\n]+\nstart the server/,
    );
    const { stdout } = await bench.godwit(['server', 'df', '--data', to]);
    expect(stdout).toMatch(/^present versions +[\d.]+ MB +\d+ contents?\n/);
    expect(stdout).toMatch(/\nput aside +[\d.]+ MB/);
    expect(stdout).toMatch(/\nvolume home: \d+ files?, [\d.]+ MB; earlier versions /);
    await bench.flush(a);
    const use = await bench.json(['df', '--data', a.data]);
    expect(use).toMatchObject({ toSend: { files: 0, bytes: 0 } });
    expect(use['database']).toBeGreaterThan(0);
  });
});
