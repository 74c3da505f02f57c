/** What of a file is synced arrives whatever the disk and its attributes are; what is not synced stays with the file. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { FolderBench } from '../../../test/support/folder-bench.ts';
import { HookedHost } from '../../../test/support/hooked-host.ts';
import { mtimeOf, type Mtime } from '../../../shared/model/vnode.ts';
import { setBytesXattr } from '../../../test/support/real-programs.ts';
import { LEAST_REPLACED } from './placeholders/placeholder-text.ts';

const isRoot = process.getuid?.() === 0;
const GROUP = 12_345;

let host: HookedHost;
let bench: FolderBench;
beforeEach(() => {
  host = new HookedHost();
  bench = new FolderBench(host);
});
afterEach(() => bench.destroy());

async function isSame(): Promise<void> {
  await bench.settled();
  await bench.shows(bench.volume.tree());
}

const tool = (name: string, ...args: string[]): boolean => spawnSync(name, args).status === 0;
const told = (name: string, ...args: string[]): string =>
  spawnSync(name, args, { encoding: 'utf8' }).stdout;
const value = (text: string): string => Buffer.from(text).toString('base64');
const errors = (): Array<[string, string | null]> =>
  bench.folder.status().errors.map(({ code, path }) => [code, path]);
const attributesOf = (name: string): string[] =>
  host
    .listXattrs(bench.path(name))
    .map((each) => `${each.name}=${Buffer.from(each.value).toString()}`);
const synced = (name: string): string[] =>
  bench.volume.status(name).xattrs.map((each) => each.name);

describe('extended attributes from another device', () => {
  it('arrive with a file, with its next contents and alone', async () => {
    await bench.other.write('doc', 'one');
    bench.other.setattr('doc', { xattrs: [{ name: 'tags', value: value('red') }] });
    await bench.start();
    await isSame();
    expect(attributesOf('doc')).toEqual(['tags=red']);
    await bench.other.write('doc', 'two');
    await isSame();
    expect(attributesOf('doc')).toEqual(['tags=red']);
    bench.other.setattr('doc', { xattrs: [{ name: 'tags', value: value('blue') }], mode: 0o444 });
    await isSame();
    bench.other.setattr('doc', { xattrs: [{ name: 'other', value: value('1') }] });
    await isSame();
    expect(attributesOf('doc')).toEqual(['other=1']);
    expect(statSync(bench.path('doc')).mode & 0o7777).toBe(0o444);
  });

  it('stay on the server when the disk refuses them, also after a start and a change', async () => {
    const set = host.setXattr.bind(host);
    host.setXattr = (path, name, bytes) => {
      if (name === 'large') throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      set(path, name, bytes);
    };
    await bench.other.write('doc', 'one');
    const large = { name: 'large', value: value('x'.repeat(4000)) };
    bench.other.setattr('doc', { xattrs: [large, { name: 'tags', value: value('red') }] });
    await bench.start();
    await isSame();
    expect(readFileSync(bench.path('doc'), 'utf8')).toBe('one');
    expect(errors()).toEqual([['attributes-left', 'doc']]);
    host.setXattr(bench.path('doc'), 'here', Buffer.from('1'));
    await isSame();
    expect(synced('doc')).toEqual(['here', 'large', 'tags']);
    await bench.close();
    await bench.start();
    host.removeXattr(bench.path('doc'), 'tags');
    await isSame();
    expect(synced('doc')).toEqual(['here', 'large']);
  });

  it('delay nothing when Linux does not accept their name', async () => {
    await bench.other.write('doc', 'one');
    bench.other.setattr('doc', { xattrs: [{ name: 'n'.repeat(252), value: value('1') }] });
    await bench.start();
    await isSame();
    chmodSync(bench.path('doc'), 0o600);
    await isSame();
    expect(synced('doc')).toEqual(['n'.repeat(252)]);
    expect(bench.volume.status('doc').mode).toBe(0o600);
  });
});

describe('extended attributes that cannot be sent', () => {
  beforeEach(() => bench.start());

  it('delay nothing, are reported, and survive a change from another device', async () => {
    writeFileSync(bench.path('doc'), 'one');
    host.setXattr(bench.path('doc'), 'long', Buffer.alloc(1500, 'x'));
    const most = takes(5000);
    host.setXattr(bench.path('doc'), 'tags', Buffer.from('red'));
    if (most) host.setXattr(bench.path('doc'), 'over', Buffer.alloc(5000, 'x'));
    await isSame();
    expect(synced('doc')).toEqual(['long', 'tags']);
    await bench.other.write('doc', 'two');
    await isSame();
    expect(readFileSync(bench.path('doc'), 'utf8')).toBe('two');
    if (most) expect(errors()).toEqual([['attributes-left', 'doc']]);
    if (most) expect(host.listXattrs(bench.path('doc')).map(({ name }) => name)).toContain('over');
  });

  it('are kept and reported also when their names are no text', async () => {
    const name = Uint8Array.from([0x63, 0x61, 0x66, 0xe9]);
    writeFileSync(bench.path('doc'), 'one');
    if (!setBytesXattr(bench.path('doc'), name, 'old')) return;
    await isSame();
    expect(synced('doc')).toEqual([]);
    expect(errors()).toEqual([['attributes-left', 'doc']]);
    await bench.other.write('doc', 'two');
    await isSame();
    expect(readFileSync(bench.path('doc'), 'utf8')).toBe('two');
    expect(host.listXattrs(bench.path('doc'))).toMatchObject([{ isText: false }]);
    expect(errors()).toEqual([['attributes-left', 'doc']]);
  });

  it('are no attributes of others that look like them', async () => {
    writeFileSync(bench.path('doc'), 'one');
    if (!setBytesXattr(bench.path('doc'), Uint8Array.from([0xe9]), 'old')) return;
    host.setXattr(bench.path('doc'), '\\xe9', Buffer.from('red'));
    await isSame();
    expect(synced('doc')).toEqual(['\\xe9']);
    host.removeXattr(bench.path('doc'), '\\xe9');
    await isSame();
    expect(synced('doc')).toEqual([]);
    expect(host.listXattrs(bench.path('doc'))).toHaveLength(1);
  });

  it('leave other devices with their earlier values', async () => {
    writeFileSync(bench.path('doc'), 'one');
    host.setXattr(bench.path('doc'), 'tags', Buffer.from('red'));
    await isSame();
    if (!takes(5000)) return;
    host.setXattr(bench.path('doc'), 'tags', Buffer.alloc(5000, 'x'));
    await isSame();
    expect(bench.volume.status('doc').xattrs).toEqual([{ name: 'tags', value: value('red') }]);
    await bench.other.write('doc', 'two');
    await isSame();
    expect(host.listXattrs(bench.path('doc'))[0]?.value).toHaveLength(5000);
    host.setXattr(bench.path('doc'), 'tags', Buffer.from('blue'));
    await isSame();
    expect(bench.volume.status('doc').xattrs).toEqual([{ name: 'tags', value: value('blue') }]);
    expect(errors()).toEqual([]);
  });

  it('leave synced ones in sync when there are more than a message holds', async () => {
    writeFileSync(bench.path('doc'), 'one');
    for (let i = 0; i < 64; i++) host.setXattr(bench.path('doc'), `n${i}`, Buffer.from('1'));
    await isSame();
    expect(synced('doc')).toHaveLength(64);
    host.setXattr(bench.path('doc'), 'a', Buffer.from('1'));
    await isSame();
    expect(synced('doc')).toHaveLength(64);
    expect(synced('doc')).not.toContain('a');
    expect(errors()).toEqual([['attributes-left', 'doc']]);
    await bench.other.write('doc', 'two');
    await isSame();
    expect(host.listXattrs(bench.path('doc'))).toHaveLength(65);
  });

  /** Whether this disk takes a value of so many bytes. */
  function takes(bytes: number): boolean {
    try {
      writeFileSync(`${bench.dir}/probe`, '');
      host.setXattr(`${bench.dir}/probe`, 'over', Buffer.alloc(bytes, 'x'));
      return true;
    } catch {
      return false;
    }
  }
});

