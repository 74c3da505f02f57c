import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { everySequence } from './every-sequence.ts';

describe('godwit sim --sequences', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'godwit-sequences-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('runs every sequence of one operation and says how many', async () => {
    let text = '';
    const screen = { write: (part: string) => (text += part) !== '' };
    const io = { out: screen, err: screen, interruption: () => new AbortController().signal };
    const asked = {
      what: 'sequences',
      depth: 1,
      save: folder,
      shortenRuns: 0,
      json: true,
    } as const;
    expect(await everySequence(asked, io)).toBe(0);
    expect(JSON.parse(text)).toEqual({ cases: 221, operations: 2329, failures: [] });
  });
});
