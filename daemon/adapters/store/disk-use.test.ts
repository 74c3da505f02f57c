import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { daemonDiskUse } from './disk-use.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'godwit-disk-use-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const du = (...names: string[]): number => {
  const paths = names.map((name) => join(root, name));
  const lines = execFileSync('du', ['-s', '--block-size=1', ...paths], { encoding: 'utf8' });
  return lines
    .trim()
    .split('\n')
    .reduce((sum, line) => sum + Number(line.split('\t')[0]), 0);
};

function file(path: string, size: number): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), Buffer.alloc(size, 'x'));
}

it("the disk use of a daemon has an entry for each kind, and the sum equals du's", async () => {
  file('data/store/contents/c1', 10_000);
  file('data/store/contents/c2', 20_000);
  file('data/store/contents/c3', 1);
  file('data/store/lost+found/letter', 5000);
  file('data/spool/r1', 30_000);
  file('data/store/staging/s1', 40_000);
  file('data/transfers/t1', 2000);
  file('data/daemon.db', 9000);
  file('data/daemon.db-wal', 9000);
  file('data/log/daemon.log', 7000);
  file('data/config.json', 100);
  file('folder/.godwit/late/old', 60_000);
  const own = join(root, 'folder', '.godwit');
  const use = await daemonDiskUse(join(root, 'data'), own, new Set(['c2', 'c3', 'c9']));
  expect(use.cache).toEqual({ files: 1, bytes: du('data/store/contents/c1') });
  const toSend = du('data/store/contents/c2', 'data/store/contents/c3');
  expect(use.toSend).toEqual({ files: 2, bytes: toSend });
  expect(use.moving).toBe(du('data/spool', 'data/store/staging', 'data/transfers'));
  expect(use.held).toBe(du('data/store/lost+found', 'folder/.godwit'));
  expect(use.database).toBe(du('data/daemon.db', 'data/daemon.db-wal'));
  expect(use.logs).toBe(du('data/log'));
  const { cache, toSend: sent, total, free, ...others } = use;
  const kinds = [cache.bytes, sent.bytes, ...(Object.values(others) as number[])];
  expect(kinds.reduce((sum, bytes) => sum + bytes, 0)).toBe(total);
  expect(total).toBe(du('data', 'folder/.godwit'));
  expect(free).toBeGreaterThan(0);
});

it('the disk use counts short queued contents in packs', async () => {
  file('data/store/contents/c1', 10_000);
  file('data/store/contents/c2', 20_000);
  file('data/store/packs/p1', 7000);
  const { cache, toSend } = await daemonDiskUse(
    join(root, 'data'),
    null,
    new Set(['c2', 'c3', 'c4']),
  );
  expect(cache).toEqual({ files: 1, bytes: du('data/store/contents/c1') });
  const bytes = du('data/store/contents/c2', 'data/store/packs/p1');
  expect(toSend).toEqual({ files: 3, bytes });
});

it('the disk use without a synced folder has nothing held there', async () => {
  file('data/config.json', 100);
  const use = await daemonDiskUse(join(root, 'data'), null, new Set());
  expect([use.held, use.total]).toEqual([0, du('data')]);
});
