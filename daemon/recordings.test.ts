/** Where a daemon has what it records with. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { FileSystem } from '../shared/ports/file-system.ts';
import type { RecordingParts } from '../shared/ports/recordings.ts';
import { noRecordings, recorderIn } from './recordings.ts';

const folder = mkdtempSync(join(tmpdir(), 'godwit-recordings-'));
afterAll(() => rmSync(folder, { recursive: true }));

function module(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe('a daemon without a recorder', () => {
  const none = noRecordings({} as RecordingParts);

  it('refuses to record', async () => {
    const refused = expect.objectContaining({ code: 'no-laboratory' });
    expect(() => none.begin()).toThrow(refused);
    expect(() => none.end(1, 0)).toThrow(refused);
    await expect(none.next(1, 0, 0)).rejects.toEqual(refused);
  });

  it('returns the file system itself', () => {
    const fileSystem = {} as FileSystem;
    expect(none.over(fileSystem, { pid: 0 })).toBe(fileSystem);
    expect(none.close()).toBeUndefined();
  });
});

describe('the module of a recorder', () => {
  it('makes its recordings', async () => {
    const file = module('good.mjs', 'export const makeRecordings = (parts) => parts.log;');
    const made = await recorderIn(file);
    expect(made({ log: 'made' } as unknown as RecordingParts)).toBe('made');
  });

  it.each([
    ['is not there', () => join(folder, 'nowhere.mjs'), 'there is no such file'],
    ['can not be read', () => module('bad.mjs', 'export const = 1;'), 'it can not be loaded'],
    ['has none', () => module('none.mjs', 'export const a = 1;'), 'it has no recorder in it'],
  ])('is refused as wrong usage when it %s', async (_what, file, reason) => {
    const path = file();
    await expect(recorderIn(path)).rejects.toMatchObject({
      code: 'usage',
      message: `--recorder ${path}: ${reason}`,
    });
  });
});
