/** `godwit server quota`, what it prints and what it refuses; and how `godwit status` tells of a quota. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { startServer } from '../../../server/main.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import { partName } from '../../../shared/model/upload-part.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { IDLE } from '../../../test/support/fake-daemon.ts';
import { godwit } from '../../../test/support/run-cli.ts';
import { statusLines } from '../status-lines.ts';

const silent = (): void => undefined;
const log: Log = { error: silent, warn: silent, info: silent, debug: silent, with: () => log };

let data: string;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'godwit-quota-cli-'));
  const listen = { host: '127.0.0.1', port: 0 };
  await (await startServer({ dataDir: data, listen, log })).close();
});
afterEach(() => rmSync(data, { recursive: true }));

const quota = (...args: string[]) => godwit(['server', 'quota', ...args, '--data', data]);

/** As if its files had so many. */
function use(bytes: number): void {
  const database = new Database(join(data, 'server.db'));
  database.prepare('UPDATE volume SET used = ?').run(bytes);
  database.close();
}

describe('godwit server quota', () => {
  it('sets a quota, prints it and lifts it', async () => {
    expect((await quota()).stdout).toBe('home: 0 B used, no quota\n');
    expect((await quota('home', '10GB')).stdout).toBe('home: 0 B of 10.0 GB used, 10.0 GB free\n');
    use(4_000_000_000);
    expect((await quota('home')).stdout).toBe('home: 4.0 GB of 10.0 GB used, 6.0 GB free\n');
    const { stdout } = await quota('home', '1GiB', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      volumes: [{ volume: 'home', limit: 2 ** 30, used: 4_000_000_000 }],
    });
    expect((await quota('home', 'none')).stdout).toBe('home: 4.0 GB used, no quota\n');
  });

  it('prints the bytes of interrupted uploads, without those that are too old', async () => {
    await quota('home', '10GB');
    const streams = join(data, 'streams');
    mkdirSync(streams, { recursive: true });
    const part = (n: number, when: number): void => {
      const what = { fingerprint: 'f'.repeat(64), digest: 'd'.repeat(64), length: 5e9 };
      const note = { ...what, volume: 1 as VolumeId, kept: 2e9, when: when as WallTime };
      writeFileSync(join(streams, partName(note, n)), '');
    };
    part(1, Date.now());
    part(2, 1000);
    const line = 'home: 0 B of 10.0 GB used, 10.0 GB free (2.0 GB kept for uploads)\n';
    expect((await quota()).stdout).toBe(line);
  });

  it('prints what a running server has granted and what is under way', async () => {
    await quota('home', '10GB');
    const server = await startServer({
      dataDir: data,
      listen: { host: '127.0.0.1', port: 0 },
      log,
    });
    try {
      const { stdout } = await quota('home', '--json');
      expect(JSON.parse(stdout)).toMatchObject({ volumes: [{ uploads: 0, granted: 0 }] });
    } finally {
      await server.close();
    }
  });

  it('accepts a quota below the used bytes and prints what that means', async () => {
    use(4_000_000_000);
    const { code, stdout } = await quota('home', '3GB');
    expect(code).toBe(0);
    expect(stdout).toBe(
      'home: 4.0 GB of 3.0 GB used, 1.0 GB too much\n' +
        'what is there stays; nothing more is taken in before so much is removed\n',
    );
  });

  it.each([
    [['away', '1GB'], /^godwit: there is no volume away, only home; see `godwit server volume ls`/],
    [['away'], /^godwit: there is no volume away, only home; see `godwit server volume ls`/],
    [['home', 'much'], /^godwit: much: not a size such as/],
    [['home', '-5'], /^godwit: .*-5/],
    [['home', '1GB', 'more'], /^godwit: /],
  ])('refuses %j with one line', async (args, text) => {
    const { code, stdout, stderr } = await quota(...args);
    expect(code).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(text);
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
    expect((await quota()).stdout).toBe('home: 0 B used, no quota\n');
  });
});

it('`godwit server check` finds wrong used bytes, and --repair counts them again', async () => {
  const check = (...args: string[]) => godwit(['server', 'check', ...args, '--data', data]);
  use(7);
  const { code, stdout } = await check();
  expect([code, stdout]).toEqual([1, expect.stringContaining('home: 0 bytes are used, and 7')]);
  await check('--repair');
  expect((await check()).code).toBe(0);
});

it('`godwit status` prints how much of a volume is used', () => {
  const [volume] = IDLE.volumes;
  if (volume === undefined) throw new Error('it has one');
  const full = { ...volume, quota: { limit: 10_000_000_000, used: 9_900_000_000, free: 0 } };
  expect(statusLines({ ...IDLE, volumes: [full] }).join('\n')).toContain(
    'home (write), commit 7 of 7, 9.9 GB of 10.0 GB used',
  );
});
