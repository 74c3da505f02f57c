import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blake3 } from '@noble/hashes/blake3.js';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryLog } from '../app/lab/simulator/process/memory-log.ts';
import { World } from '../app/lab/simulator/world.ts';
import { startServer } from './main.ts';
import {
  backupServer,
  beginEpoch,
  checkServer,
  restoreServer,
} from './maintenance/administration.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-restore-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const start = (dataDir: string) => {
  const log = new MemoryLog(new World(1), 'server');
  return startServer({ dataDir, listen: { host: '127.0.0.1', port: 0 }, log });
};

it('a backup that is put in place continues as a new epoch with the same identity', async () => {
  const [data, backup] = [join(folder, 'data'), join(folder, 'backup')];
  const first = await start(data);
  await first.close();
  cpSync(data, backup, { recursive: true });
  expect(await beginEpoch(backup)).toEqual([{ volume: 'home', lastCommit: 1 }]);
  const second = await start(backup);
  expect(second.fingerprint).toBe(first.fingerprint);
  await expect(beginEpoch(backup)).rejects.toMatchObject({ code: 'already-running' });
  await second.close();
});

it('a new epoch is refused when there never was a server', async () => {
  await expect(beginEpoch(folder)).rejects.toMatchObject({ code: 'no-server' });
  // SQLite makes a database of it.
  writeFileSync(join(folder, 'server.db'), '');
  await expect(beginEpoch(folder)).rejects.toMatchObject({ code: 'no-server' });
});

