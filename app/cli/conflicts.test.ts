/** `godwit conflicts resolve`, on a daemon that only writes down what it is asked for. */
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Mtime } from '../../shared/model/vnode.ts';
import { GodwitError, type ErrorCode } from '../../shared/wire/error-codes.ts';
import { FakeControl } from '../../test/support/fake-control.ts';
import { godwit } from '../../test/support/run-cli.ts';
import { formatClock } from './format.ts';

let control: FakeControl;

beforeEach(async () => {
  control = new FakeControl();
  await control.start();
});
afterEach(() => control.close());

it('`godwit conflicts` prints which side is where', async () => {
  const about = { id: 1, when: 'T' };
  control.daemon.become({
    conflicts: [
      { ...about, path: 'doc', copy: 'doc (conflict)', kind: 'contents' },
      { ...about, path: 'old', copy: 'old', kind: 'removed' },
      { ...about, path: 'lost', copy: 'lost', kind: 'contents-lost' },
      { ...about, path: 'doc', copy: 'doc (theirs)', kind: 'elsewhere' },
      { ...about, path: 'by me', copy: 'by them', kind: 'rename-undone' },
      { ...about, path: 'old', copy: 'new', kind: 'removal-undone' },
      { ...about, path: 'new', copy: 'old', kind: 'renamed-removed' },
      { ...about, volume: 'home', path: 'a', copy: 'a', kind: 'contents-lost' },
      { ...about, volume: 'te\u001bam', path: 'a', copy: 'a', kind: 'contents-lost' },
    ],
  });
  expect((await godwit(['conflicts', '--data', control.data])).stdout).toBe(
    "1  T  contents\n   theirs, at its place  /doc\n   mine, kept beside     '/doc (conflict)'\n" +
      '1  T  removed\n   mine, which they removed  /old\n' +
      '1  T  contents-lost\n   at its place  /lost\n' +
      "1  T  elsewhere\n   mine, at its place   /doc\n   theirs, kept beside  '/doc (theirs)'\n" +
      "1  T  rename-undone\n   the name it has     '/by them'\n   the name I gave it  '/by me'\n" +
      '1  T  removal-undone\n   what I removed                      /old\n' +
      '   they changed or moved it: it is at  /new\n' +
      '1  T  renamed-removed\n   what they removed   /old\n   the name I gave it  /new\n' +
      '1  T  contents-lost\n   at its place  /a\n' +
      "1  T  contents-lost\n   at its place  $'te\\x1bam:/a'\n" +
      'what differs: godwit conflicts show 1\n' +
      'keep one: godwit conflicts resolve 1 --keep mine (or theirs, both)\n',
  );
});

it('`godwit conflicts` and `show` name the other laptop', async () => {
  const about = { when: 'T', path: 'doc', copy: 'doc (conflict)', volume: 'home' };
  const version = { number: 9, when: 1, size: 1, present: true, kept: true };
  const become = (kind: string): void =>
    control.daemon.become({ conflicts: [{ ...about, id: 4, kind }] });
  const listed = async (): Promise<string> =>
    (await godwit(['conflicts', '--data', control.data])).stdout;
  const versionsBy = (by: string | null): void => {
    const versions = [
      { ...version, by },
      { ...version, by: 'oldest' },
    ];
    control.daemon.versions = { path: '/doc', removed: null, versions };
  };
  become('contents');
  versionsBy('laptop\u001bb');
  expect(await listed()).toContain('   theirs (laptop\\x1bb), at its place  /doc\n');
  const shown = await godwit(['conflicts', 'show', '4', '--data', control.data]);
  expect(shown.stdout).toContain('== theirs (laptop\\x1bb), at its place: /doc\n');
  const json = await godwit(['conflicts', 'show', '4', '--json', '--data', control.data]);
  expect(JSON.parse(json.stdout)).toMatchObject({ by: 'laptop\u001bb' });
  become('elsewhere');
  expect(await listed()).toContain("   theirs (laptop\\x1bb), kept beside  '/doc (conflict)'\n");
  become('contents');
  // It was written here since: whose it was before, nobody can tell for sure.
  versionsBy(control.daemon.snapshot().device.name);
  expect(await listed()).toContain('   theirs, at its place  /doc\n');
  control.daemon.calls.length = 0;
  become('renamed-removed');
  await listed();
  become('contents');
  // The daemon would wait for its server.
  control.daemon.connect(false);
  expect(await listed()).toContain('   theirs, at its place  /doc\n');
  expect(control.daemon.calls.filter((call) => call.startsWith('versions'))).toEqual([]);
});

