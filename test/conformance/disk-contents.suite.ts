/** How a Disk reads, copies and syncs the contents of files. */
import { expect, it } from '@jest/globals';
import { codeOf, codeOfEnd, type DiskBench } from './disk-harness.ts';

type On = () => DiskBench;

/** BLAKE3 of nothing. */
const OF_NOTHING = 'af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262';
const MEGABYTE = 1024 * 1024;

export function contentTests(on: On): void {
  textTests(on);
  readTests(on);
  copyTests(on);
  sparseTests(on);
  syncTests(on);
}

function textTests(on: On): void {
  it('a short file is read whole, and only where it is one', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), 'four');
    arrange.write(bench.at('empty'), '');
    arrange.mkdir(bench.at('dir'));
    const read = (name: string, most = 10): unknown => disk.readSmall(bench.at(name), most);
    expect(String(read('file'))).toBe('four');
    expect(String(read('file', 4))).toBe('four');
    expect(read('empty', 0)).toHaveLength(0);
    expect(read('file', 3)).toBe('too large');
    expect(read('dir')).toBe('no file');
    if (arrange.fifo(bench.at('fifo'))) expect(read('fifo')).toBe('no file');
    expect(codeOf(() => read('none'))).toBe('ENOENT');
    if (!bench.symlink('file', bench.at('link'))) return;
    expect(codeOf(() => read('link'))).toBe('ELOOP');
  });

  it('a text is written to a new file or in place of what one had, through a link too', () => {
    const bench = on();
    const { disk, arrange } = bench;
    disk.writeText(bench.at('file'), 'a long text', 0o600);
    if (!bench.lacks('modes')) expect(bench.seen(bench.at('file')).mode).toBe(0o600);
    arrange.chmod(bench.at('file'), 0o640);
    const { mode, inode } = bench.seen(bench.at('file'));
    disk.writeText(bench.at('file'), 'shört', 0o600);
    expect(disk.readText(bench.at('file'))).toBe('shört');
    expect(arrange.read(bench.at('file'))).toBe('shört');
    expect(bench.seen(bench.at('file'))).toMatchObject({ mode, inode });
    arrange.mkdir(bench.at('dir'));
    expect(codeOf(() => disk.readText(bench.at('dir')))).toBe('EISDIR');
    expect(codeOf(() => disk.writeText(bench.at('dir'), '', 0o600))).toBe('EISDIR');
    expect(codeOf(() => disk.readText(bench.at('none')))).toBe('ENOENT');
    expect(codeOf(() => disk.readText(bench.at('file', 'below')))).toBe('ENOTDIR');
    expect(codeOf(() => disk.writeText(bench.at('none', 'below'), '', 0o600))).toBe('ENOENT');
    if (!bench.symlink('file', bench.at('link'))) return;
    disk.writeText(bench.at('link'), 'through', 0o600);
    expect(arrange.read(bench.at('file'))).toBe('through');
    expect(disk.readText(bench.at('link'))).toBe('through');
  });

  it('contents are read and written only with a right to them', () => {
    const bench = on();
    const { disk, arrange } = bench;
    if (bench.lacks('rights')) return;
    const end = arrange.beOrdinary();
    try {
      arrange.write(bench.at('mine'), 'text');
      arrange.chmod(bench.at('mine'), 0o200);
      expect(codeOf(() => disk.readText(bench.at('mine')))).toBe('EACCES');
      expect(codeOf(() => disk.readSmall(bench.at('mine'), 10))).toBe('EACCES');
      arrange.chmod(bench.at('mine'), 0o400);
      expect(codeOf(() => disk.writeText(bench.at('mine'), '', 0o600))).toBe('EACCES');
      expect(disk.readText(bench.at('mine'))).toBe('text');
    } finally {
      end();
    }
  });
}

function readTests(on: On): void {
  it('contents have a digest and a length', async () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('empty'), '');
    expect(await disk.digestFile(bench.at('empty'))).toEqual({ digest: OF_NOTHING, length: 0 });
    arrange.write(bench.at('file'), 'text');
    const whole = await disk.digestFile(bench.at('file'));
    expect(whole.length).toBe(4);
    arrange.write(bench.at('file'), 'test');
    expect((await disk.digestFile(bench.at('file'))).digest).not.toBe(whole.digest);
    if (!bench.symlink('empty', bench.at('link'))) return;
    expect((await disk.digestFile(bench.at('link'))).digest).toBe(OF_NOTHING);
  });

  it('contents are taken apart, each part with its digest', async () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), 'onethree');
    arrange.write(bench.at('three'), 'three');
    const parts = await disk.readParts(bench.at('file'), [3, 0, 5]);
    expect(parts.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['one', '', 'three']);
    expect(parts[1]?.digest).toBe(OF_NOTHING);
    expect(parts[2]?.digest).toBe((await disk.digestFile(bench.at('three'))).digest);
    for (const lengths of [[3, 4], [3, 6], []]) {
      expect(await codeOfEnd(disk.readParts(bench.at('file'), lengths))).toBe('EINVAL');
    }
  });

  it('a read or copy of something that is no file fails at once and leaves nothing', async () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.mkdir(bench.at('dir'));
    const hasFifo = arrange.fifo(bench.at('fifo'));
    const kinds = [['dir', 'EISDIR'], ['none', 'ENOENT'], ...(hasFifo ? [['fifo', 'EINVAL']] : [])];
    for (const [name = '', code] of kinds) {
      const path = bench.at(name);
      expect(await codeOfEnd(disk.digestFile(path))).toBe(code);
      expect(await codeOfEnd(disk.readParts(path, [1]))).toBe(code);
      expect(await codeOfEnd(disk.copyFile(path, bench.at('to'), { sync: false }))).toBe(code);
    }
    expect(arrange.look(bench.at('to'))).toBeNull();
  });

  it('a file that a program has open for writing is recognised, or the answer is unknown', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), 'text');
    const told = (): boolean | null => disk.isBeingWritten(bench.at('file'));
    if (bench.lacks('writers')) {
      expect([true, null]).toContain(told());
      return;
    }
    expect(told()).toBe(false);
    const close = arrange.openToWrite(bench.at('file'));
    expect(told()).toBe(true);
    close();
    expect(told()).toBe(false);
    expect(codeOf(() => disk.isBeingWritten(bench.at('none')))).toBe('ENOENT');
  });
}