describe('a restore of a backup', () => {
  let data: string;
  let backup: string;
  let fingerprint: string;
  beforeEach(async () => {
    [data, backup] = [join(folder, 'data'), join(folder, 'backup')];
    const server = await start(data);
    ({ fingerprint } = server);
    // Beside the server.
    await backupServer(data, { target: backup, verify: false, rate: null });
    await server.close();
  });

  const restore = (to: string, replace = false) =>
    restoreServer(to, { backup, replace, force: false });

  it('replaces existing data on request and keeps them beside', async () => {
    writeFileSync(join(data, 'server.db'), 'damaged');
    const before = readdirSync(data).filter((name) => !/^(lock|upkeep.lock|reserve)$/.test(name));
    await expect(restore(data)).rejects.toMatchObject({ code: 'data-there' });
    const { volumes, aside } = await restore(data, true);
    expect(volumes).toEqual([{ volume: 'home', lastCommit: 1 }]);
    expect(readdirSync(aside ?? '')).toEqual(before);
    const server = await start(data);
    expect(server.fingerprint).toBe(fingerprint);
    await server.close();
  });

  it('works into an empty folder or the root of a disk', async () => {
    const disk = join(folder, 'disk');
    mkdirSync(join(disk, 'lost+found'), { recursive: true });
    expect(await restore(disk)).toMatchObject({ aside: null });
    const server = await start(disk);
    expect(server.fingerprint).toBe(fingerprint);
    await expect(restore(disk, true)).rejects.toMatchObject({ code: 'already-running' });
    await server.close();
  });

  it('is refused inside the backup and from anything that is no backup', async () => {
    const nested = { code: 'folder-nested' };
    await expect(restore(join(backup, 'data'))).rejects.toMatchObject(nested);
    await expect(restore(backup, true)).rejects.toMatchObject(nested);
    backup = data;
    await expect(restore(join(folder, 'to'))).rejects.toMatchObject({ code: 'not-a-backup' });
    backup = join(folder, 'nowhere');
    await expect(restore(join(folder, 'to'))).rejects.toMatchObject({ code: 'not-a-backup' });
    expect(readdirSync(folder).sort()).toEqual(['backup', 'data']);
  });

  it('is refused with damaged metadata or without the key, even by force', async () => {
    const [metadata = ''] = readdirSync(backup).filter((name) => name.startsWith('metadata-'));
    const to = join(folder, 'to');
    for (const spoil of [
      () => rmSync(join(backup, metadata)),
      () => rmSync(join(backup, 'identity.json')),
      () => writeFileSync(join(backup, 'identity.json'), '{}'),
    ]) {
      const whole = join(folder, 'whole');
      cpSync(backup, whole, { recursive: true });
      spoil();
      const forced = restoreServer(to, { backup, replace: false, force: true });
      await expect(forced).rejects.toMatchObject({ code: 'damaged-backup' });
      rmSync(backup, { recursive: true });
      cpSync(whole, backup, { recursive: true });
      rmSync(whole, { recursive: true });
    }
    expect(existsSync(to)).toBe(false);
  });

  describe('a restore of a server with altered rows', () => {
    const ALTERED = [
      ['user', "UPDATE user SET name = 'other'", /the row 1 of user is not as it was written/],
      ['device', "INSERT INTO meta VALUES ('more', '1')", /the row more of meta is not as/],
      ['commit', 'UPDATE vnode SET mode = 511', /rows of 1\.1\.1 .* are not as commit 1 of home/],
    ] as const;

    /** As an older version made it, which did not look. */
    function alter(sql: string): void {
      const [name = ''] = readdirSync(backup).filter((each) => each.startsWith('metadata-'));
      const file = join(backup, name);
      const database = new Database(file);
      expect(database.prepare(sql).run().changes).toBeGreaterThan(0);
      database.close();
      const manifest = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8')) as {
        snapshot: { metadata: { bytes: number; digest: string } };
      };
      const bytes = readFileSync(file);
      manifest.snapshot.metadata.bytes = bytes.length;
      manifest.snapshot.metadata.digest = Buffer.from(blake3(bytes)).toString('hex');
      writeFileSync(join(backup, 'manifest.json'), JSON.stringify(manifest));
    }

    it.each(ALTERED)(
      'is refused with the reason (%s) and changes nothing',
      async (_, sql, said) => {
        alter(sql);
        writeFileSync(join(data, 'mine'), 'as it was');
        const refused = restore(data, true);
        await expect(refused).rejects.toMatchObject({ code: 'damaged-backup' });
        await expect(refused).rejects.toThrow(said);
        expect(readFileSync(join(data, 'mine'), 'utf8')).toBe('as it was');
      },
    );

    it.each(ALTERED)(
      'is possible by force (%s) and reports what was accepted',
      async (_, sql, said) => {
        alter(sql);
        const to = join(folder, 'to');
        const { accepted } = await restoreServer(to, { backup, replace: false, force: true });
        expect(accepted).toEqual([expect.stringMatching(said)]);
        await (await start(to)).close();
        expect((await checkServer(to, { repair: false, rate: 1e9 })).accepted).toEqual([]);
      },
    );
  });

  it('leaves the folder unchanged when it is refused', async () => {
    const [mine, disk] = [join(folder, 'mine'), join(folder, 'disk')];
    mkdirSync(mine);
    writeFileSync(join(mine, 'mine'), 'mine');
    await expect(restore(mine)).rejects.toMatchObject({ code: 'data-there' });
    expect(readdirSync(mine)).toEqual(['mine']);
    rmSync(join(backup, 'identity.json'));
    mkdirSync(join(disk, 'lost+found'), { recursive: true });
    for (const to of [disk, join(folder, 'new', 'below')]) {
      await expect(restore(to)).rejects.toMatchObject({ code: 'damaged-backup' });
    }
    expect(readdirSync(disk)).toEqual(['lost+found']);
    expect(existsSync(join(folder, 'new'))).toBe(false);
    // A lock that was there is somebody's.
    await expect(restore(data)).rejects.toMatchObject({ code: 'data-there' });
    expect(existsSync(join(data, 'lock'))).toBe(true);
  });

  it('is completed by the next start when the machine went down after it was prepared', async () => {
    const made = join(folder, 'made');
    await restore(made);
    mkdirSync(join(data, 'restore.ready'));
    for (const name of readdirSync(made)) {
      cpSync(join(made, name), join(data, 'restore.ready', name), { recursive: true });
    }
    const server = await start(data);
    expect(server.fingerprint).toBe(fingerprint);
    expect(readdirSync(data).filter((name) => name.includes('restore'))).toHaveLength(1);
    await server.close();
  });
});
