/** What the feed has told of last and is not in place: it is tried again, and who flushes is never told that all is here. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fid } from '../../../../shared/model/fid.ts';
import { GodwitError, type ErrorCode } from '../../../../shared/wire/error-codes.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';

let bench: FolderBench;
/** How a fetch of the file ends; null: well. */
let refusal: ErrorCode | null;
let fetched: number;
beforeEach(async () => {
  bench = new FolderBench();
  [refusal, fetched] = [null, 0];
  bench.volume.onObtain = () => {
    fetched += 1;
    return refusal === null ? undefined : Promise.reject(new GodwitError(refusal));
  };
  await bench.other.write('file', 'first');
  await bench.start();
});
afterEach(() => bench.destroy());

/** As `godwit flush --wait` on the side that does not get it. */
async function flush(): Promise<void> {
  await bench.folder.scan();
  await bench.folder.reached(bench.volume.head, 'says');
}

describe('the newest version, told as not kept', () => {
  beforeEach(async () => {
    refusal = 'version-gone';
    await bench.other.write('file', 'second');
  });

  it('fails a flush by its name', async () => {
    await expect(flush()).rejects.toMatchObject({
      code: 'version-gone',
      message: expect.stringContaining('/file'),
    });
    expect(bench.folder.unsettled().commits).toBe(1);
  });

  it('is tried again and comes by itself', async () => {
    await bench.until(() => fetched > 2);
    refusal = null;
    await bench.shows({ file: 'second' });
    await flush();
    expect(bench.folder.status().errors).toEqual([]);
  });

  it('is not missed any more when a newer one is here', async () => {
    await bench.until(() => fetched > 1);
    refusal = null;
    await bench.other.write('file', 'third');
    await bench.shows({ file: 'third' });
    await flush();
    expect(bench.folder.status().errors).toEqual([]);
  });

  it('is not missed any more when the file is removed', async () => {
    await bench.until(() => bench.folder.status().errors.length > 0);
    bench.other.remove('file');
    await bench.shows({});
    await flush();
    expect(bench.folder.status().errors).toEqual([]);
  });
});

describe('contents that can not be had', () => {
  it('are missed also when the file has got another name meanwhile', async () => {
    bench.limits = { ...bench.limits };
    refusal = 'disk-full';
    await bench.other.write('file', 'second');
    await bench.until(() => bench.folder.status().errors.length > 0);
    bench.other.rename('file', 'renamed');
    await bench.shows({ renamed: 'first' });
    await expect(flush()).rejects.toMatchObject({ code: 'disk-full' });
    refusal = null;
    await flush();
    expect(bench.tree()).toEqual({ renamed: 'second' });
    expect(bench.folder.status().errors).toEqual([]);
  });
});

it('a version is brought also where something failed at the one before', async () => {
  const fid = bench.volume.server.find('file') as Fid;
  const held = Promise.withResolvers<undefined>();
  bench.volume.onObtain = () => held.promise;
  const pending = bench.volume.pendingVnode.bind(bench.volume);
  let asked = Promise.withResolvers<undefined>();
  let fails = 0;
  bench.volume.pendingVnode = (each) => {
    if (each !== fid) return pending(each);
    asked.resolve(undefined);
    if (fails-- > 0) throw new Error('a fault of ours');
    return pending(each);
  };
  for (const contents of ['second', 'third']) {
    asked = Promise.withResolvers();
    await bench.other.write('file', contents);
    // The folder knows of it.
    await asked.promise;
  }
  fails = 1;
  held.resolve(undefined);
  await bench.folder.reached(bench.volume.head);
  expect(fails).toBeLessThan(1);
  expect(bench.tree()).toEqual({ file: 'third' });
});
