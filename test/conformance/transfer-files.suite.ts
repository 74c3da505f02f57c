/** What every TransferFiles must do (shared/ports/transfer-files.ts). */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { makeFid } from '../../shared/model/fid.ts';
import type { PartNote } from '../../shared/model/part-note.ts';
import { wallTime } from '../../shared/model/time.ts';
import type { TransferFiles } from '../../shared/ports/transfer-files.ts';

export interface TransferFilesHarness {
  /** Opens the files as the next process does; in memory, after a loss of power. */
  open(): TransferFiles;
  write(path: string, bytes: string): void;
  /** The text of a file, or null without one. */
  read(path: string): string | null;
  /** Makes an unknown file in the folder of parts. */
  strange(name: string): string;
}

function noteOf(number: number, keptAt: number): PartNote {
  const digest = String(number).padStart(64, '0');
  return { fid: makeFid(1, 5, number), digest, length: 100, keptAt: wallTime(keptAt) };
}

export function transferFilesSuite(name: string, make: () => TransferFilesHarness): void {
  describe(`the TransferFiles port (${name})`, () => {
    let harness: TransferFilesHarness;
    let files: TransferFiles;

    beforeEach(() => {
      harness = make();
      files = harness.open();
    });

    const kept = async (bytes: string, note: PartNote): Promise<string> => {
      const path = files.newPath();
      harness.write(path, bytes);
      return files.keep(path, note);
    };

    it('yields free paths and removes their files at the start', async () => {
      const [one, two] = [files.newPath(), files.newPath()];
      expect(one).not.toBe(two);
      expect(harness.read(one)).toBeNull();
      harness.write(one, 'half of a delta');
      const empty = await files.makeEmpty();
      expect(harness.read(empty)).toBe('');
      files = harness.open();
      expect([one, empty].map((path) => harness.read(path))).toEqual([null, null]);
    });

    it('gives a file a second name that outlives the first', async () => {
      const path = files.newPath();
      harness.write(path, 'sent');
      const other = await files.link(path);
      expect(other).not.toBe(path);
      await files.discard(path);
      expect([path, other].map((each) => harness.read(each))).toEqual([null, 'sent']);
      files = harness.open();
      expect(harness.read(other)).toBeNull();
    });

    it('keeps parts with their notes, also over a restart', async () => {
      const note = noteOf(1, 5000);
      const path = await kept('begun', note);
      for (let life = 0; life < 2; life++) {
        expect(await files.parts()).toEqual([{ ...note, path, size: 5 }]);
        expect(harness.read(path)).toBe('begun');
        files = harness.open();
      }
    });

    it('lists parts newest first', async () => {
      await kept('b', noteOf(2, 10));
      await kept('a', noteOf(1, 10));
      await kept('c', noteOf(3, 20));
      expect((await files.parts()).map(({ fid }) => fid)).toEqual(['1.5.3', '1.5.1', '1.5.2']);
    });

    it('keeps a part again when it has grown', async () => {
      const path = await kept('begun', noteOf(1, 5000));
      harness.write(path, 'begun and more');
      const later = await files.keep(path, noteOf(1, 6000));
      files = harness.open();
      expect(await files.parts()).toEqual([{ ...noteOf(1, 6000), path: later, size: 14 }]);
    });

    it('forgets parts that were moved away or discarded', async () => {
      const path = await kept('begun', noteOf(1, 5000));
      await files.discard(path);
      await files.discard(path);
      expect(await files.parts()).toEqual([]);
    });

    it('removes files without a note', async () => {
      const path = harness.strange('incoming-7');
      expect(await files.parts()).toEqual([]);
      expect(harness.read(path)).toBeNull();
    });

    it('reports a missing file as not found', async () => {
      const none = { code: 'not-found' };
      await expect(files.keep(files.newPath(), noteOf(1, 1))).rejects.toMatchObject(none);
      await expect(files.link(files.newPath())).rejects.toMatchObject(none);
    });
  });
}
