/** The marker by which a folder is known: what happens to it where the power goes. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { join } from 'node:path';
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
});