it('`godwit conflicts` says which place is no longer there', async () => {
  const about = { id: 7, when: 'T', path: 'doc', copy: 'doc (conflict)', kind: 'contents' };
  control.daemon.become({ conflicts: [{ ...about, gone: ['copy'] }] });
  expect((await godwit(['conflicts', '--data', control.data])).stdout).toBe(
    '7  T  contents\n   theirs, at its place  /doc\n' +
      "   mine, kept beside     '/doc (conflict)' (is no longer there)\n" +
      '   once you have what you want: godwit conflicts dismiss 7\n',
  );
});

describe('a conflict that is named by a path', () => {
  const about = { when: 'T', kind: 'contents' };
  beforeEach(() =>
    control.daemon.become({
      conflicts: [
        { ...about, id: 4, path: 'doc', copy: 'doc (c)' },
        { ...about, id: 5, path: 'two', copy: 'two (c)' },
        { ...about, id: 6, path: 'two', copy: 'two (d)' },
        { ...about, id: 7, path: 'doc', copy: 'doc (w)', volume: 'work' },
      ],
    }),
  );
  const conflicts = (...args: string[]) => godwit(['conflicts', ...args, '--data', control.data]);

  it('is shown, resolved and dismissed by the path of either side', async () => {
    const { stdout } = await conflicts('show', '/doc', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ conflict: { id: 4 } });
    const copy = await conflicts('resolve', 'two (d)', '--keep', 'mine');
    expect(copy.stdout).toMatch(/^conflict 6 is resolved/);
    expect((await conflicts('dismiss', 'home:/doc')).stdout).toBe('conflict 4 is forgotten\n');
    expect(control.daemon.calls).toEqual(['versions home doc', 'resolve 6 mine', 'dismiss 4']);
  });

  it.each([
    ['/two', 2, 'godwit: /two: the conflicts 5, 6 are about it; give one of the numbers'],
    ['/none', 3, 'godwit: /none: no conflict is about it; see `godwit conflicts`'],
  ])('is refused by %s, which is that of several or of none', async (path, code, line) => {
    for (const act of [['show'], ['dismiss'], ['resolve', '--keep', 'both']]) {
      const told = await conflicts(...act, path);
      expect(told).toMatchObject({ code, stdout: '' });
      expect(told.stderr).toContain(line);
    }
    expect(control.daemon.calls).toEqual([]);
  });
});

/** A file in the root of the volume. */
async function write(name: string, contents: string | Buffer): Promise<void> {
  const { fileSystem } = control.daemon;
  const [home] = await fileSystem.volumes();
  const { fid } = await fileSystem.create(home!.root, name, { mode: 0o644 });
  const { handle, path } = await fileSystem.open(fid, { mode: 'write', truncate: true });
  writeFileSync(path, contents);
  await fileSystem.close(handle, { mtime: '1000000000' as Mtime });
}

it('`godwit conflicts show` prints what differs between two texts, and with --whole both', async () => {
  await write('doc', 'one\ntwo\nthree\n');
  await write('doc (c)', 'one\n2\nthree\n');
  const conflict = { id: 4, when: 'T', path: 'doc', copy: 'doc (c)', kind: 'contents' };
  control.daemon.become({ conflicts: [conflict] });
  const shown = await godwit(['conflicts', 'show', '4', '--data', control.data]);
  expect(shown.stdout).toMatch(
    /^--- theirs, at its place: \/doc \(14 B, [^)]+\)\n\+\+\+ mine, kept beside: '\/doc \(c\)' \(12 B, [^)]+\)\n/,
  );
  expect(shown.stdout).toMatch(/\n@@ -1,3 \+1,3 @@\n one\n-two\n\+2\n three\n$/);
  const whole = await godwit(['conflicts', 'show', '4', '--whole', '--data', control.data]);
  expect(whole.stdout).toMatch(/\n {2}one\n {2}two\n {2}three\n== mine/);
});

