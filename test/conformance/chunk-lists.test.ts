import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { MemoryChunkLists } from '../../app/lab/simulator/store/memory-chunk-lists.ts';
import { SqliteChunkLists } from '../../daemon/adapters/store/chunk-lists-sqlite.ts';
import type { Digest } from '../../shared/model/vnode.ts';
import { chunkListsSuite } from './chunk-lists.suite.ts';

let scratch = '';

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'godwit-chunk-lists-'));
});

afterEach(() => {
  rmSync(scratch, { recursive: true, force: true });
});

chunkListsSuite('in SQLite', () => ({
  open: (mostBytes) => new SqliteChunkLists({ file: join(scratch, 'lists.db'), mostBytes }),
}));

chunkListsSuite('in memory', () => {
  let lists: MemoryChunkLists | null = null;
  return { open: (mostBytes) => (lists ??= new MemoryChunkLists({ mostBytes })) };
});

describe('a file of chunk lists', () => {
  const digest = 'ab'.repeat(32) as Digest;
  const list = new Uint8Array([1, 2, 3]);

  it('is created anew when the file is not a database', async () => {
    const file = join(scratch, 'lists.db');
    writeFileSync(file, 'not a database at all'.repeat(100));
    const lists = new SqliteChunkLists({ file });
    await lists.put(digest, list);
    expect(await lists.get(digest)).toEqual(Buffer.from(list));
    await lists.close();
  });

  it('loses its contents and goes on when it is damaged while open', async () => {
    const file = join(scratch, 'lists.db');
    const before = new SqliteChunkLists({ file });
    for (let i = 0; i < 200; i++) {
      await before.put(String(i).padStart(64, '0') as Digest, new Uint8Array(2000).fill(i));
    }
    await before.close();
    const lists = new SqliteChunkLists({ file });
    truncateSync(file, 40_000);
    const asked = Array.from({ length: 200 }, (_, i) => String(i).padStart(64, '0') as Digest);
    const answers = await Promise.allSettled(asked.map((each) => lists.get(each)));
    expect(answers.some(({ status }) => status === 'rejected')).toBe(true);
    await lists.put(digest, list);
    expect(await lists.get(digest)).toEqual(Buffer.from(list));
    await lists.close();
  });

  it('is refused and kept when a newer program wrote it', () => {
    const file = join(scratch, 'lists.db');
    const other = new Database(file);
    other.pragma('user_version = 99');
    other.close();
    expect(() => new SqliteChunkLists({ file })).toThrow(/newer version/);
    expect(readdirSync(scratch)).toContain('lists.db');
  });
});
