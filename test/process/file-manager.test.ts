/** What file managers run: the program behind their menus, and the extension that puts signs on files, over a real daemon. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { FILES } from '../../build/package/file-manager/menus.mjs';
import { itNeeds } from '../support/browser.ts';
import { onPath } from '../support/programs.ts';
import { twoLaptops } from '../support/two-laptops.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PARTS = join(ROOT, 'build', 'package', 'file-manager');
/** What a shell, a flag, an address or markup would make something else of. */
const NAMES = [
  'a b.txt',
  `it's "so".txt`,
  '--help',
  '-rf',
  '$(touch owned) `touch owned`;&|.txt',
  '<b>bold &amp; 100%',
  'back\\slash#?.txt',
  'two\nlines',
  'grüße',
];

const bench = twoLaptops();
const { a } = bench;
let bin: string;

beforeAll(async () => {
  bin = bench.path('bin');
  mkdirSync(bin);
  const program = (name: string, text: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  program('godwit', `exec "${process.execPath}" "${join(ROOT, 'app', 'cli', 'main.ts')}" "$@"`);
  // A person who takes the first row; and what they see.
  program(
    'zenity',
    `printf '%s\\n' "$@" >> "${bin}/asked"; case "$1" in --list) for w; do case "$w" in -*) ;; *) echo "$w"; exit ;; esac; done ;; *) cat > "${bin}/seen" ;; esac`,
  );
  program('xclip', `cat > "${bin}/copied.new" && mv "${bin}/copied.new" "${bin}/copied"`);
  for (const name of NAMES) writeFileSync(join(a.folder, name), 'first');
  await bench.json(['flush', '--wait', '--data', a.data]);
  for (const name of NAMES) writeFileSync(join(a.folder, name), 'second');
  await bench.json(['flush', '--wait', '--data', a.data]);
});

const env = () => ({ ...bench.env, PATH: `${bin}:/usr/bin:/bin`, WAYLAND_DISPLAY: '' });

function act(action: string, ...files: readonly string[]) {
  rmSync(join(bin, 'seen'), { force: true });
  const args = [join(PARTS, 'file-action.mjs'), action, ...files];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: env(),
  });
  const seen = existsSync(join(bin, 'seen')) ? readFileSync(join(bin, 'seen'), 'utf8') : null;
  return { status, stdout, stderr, seen };
}

const whole = (name: string): string => join(a.folder, name);
const address = (name: string): string => pathToFileURL(whole(name)).href;

describe('the menu of a file manager', () => {
  it.each(NAMES)('shows state and versions of the file %j, by its path and its address', (name) => {
    expect(act('state', whole(name))).toMatchObject({
      status: 0,
      seen: expect.stringContaining('synced'),
    });
    expect(act('versions', address(name))).toMatchObject({
      status: 0,
      seen: expect.stringContaining('as it is now'),
    });
    expect(existsSync(whole('owned'))).toBe(false);
  });

  it.each(NAMES)('brings back a version of the file %j', async (name) => {
    expect(act('restore', address(name))).toMatchObject({ status: 0 });
    await bench.flush(a);
    expect(readFileSync(whole(name), 'utf8')).toBe('first');
  });

  it('keeps several files, frees them, and takes a placeholder for its file', async () => {
    writeFileSync(whole('large.bin'), Buffer.alloc(100_000, 1));
    await bench.json(['flush', '--wait', '--data', a.data]);
    expect(act('keep', ...NAMES.map(address))).toMatchObject({ status: 0, stderr: '' });
    expect(act('free', whole('large.bin'))).toMatchObject({ status: 0 });
    expect(existsSync(whole('large.bin.godwit'))).toBe(true);
    expect(act('versions', whole('large.bin.godwit'))).toMatchObject({
      status: 0,
      seen: expect.stringContaining('100.0 KB'),
    });
  });

  it('says what is wrong in the dialog, and by its exit code', () => {
    expect(act('versions', '/no/such/file')).toMatchObject({
      status: 1,
      seen: expect.stringMatching(/./),
    });
    expect(act('state', 'relative')).toMatchObject({ status: 1 });
    expect(act('state', 'file://elsewhere/x')).toMatchObject({ status: 1 });
    expect(act('nothing', whole('a b.txt'))).toMatchObject({ status: 2, seen: null });
    expect(act('toString', whole('a b.txt'))).toMatchObject({ status: 2 });
    expect(act('state')).toMatchObject({ status: 2 });
    expect(act('resolution', whole('a b.txt'))).toMatchObject({
      status: 0,
      seen: expect.stringContaining('it is in no conflict'),
    });
  });
});