function copyTests(on: On): void {
  it.each([0, 4, 100_001, 3_000_001])('a copy to a new file has all %d bytes', async (length) => {
    const bench = on();
    const { disk, arrange } = bench;
    const contents = Uint8Array.from({ length }, (_, at) => (at * 31 + (at >>> 8)) & 0x7f);
    arrange.write(bench.at('file'), contents);
    const whole = await disk.digestFile(bench.at('file'));
    const options = { sync: length === 4, spare: length === 100_001 };
    expect(await disk.copyFile(bench.at('file'), bench.at('copy'), options)).toEqual(whole);
    expect(await disk.digestFile(bench.at('copy'))).toEqual(whole);
    arrange.append(bench.at('file'), 'more');
    expect(await disk.digestFile(bench.at('copy'))).toEqual(whole);
    expect(arrange.read(bench.at('copy'))).toBe(Buffer.from(contents).toString());
  });

  it('a copy takes the place of nothing, and is for its owner alone', async () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), 'new');
    arrange.write(bench.at('old'), 'old');
    const copy = (to: string): Promise<unknown> =>
      disk.copyFile(bench.at('file'), bench.at(to), { sync: false });
    expect(await codeOfEnd(copy('old'))).toBe('EEXIST');
    expect(arrange.read(bench.at('old'))).toBe('old');
    expect(await codeOfEnd(copy('none/below'))).toBe('ENOENT');
    await copy('new');
    if (!bench.lacks('modes')) expect(bench.seen(bench.at('new')).mode & 0o077).toBe(0);
  });
}

function sparseTests(on: On): void {
  it('long runs of zeros are copied as holes, byte for byte the same', async () => {
    const bench = on();
    const { disk, arrange } = bench;
    const zeros = new Uint8Array(4 * MEGABYTE);
    arrange.write(
      bench.at('file'),
      Buffer.concat([Buffer.from('begin'), zeros, Buffer.from('end')]),
    );
    const whole = await disk.digestFile(bench.at('file'));
    expect(await disk.copySparse(bench.at('file'), bench.at('sparse'))).toBe(true);
    expect(await disk.digestFile(bench.at('sparse'))).toEqual(whole);
    if (!bench.lacks('holes')) {
      expect(bench.seen(bench.at('sparse')).room).toBeLessThan(MEGABYTE);
      expect(await disk.copySparse(bench.at('sparse'), bench.at('again'))).toBe(false);
    }
    await disk.copyFile(bench.at('sparse'), bench.at('copy'), { sync: true });
    if (!bench.lacks('holes')) expect(bench.seen(bench.at('copy')).room).toBeLessThan(MEGABYTE);
    expect(await disk.digestFile(bench.at('copy'))).toEqual(whole);
  });

  it('a file that would have no holes is not copied for them', async () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('short'), new Uint8Array(1000));
    arrange.write(bench.at('full'), new Uint8Array(2 * MEGABYTE).fill(1));
    for (const name of ['short', 'full']) {
      expect(await disk.copySparse(bench.at(name), bench.at('copy'))).toBe(false);
    }
    expect(arrange.look(bench.at('copy'))).toBeNull();
    arrange.write(bench.at('zeros'), new Uint8Array(2 * MEGABYTE));
    arrange.write(bench.at('old'), 'old');
    expect(await codeOfEnd(disk.copySparse(bench.at('zeros'), bench.at('old')))).toBe('EEXIST');
    expect(arrange.read(bench.at('old'))).toBe('old');
    expect(await codeOfEnd(disk.copySparse(bench.at('none'), bench.at('copy')))).toBe('ENOENT');
  });
}

function syncTests(on: On): void {
  it('files and directories are synced, and missing ones are reported', async () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), 'text');
    await disk.syncFile(bench.at('file'));
    disk.syncDirectory(bench.at());
    expect(await codeOfEnd(disk.syncFile(bench.at('none')))).toBe('ENOENT');
    expect(codeOf(() => disk.syncDirectory(bench.at('none')))).toBe('ENOENT');
    expect(codeOf(() => disk.syncDirectory(bench.at('file')))).toBe('ENOTDIR');
  });
}
