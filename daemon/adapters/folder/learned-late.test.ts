/** What a disk can do may be learned long after the start, and may change: no extended attribute is missed or removed for that. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { mtimeOf } from '../../../shared/model/vnode.ts';
import { FolderBench } from '../../../test/support/folder-bench.ts';
import { HookedHost } from '../../../test/support/hooked-host.ts';

/** A host whose disk says `code` to every call about extended attributes; null: it has them. */
class RefusingHost extends HookedHost {
  code: string | null = null;
  /** How many calls it refuses. */
  times = Number.POSITIVE_INFINITY;

  override listXattrs(path: string): ReturnType<HookedHost['listXattrs']> {
    this.#refuse();
    return super.listXattrs(path);
  }

  override setXattr(path: string, name: string, bytes: Uint8Array): void {
    this.#refuse();
    super.setXattr(path, name, bytes);
  }

  override removeXattr(path: string, name: string): void {
    this.#refuse();
    super.removeXattr(path, name);
  }

  #refuse(): void {
    const { code } = this;
    if (code === null || this.times <= 0) return;
    this.times -= 1;
    throw Object.assign(new Error(code), { code });
  }
}

let host: RefusingHost;
let bench: FolderBench;
beforeEach(() => {
  host = new RefusingHost();
  bench = new FolderBench(host);
});
afterEach(() => bench.destroy());

const value = (text: string): string => Buffer.from(text).toString('base64');
const shown = (...names: string[]): string[] =>
  host
    .listXattrs(bench.path(...names))
    .filter(({ name }) => name !== 'godwit.probe')
    .map((each) => `${each.name}=${Buffer.from(each.value).toString()}`);
const synced = (path: string): string[] =>
  bench.volume
    .status(path)
    .xattrs.map((each) => `${each.name}=${Buffer.from(each.value, 'base64').toString()}`);
const mark = (path: string, name: string, text: string): void =>
  host.setXattr(bench.path(path), name, Buffer.from(text));
const codes = (): string[] => bench.folder.status().errors.map(({ code }) => code);

/** A folder with a file and a folder in it, closed. */
async function known(): Promise<void> {
  await bench.start();
  mkdirSync(bench.path('dir'));
  writeFileSync(bench.path('mine'), 'text');
  writeFileSync(bench.path('theirs'), 'text');
  await bench.settled();
  await bench.close();
}

/** Other devices set attributes of a file and of a folder; here somebody marks another file. */
async function marked(): Promise<void> {
  mark('mine', 'color', 'red');
  bench.other.setattr('theirs', { xattrs: [{ name: 'note', value: value('one') }] });
  bench.other.setattr('dir', { xattrs: [{ name: 'note', value: value('two') }] });
  await bench.settled();
}

function isSame(): void {
  expect(synced('mine')).toEqual(['color=red']);
  for (const path of ['mine', 'theirs', 'dir']) expect(shown(path)).toEqual(synced(path));
  expect(synced('theirs')).toEqual(['note=one']);
  expect(synced('dir')).toEqual(['note=two']);
}

it('a folder that was away at the start syncs extended attributes when it is back', async () => {
  await known();
  renameSync(bench.root, `${bench.root} away`);
  await bench.open();
  await bench.until(() => codes().includes('folder-moved'));
  renameSync(`${bench.root} away`, bench.root);
  await bench.until(() => codes().length === 0);
  await marked();
  isSame();
});

describe('a disk that refuses calls for a moment', () => {
  it.each(['EACCES', 'EBUSY', 'EINTR', 'EIO'])(
    'is not taken for one without extended attributes: %s',
    async (code) => {
      await known();
      Object.assign(host, { code, times: 2 });
      await bench.open();
      await bench.settled();
      host.code = null;
      await marked();
      isSame();
    },
  );
});

describe('extended attributes of the folder itself', () => {
  it('arrive from other devices and stay when its mode changes here', async () => {
    await known();
    await bench.open();
    bench.other.setattr('', { xattrs: [{ name: 'note', value: value('root') }] });
    await bench.settled();
    expect(shown()).toEqual(['note=root']);
    chmodSync(bench.root, 0o750);
    await bench.settled();
    expect(synced('')).toEqual(['note=root']);
  });

  it('are uploaded when they change in the moment in which others change its time', async () => {
    await known();
    await bench.open();
    await bench.settled();
    mark('.', 'color', 'red');
    bench.other.setattr('', { mtime: mtimeOf(1_700_000_000_000_000_000n) });
    await bench.folder.reached(bench.volume.head);
    await bench.settled();
    expect(synced('')).toEqual(['color=red']);
  });
});

describe('a disk that keeps extended attributes only later', () => {
  beforeEach(async () => {
    host.code = 'ENOTSUP';
    await known();
    await bench.open();
    for (const path of ['theirs', 'dir']) {
      bench.other.setattr(path, { xattrs: [{ name: 'note', value: value('one') }] });
    }
    await bench.settled();
  });

  it('takes none from others while it has none', async () => {
    chmodSync(bench.path('theirs'), 0o600);
    await bench.other.write('theirs', 'two');
    await bench.settled();
    await bench.close();
    await bench.open();
    await bench.settled();
    expect(synced('theirs')).toEqual(['note=one']);
    expect(bench.folder.status().errors.map(({ code }) => code)).toEqual(['disk-limits']);
  });

  it('shows what others have set when it has them, and uploads what is set here', async () => {
    await bench.close();
    host.code = null;
    mark('mine', 'color', 'red');
    mark('theirs', 'size', '1');
    await bench.open();
    await bench.settled();
    expect(synced('mine')).toEqual(['color=red']);
    expect(synced('theirs')).toEqual(['note=one', 'size=1']);
    for (const path of ['mine', 'theirs', 'dir']) expect(shown(path)).toEqual(synced(path));
  });
});