describe('a place in the folder that fails', () => {
  it('is tried again without another fetch, and its reason is shown', async () => {
    await bench.start();
    let fails = 5;
    let fetched = 0;
    bench.volume.onObtain = () => void (fetched += 1);
    const place = host.renameNoReplace.bind(host);
    host.renameNoReplace = (from, to) => {
      if (to.endsWith('/doc') && fails-- > 0)
        throw Object.assign(new Error('EIO: place'), { code: 'EIO' });
      place(from, to);
    };
    await bench.other.write('doc', 'text');
    await bench.until(() => errors().length > 0);
    expect(errors()).toEqual([['sync-blocked', 'doc']]);
    await bench.shows({ doc: 'text' });
    expect(fetched).toBe(1);
    await bench.until(() => errors().length === 0);
    await isSame();
    expect(readdirSync(bench.path('.godwit', 'tmp'))).toEqual([]);
  });

  it('is reported when an unsynced file occupies it, and is filled when that has gone', async () => {
    await bench.start();
    if (!tool('mkfifo', bench.path('doc'))) return;
    await bench.other.write('doc', 'text');
    await bench.until(() =>
      errors().some(([code, path]) => code === 'place-taken' && path === 'doc'),
    );
    rmSync(bench.path('doc'));
    await bench.shows({ doc: 'text' });
    await isSame();
    expect(errors()).toEqual([]);
  });

  it('drops its contents for a newer version', async () => {
    await bench.start();
    let isFailing = true;
    const place = host.renameNoReplace.bind(host);
    host.renameNoReplace = (from, to) => {
      if (to.endsWith('/doc') && isFailing)
        throw Object.assign(new Error('EIO: place'), { code: 'EIO' });
      place(from, to);
    };
    await bench.other.write('doc', 'one');
    await bench.until(() => errors().length > 0);
    await bench.other.write('doc', 'two');
    isFailing = false;
    await bench.shows({ doc: 'two' });
    await isSame();
    expect(readdirSync(bench.path('.godwit', 'tmp'))).toEqual([]);
  });
});

