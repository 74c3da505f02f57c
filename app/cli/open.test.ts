/** `godwit open`, on a daemon whose folder is in the hand of the test. */
import { chmodSync, mkdirSync, readFileSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Fid } from '../../shared/model/fid.ts';
import { FakeControl } from '../../test/support/fake-control.ts';
import { godwit } from '../../test/support/run-cli.ts';

let control: FakeControl;
let folder: string;
const before = { ...process.env };

beforeEach(async () => {
  control = new FakeControl();
  await control.start();
  folder = join(control.folder, 'Godwit');
  mkdirSync(join(folder, 'd'), { recursive: true });
  control.daemon.become({ folder });
  control.daemon.cached = { files: 1, bytes: 1000, unchanged: 0, failed: 0, exceptions: [] };
  const { fileSystem, cache } = control.daemon;
  const root = (await fileSystem.volumes())[0]?.root as Fid;
  const { fid } = await fileSystem.mkdir(root, 'd', { mode: 0o755 });
  for (const name of ['a.txt', 'b']) await fileSystem.create(fid, name, { mode: 0o644 });
  writeFileSync(join(folder, 'd', 'a.txt.godwit'), 'a placeholder');
  const act = cache.act.bind(cache);
  // As the folder does: the file is in its place when it is told to be here.
  Object.assign(cache, {
    act: (...given: Parameters<typeof act>) => {
      if (control.daemon.cached?.failed === 0) writeFileSync(join(folder, ...given[2]), 'contents');
      return act(...given);
    },
  });
  delete process.env['DISPLAY'];
  delete process.env['WAYLAND_DISPLAY'];
});
afterEach(async () => {
  Object.assign(process.env, before);
  await control.close();
});

const open = (...args: string[]) => godwit(['open', ...args, '--data', control.data]);
const asked = () => control.daemon.calls.filter((call) => call.startsWith('demand'));

it('`godwit open` fills a placeholder and prints the path of its file', async () => {
  const path = join(folder, 'd', 'a.txt');
  expect(await open('--print', `${path}.godwit`)).toEqual({
    ...{ code: 0, stdout: `${path}\n`, stderr: '' },
  });
  expect(asked()).toEqual(['demand home d/a.txt']);
  const other = await open(join(folder, 'd', 'b'));
  expect(other).toMatchObject({ code: 0, stdout: `${join(folder, 'd', 'b')}\n` });
  expect(other.stderr).toMatch(/^there is no desktop here/);
  symlinkSync(join(folder, 'd'), join(control.folder, 'way'));
  const json = await open('--json', join(control.folder, 'way', 'a.txt.godwit'));
  expect(JSON.parse(json.stdout)).toEqual({ path, opened: false });
});

it('`godwit open` passes the file, not the placeholder, to the desktop', async () => {
  const bin = join(control.folder, 'bin');
  const told = join(control.folder, 'told');
  mkdirSync(bin);
  mkdirSync(told);
  writeFileSync(
    join(bin, 'xdg-open'),
    `#!/bin/sh\nprintf %s "$1" > ${told}/new\nmv ${told}/new ${told}/path\n`,
  );
  chmodSync(join(bin, 'xdg-open'), 0o755);
  process.env['PATH'] = `${bin}${delimiter}${process.env['PATH'] ?? ''}`;
  process.env['DISPLAY'] = ':none';
  const seen = watch(told);
  const path = join(folder, 'd', 'a.txt');
  expect(await open(`${path}.godwit`)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  const read = (): string => {
    try {
      return readFileSync(join(told, 'path'), 'utf8');
    } catch {
      return '';
    }
  };
  while (read() === '') await once(seen, 'change');
  seen.close();
  expect(read()).toBe(path);
});

it.each([
  ['d/none.godwit', 3, 'it stands for no file of the volume home'],
  ['d/none', 3, 'there is no such file'],
  ['d', 1, 'it is a folder'],
  ['../data', 2, 'it is not in the synced folder'],
  ['.', 1, 'it is a folder'],
  ['no/where.godwit', 3, 'it stands for no file of the volume home'],
])('`godwit open` refuses %s in one line', async (path, code, why) => {
  const refused = await open('--print', join(folder, path));
  expect(refused).toMatchObject({ code, stdout: '' });
  expect(refused.stderr).toMatch(/^godwit: [^\n]+\n$/);
  expect(refused.stderr).toContain(why);
  expect(asked()).toEqual([]);
});

it('`godwit open` reports why a file is not available, and finds one that was just renamed', async () => {
  const exceptions = [{ path: '/d/b', why: 'the server is away' }];
  control.daemon.cached = { files: 0, bytes: 0, unchanged: 0, failed: 1, exceptions };
  const away = await open('--print', join(folder, 'd', 'b.godwit'));
  expect(away.code).not.toBe(0);
  expect(away.stderr).toContain('the server is away');
  await open('--print', join(folder, 'd', 'c.godwit'));
  expect(control.daemon.calls).toContain('scan');
});

it('`godwit open` is refused when the daemon has no folder', async () => {
  control.daemon.become({ folder: null });
  const refused = await open('--print', join(folder, 'd', 'b'));
  expect(refused).toMatchObject({ code: 2, stdout: '' });
});
