/** The order of the disk calls, which is what makes a content durable, and what comes of calls that fail. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Digest } from '../../../shared/model/vnode.ts';
import { DiskContentStore } from './content-disk.ts';
import type { ContentFiles } from './content-files.ts';

const digestOf = (start: string): Digest => start.padEnd(64, '0') as Digest;

/** Notes each call; answers it when it is let, or fails it. */
class WatchedFiles implements ContentFiles {
  readonly calls: string[] = [];
  /** Calls that begin so wait in `held`. */
  hold: string | null = null;
  readonly held: Array<() => void> = [];
  failure: { readonly call: string; readonly code: string } | null = null;

  syncFile = (path: string) => this.#call(`sync file ${path}`);
  syncFolder = (path: string) => this.#call(`sync folder ${path}`);
  makeFolder = (path: string) => this.#call(`make ${path}`);
  rename = (from: string, to: string) => this.#call(`rename ${from} ${to}`);
  write = (path: string) => this.#call(`write ${path}`);
  look = () => Promise.resolve(null);
  list = () => Promise.resolve([]);
  remove = (path: string) => this.#call(`remove ${path}`);

  async #call(text: string): Promise<void> {
    this.calls.push(text);
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.hold !== null && text.startsWith(this.hold)) this.held.push(resolve);
    else resolve();
    await promise;
    if (this.failure !== null && text.startsWith(this.failure.call)) {
      const { code } = this.failure;
      this.failure = null;
      throw Object.assign(new Error(code), { code });
    }
  }
}

/** Everything that can go on without a held call has. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

let files: WatchedFiles;
let store: DiskContentStore;

beforeEach(() => {
  files = new WatchedFiles();
  store = new DiskContentStore('/s', files);
});

describe('a put of contents', () => {
  it('syncs the bytes before the rename, and the rename before it answers', async () => {
    const digest = digestOf('ab');
    await store.put('/s/spool/1', digest);
    const rename = `rename /s/spool/1 /s/contents/ab/${digest}`;
    const at = (call: string): number => files.calls.indexOf(call);
    expect(at('sync file /s/spool/1')).toBeGreaterThanOrEqual(0);
    expect(at(rename)).toBeGreaterThan(at('sync file /s/spool/1'));
    expect(at(rename)).toBeGreaterThan(at('make /s/contents/ab'));
    expect(files.calls.at(-1)).toBe('sync folder /s/contents/ab');
    expect(files.calls.filter((call) => call.startsWith('sync folder')).sort()).toEqual([
      'sync folder /s',
      'sync folder /s/contents',
      'sync folder /s/contents/ab',
    ]);
  });

  it('makes a folder only once', async () => {
    await store.put('/s/spool/1', digestOf('ab1'));
    files.calls.length = 0;
    await store.put('/s/spool/2', digestOf('ab2'));
    expect(files.calls.map((call) => call.split(' ').slice(0, 2).join(' '))).toEqual([
      'sync file',
      'rename /s/spool/2',
      'sync folder',
    ]);
  });

  it('shares the sync of a folder with other puts, but joins none that had begun', async () => {
    await store.put('/s/spool/0', digestOf('ab0'));
    files.calls.length = 0;
    files.hold = 'sync folder';
    const answered: number[] = [];
    const put = (number: number) =>
      store.put(`/s/spool/${number}`, digestOf(`ab${number}`)).then(() => answered.push(number));
    const first = put(1);
    await settled();
    const others = [2, 3, 4, 5].map(put);
    await settled();
    expect(files.held).toHaveLength(1);
    files.held.shift()?.();
    await first;
    await settled();
    expect(answered).toEqual([1]);
    expect(files.held).toHaveLength(1);
    files.held.shift()?.();
    await Promise.all(others);
    expect(files.calls.filter((call) => call.startsWith('sync folder'))).toHaveLength(2);
  });

  it.each(['ENOSPC', 'EDQUOT'])('reports a full disk: %s', async (code) => {
    for (const call of ['sync file', 'make', 'rename', 'sync folder /s/contents/ab']) {
      files.failure = { call, code };
      const put = new DiskContentStore('/s', files).put('/s/spool/1', digestOf('ab'));
      await expect(put).rejects.toMatchObject({ code: 'server-full' });
    }
  });

  it('tries again what failed before', async () => {
    files.failure = { call: 'make', code: 'EIO' };
    await expect(store.put('/s/spool/1', digestOf('ab'))).rejects.toMatchObject({ code: 'EIO' });
    await store.put('/s/spool/1', digestOf('ab'));
    files.failure = { call: 'sync folder', code: 'EIO' };
    await expect(store.put('/s/spool/2', digestOf('ab'))).rejects.toMatchObject({ code: 'EIO' });
    await expect(store.put('/s/spool/3', digestOf('ab'))).resolves.toBeUndefined();
  });

  it('fails only its own caller when the sync before it fails', async () => {
    await store.put('/s/spool/0', digestOf('ab0'));
    files.hold = 'sync folder';
    files.failure = { call: 'sync folder', code: 'EIO' };
    const first = store.put('/s/spool/1', digestOf('ab1'));
    await settled();
    const second = store.put('/s/spool/2', digestOf('ab2'));
    await settled();
    files.hold = null;
    files.held.shift()?.();
    await expect(first).rejects.toMatchObject({ code: 'EIO' });
    await expect(second).resolves.toBeUndefined();
  });
});

it('a quarantine moves damaged contents aside durably under their name', async () => {
  const digest = digestOf('cd');
  await store.quarantine(digest);
  const rename = files.calls.indexOf(`rename /s/contents/cd/${digest} /s/quarantine/${digest}`);
  expect(rename).toBeGreaterThan(files.calls.indexOf('make /s/quarantine'));
  expect(files.calls.slice(rename + 1).sort()).toEqual([
    'sync folder /s/contents/cd',
    'sync folder /s/quarantine',
  ]);
});