describe('attributes that are not synced', () => {
  const start = async (size = 10): Promise<void> => {
    await bench.other.write('doc', 'one'.padEnd(size));
    await bench.start();
    await isSame();
  };

  it('survive a change from another device: group, owner and access lists', async () => {
    // Nobody else may give a file to others.
    if (!isRoot) return;
    await start();
    chownSync(bench.path('doc'), 1234, GROUP);
    const hasLists = tool('setfacl', '-m', 'u:4321:rw', bench.path('doc'));
    await isSame();
    await bench.other.write('doc', 'two');
    await isSame();
    expect(lstatSync(bench.path('doc'))).toMatchObject({ uid: 1234, gid: GROUP });
    if (hasLists) expect(told('getfacl', '-nc', bench.path('doc'))).toContain('user:4321:rw-');
    expect(bench.told().filter((line) => line.startsWith('store'))).toEqual([]);
    expect(errors()).toEqual([]);
  });

  it('survive it on each name of a file', async () => {
    // Nobody else may give a file to others.
    if (!isRoot) return;
    await start();
    linkSync(bench.path('doc'), bench.path('other'));
    chownSync(bench.path('doc'), -1, GROUP);
    await isSame();
    await bench.other.write('other', 'two');
    await isSame();
    expect(['doc', 'other'].map((name) => lstatSync(bench.path(name)).gid)).toEqual([GROUP, GROUP]);
  });

  it('survive the time as a placeholder, also when that is renamed', async () => {
    // Nobody else may give a file to others.
    if (!isRoot) return;
    await start(LEAST_REPLACED * 2);
    chownSync(bench.path('doc'), -1, GROUP);
    await isSame();
    const { fid } = bench.volume.status('doc');
    expect(await bench.folder.contents?.evict(fid)).toMatchObject({ kind: 'done' });
    renameSync(bench.path('doc.godwit'), bench.path('moved.godwit'));
    await bench.settled();
    expect(lstatSync(bench.path('moved.godwit')).gid).toBe(GROUP);
    expect(await bench.folder.contents?.fill(fid)).toMatchObject({ kind: 'done' });
    expect(lstatSync(bench.path('moved')).gid).toBe(GROUP);
  });

  it('stay with both sides of a conflict', async () => {
    // Nobody else may give a file to others.
    if (!isRoot) return;
    await start();
    chownSync(bench.path('doc'), -1, GROUP);
    await isSame();
    bench.volume.connected = false;
    writeFileSync(bench.path('doc'), 'mine');
    await bench.folder.scan();
    await bench.other.write('doc', 'theirs');
    bench.volume.connected = true;
    await isSame();
    const names = Object.keys(bench.tree());
    expect(bench.tree()).toEqual({ doc: 'theirs', 'doc (conflict)': 'mine' });
    expect(names.map((name) => lstatSync(bench.path(name)).gid)).toEqual([GROUP, GROUP]);
  });

  it('lose setuid with contents from another device, which is reported once', async () => {
    await start();
    chmodSync(bench.path('doc'), 0o4755);
    await isSame();
    await bench.other.write('doc', 'two');
    await isSame();
    expect(statSync(bench.path('doc')).mode & 0o7777).toBe(0o755);
    expect(errors()).toEqual([['rights-dropped', 'doc']]);
    await bench.other.write('doc', 'three');
    await isSame();
    const said = bench.lines.filter((line) => line.includes('a change from another device took'));
    expect(said).toHaveLength(1);
  });

  it('keep setuid with their contents, unless a synced mode admits more', async () => {
    await start();
    chmodSync(bench.path('doc'), 0o4755);
    await isSame();
    bench.other.setattr('doc', { mtime: '5000000000' as Mtime });
    bench.other.setattr('doc', { mode: 0o700 });
    await isSame();
    expect(statSync(bench.path('doc')).mode & 0o7777).toBe(0o4700);
    bench.other.setattr('doc', { mode: 0o755 });
    await isSame();
    expect(statSync(bench.path('doc')).mode & 0o7777).toBe(0o755);
    expect(errors()).toEqual([['rights-dropped', 'doc']]);
  });

  it('keep a file in full when its placeholder cannot have its special bits', async () => {
    await start(LEAST_REPLACED * 2);
    chmodSync(bench.path('doc'), 0o4755);
    await isSame();
    const { fid } = bench.volume.status('doc');
    const kept = await bench.folder.contents?.evict(fid);
    expect(kept).toMatchObject({ kind: 'kept', kept: expect.stringContaining('setuid') });
    expect(readdirSync(bench.path('.godwit', 'tmp'))).toEqual([]);
  });

  it('include the group of a folder, which new files get', async () => {
    // Nobody else may give a file to others.
    if (!isRoot) return;
    bench.other.mkdir('team');
    await bench.start();
    await isSame();
    chownSync(bench.path('team'), -1, GROUP);
    chmodSync(bench.path('team'), 0o2775);
    await bench.other.write('team/doc', 'text');
    await isSame();
    expect(lstatSync(bench.path('team', 'doc')).gid).toBe(GROUP);
  });
});

