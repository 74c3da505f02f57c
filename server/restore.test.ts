import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MemoryLog } from '../app/sim/process/memory-log.ts';
import { World } from '../app/sim/world.ts';
import { beginEpoch, startServer } from './main.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-restore-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const start = (dataDir: string) => {
  const log = new MemoryLog(new World(1), 'server');
  return startServer({ dataDir, listen: { host: '127.0.0.1', port: 0 }, log });
};

it('a backup put in place goes on as a new epoch, with the same identity', async () => {
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

it('where no server ever was, there is nothing to go on from', async () => {
  await expect(beginEpoch(folder)).rejects.toMatchObject({ code: 'folder-unusable' });
});
