import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FoundReport } from '../../../shared/control/folder.ts';
import { FakeDaemon } from '../../../test/support/fake-daemon.ts';
import { findNames, folderReport } from './folder-report.ts';

let folder: string;
let daemon: FakeDaemon;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-find-'));
  daemon = new FakeDaemon(folder);
  const { fileSystem } = daemon;
  const root = (await fileSystem.volumes())[0]?.root;
  if (root === undefined) throw new Error('no volume');
  const letters = await fileSystem.mkdir(root, 'Letters', { mode: 0o755 });
  const old = await fileSystem.mkdir(letters.fid, 'old', { mode: 0o755 });
  await fileSystem.create(letters.fid, 'to Ann', { mode: 0o644 });
  await fileSystem.create(old.fid, 'LETTER.txt', { mode: 0o644 });
  await fileSystem.create(root, 'cafe\u0301', { mode: 0o644 });
});

afterEach(() => rmSync(folder, { recursive: true }));

const find = (text: string, path: readonly string[] = [], most = 10): Promise<FoundReport> =>
  findNames(
    daemon.fileSystem,
    { volume: 'home', path, text, most },
    { isCurrent: true, locks: [], lost: [] },
  );
const paths = ({ rows }: FoundReport): string[] => rows.map(({ path }) => path.join('/'));

describe('a search for a name', () => {
  it('finds what is in the folder and below it, near ones first, in small or capital letters', async () => {
    expect(paths(await find('letter'))).toEqual(['Letters', 'Letters/old/LETTER.txt']);
    expect(paths(await find('ANN', ['Letters']))).toEqual(['Letters/to Ann']);
    expect(paths(await find('letter', ['Letters', 'old']))).toEqual(['Letters/old/LETTER.txt']);
    expect(await find('nowhere')).toEqual({ rows: [], isCut: false });
  });

  it('finds an accent in either of its forms', async () => {
    expect(paths(await find('caf\u00e9'))).toEqual(['cafe\u0301']);
  });

  it('says when there may be more', async () => {
    const { rows, isCut } = await find('letter', [], 1);
    expect([rows.length, isCut]).toEqual([1, true]);
    expect((await find('letter', [], 2)).isCut).toBe(false);
  });

  it('is refused in a folder that does not exist', async () => {
    await expect(find('a', ['gone'])).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('the rows of a folder', () => {
  it('say what a mount point shows, or why it shows nothing', async () => {
    const { fileSystem } = daemon;
    const whole = fileSystem.readdir.bind(fileSystem);
    const why = 'it shows a volume that this laptop may not see';
    fileSystem.readdir = async (dir) =>
      (await whole(dir)).map(({ name, attributes }) => ({
        name,
        attributes: { ...attributes, mounted: { at: attributes.fid, volume: null, why } },
      }));
    const part = { volume: 'home', path: ['Letters'], from: 0, most: 1 };
    const { rows } = await folderReport(fileSystem, part, { isCurrent: true, locks: [], lost: [] });
    expect(rows.map(({ mounted }) => mounted)).toEqual([{ volume: null, why }]);
  });
});
