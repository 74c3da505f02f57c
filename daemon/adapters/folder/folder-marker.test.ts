/** The marker by which a folder is known: what happens to it where the power goes. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VolumeId } from '../../../shared/model/fid.ts';
import { FolderBench } from '../../../test/support/folder-bench.ts';
import { RecordStore } from './records/record-store.ts';

type SetState = (this: RecordStore, key: string, value: string) => void;

let bench: FolderBench;
beforeEach(() => {
  bench = new FolderBench();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await bench.destroy();
});

describe('the marker of a folder', () => {
  it('is durable with its names before the records know the folder by it', async () => {
    const synced: string[] = [];
    const sync = jest.spyOn(bench.host, 'syncDirectory');
    sync.mockImplementation((path) => void synced.push(path));
    let before: string[] | null = null;
    const { setState } = RecordStore.prototype as { setState: SetState };
    const set = jest.spyOn(RecordStore.prototype, 'setState');
    set.mockImplementation(function (this: RecordStore, key, value) {
      if (key === 'token') before ??= [...synced];
      setState.call(this, key, value);
    });
    await bench.open();
    expect(before).toEqual(
      expect.arrayContaining([join(bench.root, '.godwit'), bench.root, bench.dir]),
    );
  });

  it('is taken over where the data folder was lost and this laptop was paired again', async () => {
    await bench.start();
    writeFileSync(bench.path('doc'), 'x');
    await bench.settled();
    await bench.close();
    const again = new FolderBench();
    Object.assign(again, { root: bench.root, world: { deviceName: () => 'laptop 2' } });
    const volume = { ...again.volume.info, id: (bench.volume.info.id + 1) as VolumeId };
    again.world = { ...again.world, volume };
    await expect(again.open()).rejects.toMatchObject({
      ...{ code: 'folder-unusable', remedy: expect.stringContaining('.godwit/marker.json') },
    });
    again.world = { deviceName: () => 'laptop 2' };
    await again.start();
    expect(again.volume.tree()).toEqual({ doc: 'x' });
    // The one of before is no longer the one that has it.
    await again.close();
    await expect(bench.open()).rejects.toMatchObject({ code: 'folder-unusable' });
    await again.destroy();
  });
});
