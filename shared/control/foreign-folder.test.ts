import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  refuseForBackup,
  refuseForDaemon,
  refuseForServer,
  refuseForSync,
} from './foreign-folder.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'godwit-foreign-'));
  for (const [folder, mark] of [
    ['server', 'server.db'],
    ['daemon', 'daemon.db'],
    ['synced/.godwit', 'marker.json'],
    ['neither', 'notes.txt'],
  ] as const) {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, mark), '{}');
  }
  symlinkSync(join(root, 'synced'), join(root, 'link'));
});
afterAll(() => rmSync(root, { recursive: true }));

it.each([
  ['a server', refuseForServer, 'daemon', 'it is the data folder of a daemon'],
  ['a server', refuseForServer, 'synced', 'it is a synced folder'],
  ['a server', refuseForServer, 'synced/below/data', 'it lies in a synced folder, '],
  ['a server, over a link,', refuseForServer, 'link/data', 'it lies in a synced folder, '],
  ['a daemon', refuseForDaemon, 'server', 'it is the data folder of a server'],
  ['a daemon', refuseForDaemon, 'synced/data', 'it lies in a synced folder, '],
  ['syncing', refuseForSync, 'server', 'it is the data folder of a server'],
  ['syncing', refuseForSync, 'server/spool/x', 'it lies in the data folder of a server, '],
  ['syncing', refuseForSync, 'daemon', 'it is the data folder of a daemon'],
  ['a backup', refuseForBackup, 'synced/backup', 'it lies in a synced folder, '],
])('a folder of another kind is refused for %s: %s %s', (_, refuse, folder, why) => {
  const path = join(root, folder);
  const message = expect.stringContaining(`${path}: ${why}`) as unknown;
  expect(() => refuse(path)).toThrow(expect.objectContaining({ code: 'folder-unusable', message }));
});

it.each([
  [refuseForServer, 'server'],
  [refuseForServer, 'neither'],
  [refuseForServer, 'not there/yet'],
  [refuseForDaemon, 'daemon'],
  [refuseForDaemon, 'not there/yet'],
  [refuseForSync, 'synced'],
  [refuseForSync, 'neither'],
  [refuseForBackup, 'neither'],
])('a folder of the same kind or of none is accepted: %p %s', (refuse, folder) => {
  expect(() => refuse(join(root, folder))).not.toThrow();
});
