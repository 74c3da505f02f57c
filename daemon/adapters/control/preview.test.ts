/** The beginning of a file for a person: what is in the folder is read there, and nothing large is fetched for it. */
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MAX_PREVIEW_FETCH } from '../../../shared/control/limits.ts';
import { rootOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { Attributes, FileSystem } from '../../../shared/ports/file-system.ts';
import { preview } from './preview.ts';

const ROOT = rootOf(1 as VolumeId);
let dir: string;
let folder: string;
let opened: string[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'godwit-preview-'));
  folder = join(dir, 'folder');
  mkdirSync(folder);
  opened = [];
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A file system of one file, which has these bytes in the volume. */
function volumeOf(bytes: string | Buffer, about: Partial<Attributes> = {}): FileSystem {
  const source = join(dir, 'fetched');
  writeFileSync(source, bytes);
  const file = {
    fid: '1.2.2',
    kind: 'file',
    size: bytes.length,
    mtime: '0',
    cached: true,
    ...about,
  };
  const fake = {
    volumes: () => Promise.resolve([{ id: 1, name: 'home', root: ROOT }]),
    getattr: () => Promise.resolve({ fid: ROOT, kind: 'directory' }),
    lookup: () => Promise.resolve(file),
    open: (fid: Fid) => {
      opened.push(fid);
      return Promise.resolve({ handle: 1, path: source });
    },
    close: () => Promise.resolve(),
  };
  return fake as unknown as FileSystem;
}

const LONG = `text\n${'x'.repeat(MAX_PREVIEW_FETCH)}`;
const asked = { volume: 'home', path: ['doc'], most: 4 };
const mtimeOf = (path: string) => String(statSync(path, { bigint: true }).mtimeNs) as never;

it('a file that the folder has is read there, whatever its length', async () => {
  writeFileSync(join(folder, 'doc'), LONG);
  const files = volumeOf(LONG, { mtime: mtimeOf(join(folder, 'doc')) });
  expect(await preview(files, folder, asked)).toMatchObject({ text: 'text', isCut: true });
  writeFileSync(join(folder, 'doc'), Buffer.alloc(LONG.length));
  const binary = volumeOf(LONG, { mtime: mtimeOf(join(folder, 'doc')) });
  expect(await preview(binary, folder, asked)).toMatchObject({ text: null, size: LONG.length });
  expect(opened).toEqual([]);
});

it('a large file that is not here as it is wanted is not fetched', async () => {
  expect(await preview(volumeOf(LONG), folder, asked)).toMatchObject({ text: null, isCut: true });
  writeFileSync(join(folder, 'doc'), LONG);
  // Its time is another one: somebody is at work on it.
  expect(await preview(volumeOf(LONG), folder, asked)).toMatchObject({ text: null });
  const away = volumeOf(LONG, { cached: false });
  expect(await preview(away, null, asked)).toMatchObject({ text: null });
  expect(opened).toEqual([]);
});

it('a short file, or one that is in the cache, is read as programs read it', async () => {
  expect(await preview(volumeOf('text'), folder, asked)).toMatchObject({
    text: 'text',
    isCut: false,
  });
  expect(await preview(volumeOf(LONG), null, asked)).toMatchObject({ text: 'text', isCut: true });
  expect(opened).toHaveLength(2);
});

it('a link in the folder leads nowhere', async () => {
  writeFileSync(join(dir, 'secret'), 'secret');
  symlinkSync(join(dir, 'secret'), join(folder, 'doc'));
  const files = volumeOf('public', { mtime: mtimeOf(join(dir, 'secret')) });
  expect(await preview(files, folder, { ...asked, most: 10 })).toMatchObject({ text: 'public' });
});

it('a link has its target and no text', async () => {
  const link = volumeOf('', { kind: 'symlink', target: '../elsewhere' });
  expect(await preview(link, folder, asked)).toMatchObject({ text: null, target: '../elsewhere' });
  expect(opened).toEqual([]);
});

it.each([
  ['Straße, “quoted”', Buffer.from('Stra\xdfe, \x93quoted\x94', 'latin1'), 'windows-1252'],
  ['Straße', Buffer.from('Straße'), undefined],
  [null, Buffer.from('\x89PNG\r\n\x1a\nIHDR', 'latin1'), undefined],
  [null, Buffer.from('\xfe\xffa\xe0\xc3\xb1\xd5b', 'latin1'), undefined],
])('the text %j is shown of the bytes %j', async (text, bytes, encoding) => {
  const shown = await preview(volumeOf(bytes), folder, { ...asked, most: 100 });
  expect([shown.text, shown.encoding]).toEqual([text, encoding]);
});