describe('file times of all kinds', () => {
  const SECOND = 1_000_000_000n;

  it.each([
    ['2270', 9_467_000_000n, 'cut'],
    ['2400', 13_570_000_000n, 'cut'],
    ['1960', -315_000_000n, 'kept'],
    ['1901', -2_170_000_000n, 'kept'],
  ])('are sent for the year %s (%s)', async (_, seconds, what) => {
    await bench.start();
    writeFileSync(bench.path('doc'), 'text');
    // Node takes a time before 1970 for the present one, and the port none beyond its range.
    if (seconds < 0n) host.setMtime(bench.path('doc'), seconds * SECOND);
    else utimesSync(bench.path('doc'), Number(seconds), Number(seconds));
    const isTaken = lstatSync(bench.path('doc'), { bigint: true }).mtimeNs === seconds * SECOND;
    await isSame();
    expect(bench.volume.tree()).toEqual({ doc: 'text' });
    if (isTaken) expect(bench.volume.status('doc').mtime).toBe(mtimeOf(seconds * SECOND));
    const isCut = isTaken && what === 'cut';
    expect(errors()).toEqual(isCut ? [['attributes-left', 'doc']] : []);
    bench.told();
    await isSame();
    expect(bench.told()).toEqual([]);
  });

  it('delay nothing in a folder whose own time is out of range', async () => {
    await bench.start();
    spawnSync('mkdir', [bench.path('trip')]);
    writeFileSync(bench.path('trip', 'photo'), 'p');
    utimesSync(bench.path('trip'), 13_570_000_000, 13_570_000_000);
    await isSame();
    expect(bench.volume.tree()).toEqual({ 'trip/': '', 'trip/photo': 'p' });
  });

  it('are cut when an older program sent them out of range', async () => {
    await bench.other.write('doc', 'text');
    bench.other.mkdir('d');
    for (const name of ['doc', 'd'])
      bench.other.setattr(name, { mtime: '9467000000000000000' as Mtime });
    await bench.start();
    await isSame();
    bench.told();
    await isSame();
    expect(bench.told()).toEqual([]);
  });

  it('are not sent back when the disk cannot keep them', async () => {
    const set = host.setMtime.bind(host);
    // As FAT does.
    host.setMtime = (path, time) => set(path, (time / (2n * SECOND)) * 2n * SECOND);
    await bench.other.write('doc', 'text');
    bench.other.mkdir('d');
    for (const name of ['doc', 'd']) bench.other.setattr(name, { mtime: '5123456789' as Mtime });
    await bench.start();
    await isSame();
    await bench.other.write('d/in', 'in');
    await isSame();
    await bench.close();
    await bench.start();
    await isSame();
    expect(bench.told()).toEqual([]);
    expect(lstatSync(bench.path('doc'), { bigint: true }).mtimeNs).toBe(4n * SECOND);
  });
});
