import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { removeDurably, writeDurably } from './durable-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-durable-'));
  path = join(folder, 'file');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What is there whenever the folder is synced. */
function witness(): {
  seen: Array<readonly [string, string | null]>;
  syncDirectory(at: string): void;
} {
  const seen: Array<readonly [string, string | null]> = [];
  const syncDirectory = (at: string): void => {
    seen.push([at, existsSync(path) ? readFileSync(path, 'utf8') : null]);
  };
  return { seen, syncDirectory };
}

const permissions = (): number => statSync(path).mode & 0o777;

it('a durable write replaces a file and makes its name durable last', () => {
  const host = witness();
  writeDurably(path, 'old', host);
  writeDurably(path, 'new', host);
  removeDurably(path, host);
  removeDurably(path, host);
  expect(host.seen).toEqual(['old', 'new', null, null].map((text) => [folder, text]));
  expect(readdirSync(folder)).toEqual([]);
});

it('a durable write makes a private file unless another mode is given', () => {
  writeDurably(path, 'secret', witness());
  expect(permissions()).toBe(0o600);
  writeDurably(path, 'known to all', witness(), 0o644);
  expect(permissions()).toBe(0o644);
});

it("a durable write reports the disk's error for a folder in its way", () => {
  mkdirSync(`${path}.${process.pid}.new`);
  expect(() => writeDurably(path, 'new', witness())).toThrow(/file\.\d+\.new: a folder is there/);
});

it.each(['', `.${process.pid}`, '.4194999'])(
  'a durable write replaces what an interruption left behind: %s',
  (pid) => {
    writeFileSync(`${path}${pid}.new`, 'a half that is longer than what comes');
    writeDurably(path, 'whole', witness());
    expect(readFileSync(path, 'utf8')).toBe('whole');
    expect(readdirSync(folder)).toEqual(['file']);
  },
);

it('a durable write leaves alone what only looks like a half', () => {
  const others = ['file.4194999.new.txt', 'file.a.new', 'other.4194999.new'];
  for (const name of others) writeFileSync(join(folder, name), 'of somebody');
  writeDurably(path, 'whole', witness());
  expect(readdirSync(folder).sort()).toEqual(['file', ...others].sort());
});

it('a durable write that fails leaves nothing beside its target', () => {
  mkdirSync(path);
  expect(() => writeDurably(path, 'secret', witness())).toThrow(
    expect.objectContaining({ code: 'in-the-way' }),
  );
  expect(readdirSync(folder)).toEqual(['file']);
});

it('simultaneous durable writes of several processes all end well and leave one whole file', async () => {
  const script = `
    import { writeDurably } from ${JSON.stringify(import.meta.resolve('./durable-file.ts'))};
    for (let n = 0; n < 200; n++) {
      writeDurably(${JSON.stringify(path)}, String(process.pid).repeat(1000), { syncDirectory() {} });
    }`;
  const writers = Array.from({ length: 3 }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'inherit' }),
  );
  const codes = await Promise.all(
    writers.map(async (writer) => ((await once(writer, 'exit')) as unknown[])[0]),
  );
  expect(codes).toEqual([0, 0, 0]);
  const texts = writers.map(({ pid }) => String(pid).repeat(1000));
  expect(texts).toContain(readFileSync(path, 'utf8'));
  expect(readdirSync(folder)).toEqual(['file']);
});

it('a durable write on a disk that fills up leaves the old file', () => {
  writeFileSync(path, 'old');
  // The system cuts a write off at the limit and refuses the next one, as a disk does that gets full meanwhile.
  const script = `
    import { writeDurably } from ${JSON.stringify(import.meta.resolve('./durable-file.ts'))};
    try {
      writeDurably(${JSON.stringify(path)}, 'x'.repeat(100_000), { syncDirectory() {} });
      console.log('written');
    } catch ({ code }) {
      console.log(code);
    }`;
  const shell = 'ulimit -f 8; exec "$0" --input-type=module --eval "$1"';
  const child = spawnSync('sh', ['-c', shell, process.execPath, script], { encoding: 'utf8' });
  expect([child.stdout, child.signal]).toEqual(['folder-unusable\n', null]);
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(folder)).toEqual(['file']);
});

it.each([
  ['EIO', 'disk-failing'],
  ['ENOSPC', 'disk-full'],
])('a disk that fails to sync with %s is reported as %s', (errno, code) => {
  const failing = {
    syncDirectory: () => {
      throw Object.assign(new Error('no'), { code: errno });
    },
  };
  const told = expect.objectContaining({ code, message: expect.stringContaining(path) });
  expect(() => writeDurably(path, 'text', failing)).toThrow(told);
  expect(() => removeDurably(path, failing)).toThrow(told);
});
