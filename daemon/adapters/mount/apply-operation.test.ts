/** What the core is told of the versions that operations of the mount were done over. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { FileSystem } from '../../../shared/ports/file-system.ts';
import { applyOperation } from './apply-operation.ts';
import { KnownKeys, type Operation } from './operations.ts';

const ABOUT = { key: '1.2.2', dir: '1.1.1', name: 'a' };

it('a removal names the version and contents that the core gave the last store, however many the mount counts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'godwit-apply-'));
  const removed: unknown[] = [];
  let stores = 0;
  const fileSystem = {
    getattr: () => Promise.resolve({ kind: 'file' }),
    open: () => Promise.resolve({ handle: 1, path: join(folder, `opened${(stores += 1)}`) }),
    // Of two stores that were not sent yet it has made one.
    close: () => Promise.resolve({ version: 1, digest: `digest ${stores}` }),
    remove: (_place: unknown, { observed }: { observed: unknown }) => {
      removed.push(observed);
      return Promise.resolve();
    },
  } as unknown as FileSystem;
  const keys = new KnownKeys();
  for (const base of [0, 1]) {
    const path = join(folder, `w${base}`);
    writeFileSync(path, '');
    const store = { ...ABOUT, seq: base, op: 'store', path, base, size: 0, mtime: '0' } as const;
    await applyOperation(store, fileSystem, keys);
  }
  const remove = { ...ABOUT, seq: 3, op: 'remove', version: 2, at: '0' } as const;
  for (const op of [{ ...remove, own: true }, remove] satisfies Operation[]) {
    await applyOperation(op, fileSystem, keys);
  }
  const fid = ABOUT.key;
  expect(removed).toEqual([
    { fid, base: 1, digest: 'digest 2' },
    { fid, base: 2, digest: null },
  ]);
  rmSync(folder, { recursive: true });
});
