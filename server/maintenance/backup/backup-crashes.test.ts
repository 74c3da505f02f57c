/** A backup or a restore that is broken off at any call to the disk leaves what was there before, and the next one goes on. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NativeHost } from '../../../shared/transport/native-host.ts';
import { DataFolderBench } from '../../../test/support/data-folder-bench.ts';
import { FaultyBackupFiles } from '../../../test/support/faulty-backup-files.ts';
import { finishRestore, putInPlace } from '../restore/put-in-place.ts';
import { refuseWithoutRoom } from './target.ts';
import { backupServer, checkServer, restoreServer } from '../administration.ts';

const SMALL = Buffer.alloc(3000, 's');
const OTHER = Buffer.alloc(500, 'o');
const LARGE = Buffer.alloc(100_000, 'l');

let bench: DataFolderBench;
let target: string;

beforeEach(async () => {
  bench = await DataFolderBench.open();
  target = join(bench.root, 'backup');
});
afterEach(() => bench.close());

const backup = (files = new FaultyBackupFiles()) =>
  backupServer(bench.folder.path, { target, verify: false, rate: null, files });

async function liveAfterRestore(): Promise<number> {
  const to = join(bench.root, 'restored');
  await restoreServer(to, { backup: target, replace: false, force: false });
  const { use, missing, damaged } = await checkServer(to, { repair: false, rate: 1e9 });
  expect([missing, damaged]).toEqual([[], []]);
  rmSync(to, { recursive: true });
  return use.live.count;
}

/** Whoever ends before a call that only looks ends before the next one as well. */
function changesIn({ calls }: FaultyBackupFiles): number[] {
  return [...calls.keys()].filter((index) => !/^(list|length) /.test(calls[index] ?? ''));
}

describe('a backup that is interrupted', () => {
  it('leaves the previous one or is complete, and the next one continues', async () => {
    await bench.save(SMALL);
    await bench.save(LARGE);
    await backup();
    await bench.save(OTHER);
    await bench.save(Buffer.alloc(150_000, 'm'));
    const before = join(bench.root, 'before');
    cpSync(target, before, { recursive: true });
    const whole = new FaultyBackupFiles();
    await backup(whole);
    const outcomes: number[] = [];
    for (const last of changesIn(whole)) {
      rmSync(target, { recursive: true });
      cpSync(before, target, { recursive: true });
      const files = new FaultyBackupFiles();
      files.lastCall = last;
      await expect(backup(files)).rejects.toThrow('the process has ended');
      outcomes.push(await liveAfterRestore());
      if (outcomes.length % 4 === 1) {
        expect(await backup()).toMatchObject({ missing: [], damaged: [] });
        expect(await liveAfterRestore()).toBe(4);
      }
    }
    expect(outcomes.toSorted((a, b) => a - b)).toEqual(outcomes);
    expect(new Set(outcomes)).toEqual(new Set([2, 4]));
  });

  it('leaves nothing that counts as a backup when it was the first, and the next one continues', async () => {
    await bench.save(SMALL);
    await bench.save(LARGE);
    const whole = new FaultyBackupFiles();
    await backup(whole);
    const written = whole.calls.indexOf('rename manifest.json.new', 5);
    for (const last of changesIn(whole).filter((call) => call > 3 && call < written)) {
      rmSync(target, { recursive: true });
      const files = new FaultyBackupFiles();
      files.lastCall = last;
      await expect(backup(files)).rejects.toThrow('the process has ended');
      await expect(liveAfterRestore()).rejects.toMatchObject({ code: 'not-a-backup' });
      expect(await backup()).toMatchObject({ missing: [], damaged: [] });
    }
    expect(await liveAfterRestore()).toBe(2);
  });

  it('reports a full disk and leaves space for others', async () => {
    await bench.save(SMALL);
    await backup();
    await bench.save(LARGE);
    const files = new FaultyBackupFiles();
    files.failing = (call) => (call.startsWith('copyPart') ? 'ENOSPC' : null);
    await expect(backup(files)).rejects.toMatchObject({ code: 'disk-full' });
    expect(readdirSync(target).filter((name) => name.startsWith('metadata-'))).toHaveLength(1);
    expect(await liveAfterRestore()).toBe(1);
    await expect(refuseWithoutRoom(target, 1e18)).rejects.toMatchObject({
      code: 'disk-full',
      message: expect.stringMatching(/: 1000000000000 MB are needed, \d+ MB are free$/),
    });
  });
});

describe('a restore that is interrupted', () => {
  it('leaves the old data until everything has been read', async () => {
    await bench.save(SMALL);
    await bench.save(LARGE);
    await backup();
    const data = join(bench.root, 'again');
    mkdirSync(data);
    writeFileSync(join(data, 'server.db'), 'of before');
    const order = { backup: target, replace: true, force: false };
    const whole = new FaultyBackupFiles();
    await restoreServer(join(bench.root, 'other'), { ...order, files: whole });
    for (const last of changesIn(whole)) {
      const files = new FaultyBackupFiles();
      files.lastCall = last;
      await expect(restoreServer(data, { ...order, files })).rejects.toThrow('has ended');
      const left = readdirSync(data).filter((name) => name !== 'restore.new');
      expect(left).toEqual(['server.db']);
    }
    const { aside } = await restoreServer(data, order);
    expect(readdirSync(aside ?? '')).toEqual(['server.db']);
    expect(existsSync(join(data, 'restore.new'))).toBe(false);
    expect((await checkServer(data, { repair: false, rate: 1e9 })).use.live.count).toBe(2);
  });

  it('is completed by the next program when it stopped between two steps', () => {
    const whole = prepared();
    const syncs = syncsOf(whole.data, whole.host);
    for (let last = 0; last < syncs; last++) {
      const { data, host } = prepared();
      let left = last;
      host.syncDirectory = () => {
        if (left-- === 0) throw new Error('the process has ended');
      };
      expect(() => putInPlace(data, 'then', host)).toThrow('has ended');
      finishRestore(data, 'later', new NativeHost());
      expectNew(data);
    }
    // In the middle of one.
    const { data } = prepared();
    renameSync(join(data, 'restore.new'), join(data, 'restore.ready'));
    mkdirSync(join(data, 'before-restore-then'));
    renameSync(join(data, 'old'), join(data, 'before-restore-then', 'old'));
    expect(finishRestore(data, 'later', new NativeHost())).toBe(join(data, 'before-restore-later'));
    expectNew(data);
    expect(finishRestore(data, 'later', new NativeHost())).toBeNull();
  });

  let count = 0;
  function prepared(): { data: string; host: NativeHost } {
    const data = join(bench.root, `data ${count++}`);
    mkdirSync(join(data, 'restore.new'), { recursive: true });
    for (const name of ['packs', 'server.db']) {
      writeFileSync(join(data, name), 'old');
      writeFileSync(join(data, 'restore.new', name), 'new');
    }
    writeFileSync(join(data, 'old'), 'old');
    return { data, host: new NativeHost() };
  }

  function syncsOf(data: string, host: NativeHost): number {
    let syncs = 0;
    host.syncDirectory = () => void syncs++;
    putInPlace(data, 'then', host);
    expectNew(data);
    return syncs;
  }

  function expectNew(data: string): void {
    const names = readdirSync(data);
    const asides = names.filter((name) => name.startsWith('before-restore-'));
    expect(names.filter((name) => !asides.includes(name))).toEqual(['packs', 'server.db']);
    const old = asides.flatMap((name) => readdirSync(join(data, name)));
    expect(old.toSorted()).toEqual(['old', 'packs', 'server.db']);
  }
});