const missing = onPath('python3') === null ? 'there is no python3 here; install it' : null;

/** What the extension says of files, in a Python without a file manager. */
function signs(...files: readonly string[]): unknown {
  const script = [
    'import json, os, sys',
    `sys.path.insert(0, ${JSON.stringify(PARTS)})`,
    'sys.dont_write_bytecode = True',
    'import godwit_files as g',
    'uris = json.load(sys.stdin)',
    'json.dump({"signs": [g.sign_of_uri(u) for u in uris], "rows": len(g.actions_for(uris))}, sys.stdout)',
  ].join('\n');
  const { stdout, stderr } = spawnSync('python3', ['-c', script], {
    ...{ encoding: 'utf8', env: env(), input: JSON.stringify(files) },
  });
  return stderr === '' ? JSON.parse(stdout) : stderr;
}

describe('the extension of Nautilus and Nemo', () => {
  itNeeds(missing)('puts a sign on every file of the folder, and a menu of what suits all', () => {
    expect(signs(...NAMES.map(address))).toEqual({ signs: NAMES.map(() => 'synced'), rows: 2 });
    expect(signs(address('a b.txt'))).toMatchObject({ rows: 6 });
    expect(signs(address('large.bin.godwit'))).toMatchObject({ signs: ['online'] });
    return Promise.resolve();
  });

  itNeeds(missing)('shows nothing on other files, and that a new one waits', async () => {
    const others = ['file:///etc/passwd', 'sftp://host/x', 'trash:///y', address('.godwit')];
    others.push('smb://[no-address/x', 'file:///a%00b');
    others.push(pathToFileURL(a.folder).href);
    expect(signs(...others)).toEqual({ signs: others.map(() => null), rows: 0 });
    await bench.json(['pause', '--data', a.data]);
    writeFileSync(whole('waits.txt'), 'new');
    await bench.until(a.data, ({ queues }) => queues.data.updates > 0);
    expect(signs(address('waits.txt'))).toMatchObject({ signs: ['waiting'] });
    await bench.json(['resume', '--data', a.data]);
  });

  itNeeds(missing)('shows a conflict, and the menu copies the commands that end it', async () => {
    await bench.flush(a, bench.b);
    for (const { data } of [a, bench.b]) await bench.json(['pause', '--data', data]);
    writeFileSync(whole('a b.txt'), 'of a');
    writeFileSync(join(bench.b.folder, 'a b.txt'), 'of b');
    await bench.json(['resume', '--data', bench.b.data]);
    await bench.flush(bench.b);
    await bench.json(['resume', '--data', a.data]);
    const { conflicts } = await bench.until(a.data, (status) => status.conflicts.length > 0);
    expect(signs(address('a b.txt'))).toMatchObject({ signs: ['conflict'] });
    expect(act('resolution', address('a b.txt'))).toMatchObject({
      status: 0,
      seen: expect.stringMatching(/^Copied:\n/),
    });
    const id = conflicts[0]?.id;
    expect(readFileSync(join(bin, 'copied'), 'utf8')).toContain(
      `godwit conflicts resolve ${id} --keep theirs\n`,
    );
  });
});

describe('the files of the menus', () => {
  const validates =
    onPath('desktop-file-validate') === null
      ? 'there is no desktop-file-validate here; install desktop-file-utils'
      : null;

  itNeeds(validates)('are sound but for what KDE alone has', () => {
    for (const [path, text] of Object.entries(FILES)) {
      if (!path.endsWith('.desktop')) continue;
      const place = bench.path(path.split('/').at(-1) ?? '');
      writeFileSync(place, text);
      const { stdout } = spawnSync('desktop-file-validate', [place], { encoding: 'utf8' });
      // The type Service is KDE's.
      const faults = stdout
        .split('\n')
        .filter((line) => line !== '' && !/but the type is "Service"/.test(line));
      expect({ path, faults }).toEqual({ path, faults: [] });
    }
    return Promise.resolve();
  });

  it('give addresses alone to a line that is split into words', () => {
    const lines = Object.values(FILES).flatMap((text) => text.match(/^Exec=.*$/gm) ?? []);
    expect(lines.length).toBe(12);
    for (const line of lines) {
      expect(line).toMatch(/^Exec=\/usr\/lib\/godwit-desktop\/file-action \w+ %U$/);
    }
    const nemo = Object.entries(FILES).filter(([path]) => path.endsWith('.nemo_action'));
    for (const [, text] of nemo) expect(text).toMatch(/^Quote=double$/m);
  });
});
