/** How a Disk sets modes, times and extended attributes, and keeps what nobody syncs. */
import { expect, it } from '@jest/globals';
import { codeOf, type DiskBench } from './disk-harness.ts';

type On = () => DiskBench;

/** The coarsest step of a time on any disk. */
const COARSEST = 2_000_000_000n;
const GROUP = 12_345;

export function attributeTests(on: On): void {
  modeTests(on);
  timeTests(on);
  xattrTests(on);
  rightTests(on);
  unsyncedTests(on);
}

function modeTests(on: On): void {
  it('modes of files and directories are set without a change of their times', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), 'text');
    arrange.mkdir(bench.at('dir'));
    for (const name of ['file', 'dir']) {
      const path = bench.at(name);
      const { mtimeNs } = bench.seen(path);
      let kept = true;
      const modes = [0o640, 0o000, 0o777, ...(bench.lacks('special') ? [] : [0o1700, 0o6755])];
      for (const mode of modes) {
        const code = codeOf(() => disk.setMode(path, mode));
        if (bench.lacks('modes')) expect([undefined, 'EPERM', 'ENOSYS', 'ENOTSUP']).toContain(code);
        else expect([code, bench.seen(path).mode]).toEqual([undefined, mode]);
        kept &&= code === undefined && bench.seen(path).mode === mode;
      }
      expect(kept).toBe(!bench.lacks('modes'));
      expect(bench.seen(path).mtimeNs).toBe(mtimeNs);
    }
    expect(codeOf(() => disk.setMode(bench.at('none'), 0o600))).toBe('ENOENT');
  });

  it('a link has no mode that could be set, and its target keeps the one it has', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), '');
    const { mode } = bench.seen(bench.at('file'));
    if (!bench.symlink('file', bench.at('link'))) return;
    expect(codeOf(() => disk.setMode(bench.at('link'), 0o600))).toBe('ELOOP');
    expect(bench.seen(bench.at('file')).mode).toBe(mode);
  });
}

function timeTests(on: On): void {
  it.each([1_700_000_001_123_456_789n, 1_600_000_000_000_000_000n, 1n, -1_500_000_000n])(
    'a time of %d ns is set as exactly as the disk keeps it, and leaves the other one',
    (time) => {
      const bench = on();
      const { disk, arrange } = bench;
      arrange.write(bench.at('file'), 'text');
      arrange.mkdir(bench.at('dir'));
      for (const name of ['file', 'dir']) {
        const { atimeNs } = bench.seen(bench.at(name));
        disk.setMtime(bench.at(name), time);
        const off = bench.seen(bench.at(name)).mtimeNs - time;
        if (!bench.lacks('exact')) expect(off).toBe(0n);
        else if (time > COARSEST) expect(off <= COARSEST && off >= -COARSEST).toBe(true);
        expect(bench.seen(bench.at(name)).atimeNs).toBe(atimeNs);
      }
    },
  );

  it('the time of a link itself is set', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), '');
    if (!bench.symlink('file', bench.at('link'))) return;
    const { mtimeNs } = bench.seen(bench.at('file'));
    const time = 1_600_000_000_000_000_000n;
    disk.setMtime(bench.at('link'), time);
    expect(bench.seen(bench.at('link')).mtimeNs).toBe(time);
    expect(bench.seen(bench.at('file')).mtimeNs).toBe(mtimeNs);
  });

  it('a time that is none, and of nothing, is refused', () => {
    const { disk, at } = { disk: on().disk, at: (name: string) => on().at(name) };
    expect(codeOf(() => disk.setMtime(at('none'), 1n))).toBe('ENOENT');
    expect(codeOf(() => disk.setMtime(at('.'), 2n ** 80n))).toBe('EINVAL');
  });
}

/** Latin-1 for "café", as older programs write it. */
const NO_TEXT = Uint8Array.from([0x63, 0x61, 0x66, 0xe9]);

function xattrTests(on: On): void {
  it('extended attributes are set, listed in order and taken away', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), '');
    arrange.mkdir(bench.at('dir'));
    for (const name of ['file', 'dir']) {
      const path = bench.at(name);
      const listed = (): string[] =>
        disk.listXattrs(path).map((each) => `${each.name}=${Buffer.from(each.value).toString()}`);
      expect(listed()).toEqual([]);
      if (!bench.does('xattrs', () => disk.setXattr(path, 'zeta', Buffer.from('1')))) continue;
      for (const each of ['é', 'a.b', 'Z']) disk.setXattr(path, each, Buffer.from(''));
      disk.setXattr(path, 'zeta', Buffer.from('22'));
      expect(listed()).toEqual(['Z=', 'a.b=', 'zeta=22', 'é=']);
      disk.removeXattr(path, 'Z');
      expect(listed()).toEqual(['a.b=', 'zeta=22', 'é=']);
      expect(codeOf(() => disk.removeXattr(path, 'Z'))).toBe('ENODATA');
    }
    expect(codeOf(() => disk.listXattrs(bench.at('none')))).toBe('ENOENT');
  });

  it('extended attributes that no disk takes are refused, and leave the others', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), '');
    const set = (name: string, length: number): unknown =>
      codeOf(() => disk.setXattr(bench.at('file'), name, Buffer.alloc(length)));
    if (!bench.does('xattrs', () => disk.setXattr(bench.at('file'), 'a', Buffer.alloc(1)))) return;
    expect(['ERANGE', 'EINVAL']).toContain(set('n'.repeat(251), 1));
    expect(['E2BIG', 'ENOSPC', 'ERANGE']).toContain(set('large', 70_000));
    expect(disk.listXattrs(bench.at('file')).map(({ name }) => name)).toEqual(['a']);
  });

  it('an attribute whose name is no text is listed beside one that looks like it', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), '');
    arrange.mkdir(bench.at('dir'));
    for (const name of ['file', 'dir']) {
      const path = bench.at(name);
      if (bench.lacks('xattrs') || !arrange.setBytesXattr(path, NO_TEXT, 'old')) return;
      disk.setXattr(path, 'caf\\xe9', Buffer.from('red'));
      disk.setXattr(path, 'a', Buffer.from('1'));
      const listed = disk.listXattrs(path).map((each) => [each.name, each.isText]);
      expect(listed).toHaveLength(3);
      expect(listed).toContainEqual(['a', true]);
      expect(listed).toContainEqual(['caf\\xe9', true]);
      expect(listed).toContainEqual(['caf\\xe9', false]);
    }
  });

  it('a link has no extended attributes, whatever its target has', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), '');
    if (bench.lacks('xattrs') || !bench.symlink('file', bench.at('link'))) return;
    disk.setXattr(bench.at('file'), 'a', Buffer.from('1'));
    expect(disk.listXattrs(bench.at('link'))).toEqual([]);
    expect(codeOf(() => disk.setXattr(bench.at('link'), 'b', Buffer.from('1')))).toBe('EPERM');
    expect(disk.listXattrs(bench.at('file')).map(({ name }) => name)).toEqual(['a']);
  });
}