it('`godwit conflicts show` says that a side is a binary file, and that long texts are compared in part', async () => {
  await write('doc', 'x\n'.repeat(200_000));
  await write('doc (c)', `y\n${'x\n'.repeat(200_000)}`);
  await write('picture', 'PNG\u0000');
  const about = { when: 'T', path: 'doc', kind: 'contents' };
  control.daemon.become({
    conflicts: [
      { ...about, id: 4, copy: 'doc (c)' },
      { ...about, id: 5, copy: 'picture' },
    ],
  });
  const long = await godwit(['conflicts', 'show', '4', '--data', control.data]);
  expect(long.stdout).toMatch(
    /\n\+y\n x\n x\n x\n\(the first 262\.1 KB of each are compared, and there is more\)\n$/,
  );
  const binary = await godwit(['conflicts', 'show', '5', '--data', control.data]);
  expect(binary.stdout).toMatch(
    /\n {2}\.\.\.\n== mine[^\n]+\n[^\n]+\n\(no text: a binary file\)\n$/,
  );
  expect(binary.stdout.length).toBeLessThan(70_000);
});

it('`godwit conflicts show` prints both sides, or why one is missing', async () => {
  await write('doc', 'one\n\u001b[2Jtwo');
  const conflict = { id: 4, when: 'T', path: 'doc', copy: 'doc (conflict)', kind: 'contents' };
  control.daemon.become({ conflicts: [conflict] });
  const shown = await godwit(['conflicts', 'show', '4', '--data', control.data]);
  expect(shown.stdout).toMatch(
    /^== theirs, at its place: \/doc\n\(\d+ B, 1970-01-01 [\d:]+\)\n {2}one\n {2}.*two\n/,
  );
  expect(shown.stdout).not.toContain('\u001b');
  expect(shown.stdout).toMatch(/== mine, kept beside: '\/doc \(conflict\)'\n\(.+\)\n$/);
  const json = await godwit(['conflicts', 'show', '4', '--json', '--data', control.data]);
  expect(JSON.parse(json.stdout)).toMatchObject({
    conflict,
    sides: [
      { path: 'doc', preview: { text: 'one\n\u001b[2Jtwo', isCut: false }, error: null },
      { path: 'doc (conflict)', preview: null, error: { code: 'not-found' } },
    ],
  });
  const none = await godwit(['conflicts', 'show', '5', '--data', control.data]);
  expect(none).toMatchObject({ code: 3, stdout: '' });
});

it('`godwit conflicts show` says where links point, and shows texts that are not in UTF-8', async () => {
  const { fileSystem } = control.daemon;
  const [home] = await fileSystem.volumes();
  await fileSystem.symlink(home!.root, 'link', '../a\u001b', {});
  await write('doc', Buffer.from('one\nGrüße\n', 'latin1'));
  const about = { id: 4, when: 'T', kind: 'name' };
  control.daemon.become({ conflicts: [{ ...about, path: 'link', copy: 'doc' }] });
  const { stdout } = await godwit(['conflicts', 'show', '4', '--data', control.data]);
  expect(stdout).toMatch(/^== theirs, at its place: \/link\n\(a link to \.\.\/a\\x1b\)\n== mine/);
  expect(stdout).toMatch(/\n\(10 B, [^\n]+, read as windows-1252\)\n {2}one\n {2}Grüße\n$/);
});

it('`godwit conflicts show` lists what is in folders', async () => {
  const { fileSystem } = control.daemon;
  const [home] = await fileSystem.volumes();
  const { fid } = await fileSystem.mkdir(home!.root, 'dir', { mode: 0o755 });
  for (let i = 10; i < 32; i++) await fileSystem.mkdir(fid, `sub ${i}`, { mode: 0o755 });
  const when = new Date(2026, 0, 31, 14, 30).toISOString();
  const conflict = { id: 4, when, path: 'dir', copy: 'dir (c)', kind: 'name' };
  control.daemon.become({ conflicts: [conflict] });
  const { stdout } = await godwit(['conflicts', 'show', '4', '--data', control.data]);
  expect(stdout).toMatch(
    /^== theirs, at its place: \/dir\n\(a folder with 22 things\)\n +- .* sub 10\/\n/,
  );
  expect(stdout).toMatch(/\n {2}\.\.\. and 2 more\n== mine, kept beside: '\/dir \(c\)'\n\(.+\)\n$/);
  const listed = await godwit(['conflicts', '--data', control.data]);
  expect(listed.stdout).toMatch(/^4 {2}2026-01-31 14:30:00( \(.+\))? {2}name\n/);
});

