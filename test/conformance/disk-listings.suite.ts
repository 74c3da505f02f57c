/** What a Disk tells of the names in a directory. */
import { expect, it } from '@jest/globals';
import { codeOf, type DiskBench } from './disk-harness.ts';

type On = () => DiskBench;

export function listingTests(on: On): void {
  listTests(on);
  lookTests(on);
  spellingTests(on);
}

function listTests(on: On): void {
  it('names are listed whole, by text and by bytes, and directories by themselves', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.mkdir(bench.at('dir'));
    expect(disk.names(bench.at('dir'))).toEqual([]);
    const names = ['a name', 'ä', '猫', '.hidden', 'x'.repeat(255)];
    for (const name of names) arrange.write(bench.at('dir', name), '');
    arrange.mkdir(bench.at('dir', 'inner'));
    const all = [...names, 'inner'].sort();
    expect(disk.names(bench.at('dir')).sort()).toEqual(all);
    const bytes = disk.namesAsBytes(bench.at('dir')).map((name) => name.toString());
    expect(bytes.sort()).toEqual(all);
    expect(disk.directoriesIn(bench.at('dir'))).toEqual(['inner']);
  });

  it('links are no directories, and are listed through', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.mkdir(bench.at('dir'));
    arrange.write(bench.at('dir', 'file'), '');
    if (!bench.symlink('dir', bench.at('link'))) return;
    expect(disk.directoriesIn(bench.at('.'))).toEqual(['dir']);
    expect(disk.names(bench.at('link'))).toEqual(['file']);
  });

  it('a name that is no UTF-8 is listed by its bytes', () => {
    const bench = on();
    const name = Uint8Array.from([0x61, 0xff, 0x62]);
    expect(bench.arrange.writeBytesName(bench.at(), name)).toBe(!bench.lacks('raw'));
    if (bench.lacks('raw')) return;
    expect(bench.disk.namesAsBytes(bench.at()).map((each) => [...each])).toEqual([[...name]]);
  });

  it('a thousand names are listed once each', () => {
    const bench = on();
    const names = Array.from({ length: 1000 }, (_, index) => `file ${index}`);
    for (const name of names) bench.arrange.write(bench.at(name), '');
    expect(bench.disk.names(bench.at()).sort()).toEqual(names.sort());
  });

  it('a listing of something that is no directory is refused', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), '');
    for (const list of ['names', 'namesAsBytes', 'directoriesIn', 'mayList'] as const) {
      expect(codeOf(() => disk[list](bench.at('none')))).toBe('ENOENT');
      expect(codeOf(() => disk[list](bench.at('file')))).toBe('ENOTDIR');
    }
  });
}

function lookTests(on: On): void {
  it('a listing without the right to read names is refused', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.mkdir(bench.at('dir'));
    disk.mayList(bench.at('dir'));
    if (bench.symlink('dir', bench.at('link'))) {
      expect(['ENOTDIR', 'ELOOP']).toContain(codeOf(() => disk.mayList(bench.at('link'))));
    }
    if (bench.lacks('rights')) return;
    const end = arrange.beOrdinary();
    try {
      arrange.mkdir(bench.at('mine'));
      arrange.write(bench.at('mine', 'file'), '');
      arrange.chmod(bench.at('mine'), 0o300);
      expect(codeOf(() => disk.mayList(bench.at('mine')))).toBe('EACCES');
      expect(codeOf(() => disk.names(bench.at('mine')))).toBe('EACCES');
      expect(disk.exists(bench.at('mine', 'file'))).toBe(true);
      arrange.chmod(bench.at('mine'), 0o400);
      expect(disk.names(bench.at('mine'))).toEqual(['file']);
      expect(codeOf(() => disk.status(bench.at('mine', 'file')))).toBe('EACCES');
      expect(disk.exists(bench.at('mine', 'file'))).toBe(!arrange.asksAsOrdinary);
    } finally {
      end();
    }
  });

  it('whether something is there is answered, and never refused', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), '');
    expect(disk.exists(bench.at('file'))).toBe(true);
    expect(disk.exists(bench.at())).toBe(true);
    for (const path of [bench.at('none'), bench.at('file', 'below'), bench.at('n'.repeat(300))]) {
      expect(disk.exists(path)).toBe(false);
    }
    if (!bench.symlink('file', bench.at('link'))) return;
    arrange.symlink('none', bench.at('dangling'));
    expect([disk.exists(bench.at('link')), disk.exists(bench.at('dangling'))]).toEqual([
      true,
      false,
    ]);
  });

  it('an entry has its kind and its inode', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.mkdir(bench.at('dir'));
    arrange.write(bench.at('file'), '');
    const told = (name: string): unknown => disk.entryAt(bench.at(name));
    const { inode } = bench.seen(bench.at('dir'));
    expect(told('dir')).toEqual({ isDirectory: true, inode });
    expect(told('file')).toMatchObject({ isDirectory: false });
    expect(codeOf(() => told('none'))).toBe('ENOENT');
    if (bench.symlink('dir', bench.at('link'))) {
      expect(told('link')).toMatchObject({ isDirectory: false });
    }
  });

  it('the last use of a file are its times of access and of change', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), '');
    expect(disk.lastUse(bench.at('none'))).toBeNull();
    const long = 4_000_000_000n;
    const changed = disk.status(bench.at('file'))?.ctimeNs ?? 0n;
    expect(disk.lastUse(bench.at('file'))?.changed).toBeGreaterThanOrEqual(changed);
    arrange.touch(bench.at('file'), long * 1_000_000_000n);
    const { atimeNs } = bench.seen(bench.at('file'));
    // What keeps no time that far ahead, or none of access, has the time of change.
    const { ctimeNs = 0n } = disk.status(bench.at('file')) ?? {};
    expect(disk.lastUse(bench.at('file'))).toEqual({ read: atimeNs, changed: ctimeNs });
  });
}

function spellingTests(on: On): void {
  it('names that differ in case alone are two, or one and the same', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('doc'), 'text');
    expect(disk.exists(bench.at('DOC'))).toBe(bench.lacks('cases'));
    const code = codeOf(() => disk.makeEmpty(bench.at('DOC')));
    expect(code).toBe(bench.lacks('cases') ? 'EEXIST' : undefined);
    expect(disk.names(bench.at()).length).toBe(bench.lacks('cases') ? 1 : 2);
  });

  it('names that differ in their Unicode form are two, or one and the same', () => {
    const bench = on();
    bench.arrange.write(bench.at('e\u0301'), 'text');
    expect(bench.disk.exists(bench.at('\u00e9'))).toBe(bench.lacks('forms'));
  });

  it('a dot or a blank at the end of a name stays, or the name is refused or listed without', () => {
    const bench = on();
    const names = ['dot.', 'blank '];
    for (const name of names) codeOf(() => bench.disk.makeEmpty(bench.at(name)));
    const listed = bench.disk.names(bench.at());
    expect(names.every((name) => listed.includes(name))).toBe(!bench.lacks('ends'));
  });
}