function rightTests(on: On): void {
  it('the owner of a locked file sets its mode and time, and no attribute', () => {
    const bench = on();
    const { disk, arrange } = bench;
    if (bench.lacks('rights')) return;
    const end = arrange.beOrdinary();
    try {
      arrange.write(bench.at('file'), '');
      arrange.mkdir(bench.at('dir'));
      for (const name of ['file', 'dir']) {
        const path = bench.at(name);
        arrange.chmod(path, 0o444);
        const set = (): void => disk.setXattr(path, 'a', Buffer.from('1'));
        if (!bench.lacks('xattrs')) expect(codeOf(set)).toBe('EACCES');
        disk.setMtime(path, 42_000_000_000n);
        expect(bench.seen(path).mtimeNs).toBe(42_000_000_000n);
        disk.setMode(path, 0o700);
        if (bench.lacks('xattrs')) continue;
        set();
        disk.setMode(path, 0);
        expect(codeOf(() => disk.listXattrs(path))).toBe('EACCES');
        disk.setMode(path, 0o700);
      }
    } finally {
      end();
    }
  });

  it("nothing is set of another user's file", () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('theirs'), '');
    if (bench.lacks('rights') || !arrange.chown(bench.at('theirs'), 1, 1)) return;
    const end = arrange.beOrdinary();
    try {
      expect(codeOf(() => disk.setMode(bench.at('theirs'), 0o666))).toBe('EPERM');
      expect(codeOf(() => disk.setMtime(bench.at('theirs'), 42n))).toBe('EPERM');
    } finally {
      end();
    }
  });
}

function unsyncedTests(on: On): void {
  it('a file takes over what another one has and nobody syncs, but no special bits', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('old'), '');
    arrange.write(bench.at('new'), '');
    const owned = !bench.lacks('modes') && arrange.chown(bench.at('old'), GROUP, GROUP);
    if (!bench.lacks('special')) arrange.chmod(bench.at('old'), 0o6755);
    if (!bench.lacks('xattrs')) disk.setXattr(bench.at('old'), 'tags', Buffer.from('red'));
    const dropped = disk.keepUnsynced(bench.at('old'), bench.at('new'));
    expect(dropped).toEqual(bench.lacks('special') ? [] : ['setuid', 'setgid']);
    expect(bench.seen(bench.at('new')).mode & 0o7000).toBe(0);
    if (owned) expect(bench.seen(bench.at('new'))).toMatchObject({ uid: GROUP, gid: GROUP });
    if (!bench.lacks('xattrs')) {
      expect(disk.listXattrs(bench.at('new')).map(({ name }) => name)).toEqual(['tags']);
    }
    expect(codeOf(() => disk.keepUnsynced(bench.at('none'), bench.at('new')))).toBe('ENOENT');
    expect(codeOf(() => disk.keepUnsynced(bench.at('old'), bench.at('none')))).toBe('ENOENT');
  });

  it('a file takes over an attribute whose name is no text', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('old'), '');
    arrange.write(bench.at('new'), '');
    const isThere = !bench.lacks('xattrs') && arrange.setBytesXattr(bench.at('old'), NO_TEXT, '1');
    if (!isThere) return;
    expect(disk.keepUnsynced(bench.at('old'), bench.at('new'))).toEqual([]);
    const [kept] = disk.listXattrs(bench.at('new'));
    expect(kept).toMatchObject({ name: 'caf\\xe9', isText: false });
  });

  it('a new file takes over what its directory passes on', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.mkdir(bench.at('dir'));
    arrange.write(bench.at('new'), '');
    const { gid } = bench.seen(bench.at('new'));
    disk.inherit(bench.at('dir'), bench.at('new'));
    expect(bench.seen(bench.at('new')).gid).toBe(gid);
    expect(codeOf(() => disk.inherit(bench.at('dir'), bench.at('none')))).toBe('ENOENT');
    if (bench.lacks('special') || !arrange.chown(bench.at('dir'), GROUP, GROUP)) return;
    arrange.chmod(bench.at('dir'), 0o2755);
    disk.inherit(bench.at('dir'), bench.at('new'));
    expect(bench.seen(bench.at('new')).gid).toBe(GROUP);
  });
}