const run = (...args: string[]) =>
  godwit(['conflicts', 'resolve', ...args, '--data', control.data]);

describe('godwit conflicts resolve', () => {
  it('prints what stayed and how to restore the other side', async () => {
    control.daemon.resolution = { path: 'doc', removed: "doc (ann's)" };
    const shown = await run('2', '--keep', 'theirs');
    expect(shown).toEqual({
      code: 0,
      stdout:
        'conflict 2 is resolved: theirs is at /doc\n' +
        "to have the other one back: godwit restore '/doc (ann'\\''s)'\n",
      stderr: '',
    });
    control.daemon.resolution = { volume: 'work', path: 'doc', removed: 'doc' };
    const object = JSON.parse((await run('2', '--keep', 'mine', '--json')).stdout) as object;
    expect(object).toEqual({
      id: 2,
      keep: 'mine',
      volume: 'work',
      path: 'doc',
      removed: 'doc',
      note: null,
      restore: 'godwit restore work:/doc',
    });
    expect(control.daemon.calls).toEqual(['resolve 2 theirs', 'resolve 2 mine']);
  });

  it('prints what differs from the request, and when both stay', async () => {
    control.daemon.resolution = { path: 'doc', note: 'the other one is gone already' };
    expect((await run('2', '--keep', 'mine')).stdout).toBe(
      'conflict 2 is resolved: mine is at /doc (the other one is gone already)\n',
    );
    control.daemon.resolution = { removed: 'doc' };
    expect((await run('2', '--keep', 'theirs')).stdout).toMatch(
      /^conflict 2 is resolved: it is removed\nto have the other one back: godwit restore \/doc\n$/,
    );
    control.daemon.resolution = {};
    expect((await run('2', '--keep', 'both')).stdout).toBe(
      'conflict 2 is forgotten: both stay where they are\n',
    );
  });

  it.each<[ErrorCode, number, RegExp]>([
    ['changed-since', 1, /why; rename or remove [^\n]+ `godwit conflicts dismiss 2`\n/],
    ['is-a-directory', 1, /why; rename or remove [^\n]+ `godwit conflicts dismiss 2`\n/],
    ['not-found', 3, /why; see `godwit conflicts`/],
    ['sync-blocked', 5, /why; [^\n]*`godwit flush --wait`/],
    ['no-contents', 5, /why; wait for the device/],
    ['disk-full', 5, /why; free some space/],
  ])('reports %s in one line with a remedy and exit code %d', async (code, exit, line) => {
    control.daemon.resolution = new GodwitError(code, 'why');
    const refused = await run('2', '--keep', 'mine');
    expect(refused).toMatchObject({ code: exit, stdout: '' });
    expect(refused.stderr).toMatch(/^godwit: [^\n]+; [^\n]+\n$/);
    expect(refused.stderr).toMatch(line);
    const object = JSON.parse((await run('2', '--keep', 'mine', '--json')).stdout) as object;
    expect(object).toMatchObject({ error: { code, message: 'why' } });
  });

  it.each([[['2']], [['2', '--keep', 'ours']], [['0', '--keep', 'mine']], [['--keep', 'mine']]])(
    'rejects %j as a usage error: one line, exit code 2',
    async (args) => {
      const shown = await run(...args);
      expect(shown.code).toBe(2);
      expect(shown.stderr).toMatch(/^godwit: [^\n]+\n$/);
      expect(control.daemon.calls).toEqual([]);
    },
  );
});

it('a time of another day is printed with its date', () => {
  const at = new Date(2026, 0, 31, 14, 30);
  expect(formatClock(at.toISOString(), new Date(2026, 0, 31, 9, 0).getTime())).toBe('14:30');
  expect(formatClock(at.toISOString(), new Date(2026, 0, 30, 23, 0).getTime())).toBe(
    '2026-01-31 14:30',
  );
});
