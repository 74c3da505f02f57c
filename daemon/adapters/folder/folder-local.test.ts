/** What is done in the folder, and what of it is told. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { milliseconds, minutes } from '../../../shared/model/time.ts';
import { FolderBench } from '../../../test/support/folder-bench.ts';
import { WatchedHost } from '../../../test/support/watched-host.ts';

let host: WatchedHost;
let bench: FolderBench;
beforeEach(() => {
  host = new WatchedHost();
  bench = new FolderBench(host);
});
afterEach(() => bench.destroy());

describe('new files in the folder', () => {
  it('are uploaded: nested and empty directories, symlinks, any names', async () => {
    await bench.start();
    mkdirSync(bench.path('a', 'b', 'c'), { recursive: true });
    mkdirSync(bench.path('empty'));
    writeFileSync(bench.path('a', 'b', 'c', 'deep'), 'deep');
    writeFileSync(bench.path('nothing'), '');
    writeFileSync(bench.path('Ünïcödé \u{1f426}'), 'bird');
    symlinkSync('nowhere', bench.path('dangling'));
    symlinkSync('a/b', bench.path('to-directory'));
    symlinkSync('/etc/hostname', bench.path('absolute'));
    await bench.settled();
    expect(bench.volume.tree()).toEqual(bench.tree());
    expect(bench.volume.tree()).toEqual({
      'a/': '',
      'a/b/': '',
      'a/b/c/': '',
      'a/b/c/deep': 'deep',
      'empty/': '',
      nothing: '',
      'Ünïcödé \u{1f426}': 'bird',
      dangling: '-> nowhere',
      'to-directory': '-> a/b',
      absolute: '-> /etc/hostname',
    });
  });

  it('are seen by the watcher', async () => {
    await bench.start();
    writeFileSync(bench.path('new'), 'text');
    await bench.volume.until(() => bench.volume.tree()['new'] === 'text');
  });

  it('keep their mode and time and the time of their directory, without setuid', async () => {
    await bench.start();
    mkdirSync(bench.path('bin'));
    writeFileSync(bench.path('bin', 'tool'), '#!');
    chmodSync(bench.path('bin', 'tool'), 0o4755);
    utimesSync(bench.path('bin', 'tool'), 1000, 1234567890);
    await bench.settled();
    expect(bench.volume.status('bin/tool')).toMatchObject({
      mode: 0o755,
      mtime: '1234567890000000000',
    });
    const { mtimeNs } = lstatSync(bench.path('bin'), { bigint: true });
    expect(bench.volume.status('bin').mtime).toBe(String(mtimeNs));
  });

  it('are logged once', async () => {
    await bench.start();
    writeFileSync(bench.path('once'), 'x');
    await bench.settled();
    await bench.settled();
    expect(bench.told()).toEqual(['create once', 'store once']);
  });
});

describe('changed files in the folder', () => {
  beforeEach(async () => {
    await bench.start();
    mkdirSync(bench.path('d'));
    for (const name of ['a', 'b', 'd/x', 'd/y']) writeFileSync(bench.path(name), name);
    await bench.settled();
    bench.told();
  });

  it('are logged as stores and changes of attributes', async () => {
    writeFileSync(bench.path('a'), 'changed');
    chmodSync(bench.path('b'), 0o600);
    utimesSync(bench.path('d', 'x'), 5, 5);
    await bench.settled();
    expect(bench.told().sort()).toEqual(['setattr b mode', 'setattr d/x mtime', 'store a']);
    expect(bench.volume.tree()).toEqual(bench.tree());
  });

  it('are logged as a rename when a file or directory was renamed', async () => {
    renameSync(bench.path('a'), bench.path('d', 'a2'));
    renameSync(bench.path('d'), bench.path('e'));
    await bench.settled();
    expect(bench.told().filter((line) => !line.startsWith('setattr'))).toEqual([
      'rename d -> e',
      'rename a -> e/a2',
    ]);
    expect(bench.volume.tree()).toEqual(bench.tree());
  });

  it('are logged as a rename also when the watcher sees it', async () => {
    const { fid } = bench.volume.status('d/x');
    renameSync(bench.path('d'), bench.path('moved'));
    await bench.volume.until(() => bench.volume.server.find('moved/x') !== null);
    expect(bench.volume.status('moved/x').fid).toBe(fid);
    expect(bench.told()).toContain('rename d -> moved');
  });

  it('are logged as a rename also when the watcher reports the new name late', async () => {
    await bench.close();
    host.late.add('moved');
    await bench.start();
    const { fid } = bench.volume.status('d/x');
    renameSync(bench.path('d'), bench.path('moved'));
    await bench.volume.until(() => bench.volume.server.find('d') === null);
    expect(bench.volume.status('moved/x').fid).toBe(fid);
    expect(bench.told()).toContain('rename d -> moved');
  });

  it('are logged as renames when two names were swapped', async () => {
    const [a, b] = [bench.volume.status('a').fid, bench.volume.status('b').fid];
    renameSync(bench.path('a'), bench.path('t'));
    renameSync(bench.path('b'), bench.path('a'));
    renameSync(bench.path('t'), bench.path('b'));
    await bench.settled();
    expect([bench.volume.status('b').fid, bench.volume.status('a').fid]).toEqual([a, b]);
    expect(bench.volume.tree()).toEqual(bench.tree());
  });

  it('are logged as removals, children first', async () => {
    rmSync(bench.path('d'), { recursive: true });
    unlinkSync(bench.path('a'));
    await bench.settled();
    expect(bench.told()).toEqual(['remove a', 'remove d/x', 'remove d/y', 'rmdir d']);
    expect(bench.volume.tree()).toEqual({ b: 'b' });
  });

  it('may turn from a file into a directory and back', async () => {
    unlinkSync(bench.path('a'));
    mkdirSync(bench.path('a'));
    writeFileSync(bench.path('a', 'in'), 'in');
    rmSync(bench.path('d'), { recursive: true });
    writeFileSync(bench.path('d'), 'file');
    await bench.settled();
    expect(bench.volume.tree()).toEqual({ 'a/': '', 'a/in': 'in', b: 'b', d: 'file' });
  });

  it('are one vnode when they are hard links', async () => {
    linkSync(bench.path('a'), bench.path('d', 'a2'));
    writeFileSync(bench.path('n1'), 'n');
    linkSync(bench.path('n1'), bench.path('n2'));
    await bench.settled();
    expect(bench.volume.status('d/a2').fid).toBe(bench.volume.status('a').fid);
    expect(bench.volume.status('n2').fid).toBe(bench.volume.status('n1').fid);
    writeFileSync(bench.path('a'), 'both');
    await bench.settled();
    expect(bench.volume.tree()).toMatchObject({ a: 'both', 'd/a2': 'both', n1: 'n', n2: 'n' });
  });
});

describe('saves by rename in the folder', () => {
  let fid: string;
  beforeEach(async () => {
    await bench.start();
    writeFileSync(bench.path('doc'), 'one');
    await bench.settled();
    fid = bench.volume.status('doc').fid;
    bench.told();
  });

  it('keep the vnode when a temporary file is renamed over', async () => {
    writeFileSync(bench.path('doc.tmp'), 'two');
    renameSync(bench.path('doc.tmp'), bench.path('doc'));
    await bench.settled();
    expect(bench.told()).toEqual(['store doc', 'setattr  mtime']);
    expect(bench.volume.status('doc').fid).toBe(fid);
  });

  it('keep the vnode when the old file is moved away, rewritten and removed', async () => {
    renameSync(bench.path('doc'), bench.path('doc~'));
    writeFileSync(bench.path('doc'), 'two');
    unlinkSync(bench.path('doc~'));
    await bench.settled();
    expect(bench.told()).toEqual(['store doc', 'setattr  mtime']);
  });

  it('keep the vnode when a backup stays', async () => {
    renameSync(bench.path('doc'), bench.path('doc~'));
    writeFileSync(bench.path('doc'), 'two');
    await bench.settled();
    expect(bench.volume.tree()).toEqual({ doc: 'two', 'doc~': 'one' });
    expect(bench.volume.status('doc').fid).toBe(fid);
  });

  it('keep the vnode when the temporary file was logged before', async () => {
    writeFileSync(bench.path('T'), 'two');
    await bench.settled();
    renameSync(bench.path('T'), bench.path('doc'));
    await bench.settled();
    expect(bench.told()).toContain('rename T -> doc');
    expect(bench.volume.tree()).toEqual({ doc: 'two' });
    expect(existsSync(bench.path('T'))).toBe(false);
  });
});

describe('a known file that is written in place', () => {
  const LONG = { settle: minutes(10), rest: milliseconds(5), restPause: milliseconds(0) };

  /** In the volume and in the records; from now on nothing settles. */
  async function known(...names: string[]): Promise<void> {
    await bench.start();
    for (const name of names) writeFileSync(bench.path(name), 'old');
    await bench.settled();
    await bench.close();
    bench.limits = { ...bench.limits, ...LONG };
    await bench.open();
    // It has begun, and nothing waits.
    await bench.folder.scan();
  }
  const has = (name: string, text: string) =>
    bench.volume.until(() => bench.volume.tree()[name] === text);

  it('is uploaded when nobody has it open for writing, or else when it has settled', async () => {
    await known('closed', 'open', 'moved');
    const writer = openSync(bench.path('open'), 'r+');
    try {
      writeSync(writer, 'half');
      // Another file takes its place: what becomes of the old one is not known yet.
      writeFileSync(bench.path('moved~'), 'other');
      renameSync(bench.path('moved~'), bench.path('moved'));
      writeFileSync(bench.path('closed'), 'new');
      await has('closed', 'new');
      writeFileSync(bench.path('closed'), 'newer');
      await has('closed', 'newer');
      expect(bench.volume.tree()).toEqual({ closed: 'newer', moved: 'old', open: 'old' });
    } finally {
      closeSync(writer);
    }
  });

  it('is uploaded by a flush when it is large, also a new one, and a small one waits', async () => {
    await known('grown');
    await bench.close();
    const never = { settle: minutes(60), settleRounds: 0 };
    bench.limits = { ...bench.limits, ...never, restPaths: 0, largeBytes: 10 };
    await bench.open();
    for (const name of ['large', 'grown']) writeFileSync(bench.path(name), 'quite large');
    writeFileSync(bench.path('small'), 'small');
    const writer = openSync(bench.path('open'), 'w');
    try {
      writeSync(writer, 'large, and more to come');
      await bench.until(() => bench.folder.unsettled().paths >= 4);
      await bench.folder.scan();
      await bench.volume.flush();
      expect(bench.volume.tree()).toEqual({ grown: 'quite large', large: 'quite large' });
      expect(bench.folder.unlogged()).toMatchObject({
        code: 'not-committed',
        message: expect.stringMatching(
          /^\/(open|small): it has changed, and is taken when it rests$/,
        ),
      });
    } finally {
      closeSync(writer);
    }
  });

  it('is not uploaded half-written when it is new and its writer is delayed', async () => {
    bench.limits = { ...bench.limits, settleOpen: minutes(60), openMost: minutes(60) };
    await bench.start();
    const writer = openSync(bench.path('new'), 'w');
    try {
      writeSync(writer, 'half, ');
      await bench.until(() => bench.folder.unsettled().paths === 1);
      writeFileSync(bench.path('later'), 'whole');
      await bench.volume.until(() => bench.volume.tree()['later'] === 'whole');
      expect(bench.volume.tree()).toEqual({ later: 'whole' });
      writeSync(writer, 'and whole');
    } finally {
      closeSync(writer);
    }
    await bench.settled();
    expect(bench.folder.unlogged()).toBeNull();
    expect(bench.volume.tree()).toEqual({ later: 'whole', new: 'half, and whole' });
    expect(bench.told()).toEqual(expect.arrayContaining(['store later', 'store new']));
  });

  it('waits until it has settled when the system does not know its writers', async () => {
    let asked = 0;
    bench.host.isBeingWritten = () => {
      asked += 1;
      return null;
    };
    await known('closed');
    asked = 0;
    writeFileSync(bench.path('closed'), 'new');
    await bench.until(() => asked > 0);
    expect(bench.volume.tree()).toEqual({ closed: 'old' });
  });
});

it('a folder that was busy gives the volume a time again that it had before', async () => {
  mkdirSync(bench.path('d'), { recursive: true });
  utimesSync(bench.path('d'), 1000, 1000);
  await bench.start();
  const before = bench.volume.status('d').mtime;
  // What is being written keeps the folder's own time from being told.
  const writing = openSync(bench.path('d', 'begun'), 'w');
  writeFileSync(bench.path('d', 'new'), 'new');
  await bench.until(() => 'd/new' in bench.volume.tree());
  expect(bench.volume.status('d').mtime).not.toBe(before);
  closeSync(writing);
  unlinkSync(bench.path('d', 'begun'));
  utimesSync(bench.path('d'), 1000, 1000);
  await bench.settled();
  expect(bench.volume.status('d').mtime).toBe(before);
});
