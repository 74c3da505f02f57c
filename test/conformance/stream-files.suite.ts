/** What every StreamFiles must do (shared/ports/stream-files.ts). */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { VolumeId } from '../../shared/model/fid.ts';
import { wallTime } from '../../shared/model/time.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { PartNote, StreamFiles } from '../../shared/ports/stream-files.ts';

export interface StreamFilesHarness {
  /** The files as the next process finds them, not yet opened; in memory, after a loss of power. */
  next(): StreamFiles;
  write(path: string, bytes: string): void;
  /** The text of a file, or null without one. */
  read(path: string): string | null;
  /** The names of all files in the folder. */
  names(): string[];
  /** Makes a file that the port does not know. */
  strange(name: string, bytes: string): void;
  /** Makes every sync fail. */
  failSyncs(code: 'ENOSPC' | 'EIO'): void;
}

const noteOf = (digit: string, kept: number): PartNote => ({
  fingerprint: 'f'.repeat(64),
  volume: 7 as VolumeId,
  digest: digit.repeat(64),
  length: 100,
  kept,
  when: wallTime(5000),
});

export function streamFilesSuite(name: string, make: () => StreamFilesHarness): void {
  describe(`the StreamFiles port (${name})`, () => {
    let harness: StreamFilesHarness;
    let files: StreamFiles;

    beforeEach(async () => {
      harness = make();
      files = harness.next();
      expect(await files.open()).toEqual({ parts: [], damaged: 0 });
    });

    const kept = async (bytes: string, note: PartNote): Promise<string> => {
      const path = files.newPath();
      harness.write(path, bytes);
      return files.keep(path, note);
    };

    const reopened = (): ReturnType<StreamFiles['open']> => {
      files = harness.next();
      return files.open();
    };

    it('reads a file in parts, each with its digest', async () => {
      const [path, first, last] = [files.newPath(), files.newPath(), files.newPath()];
      harness.write(path, 'onethree');
      const parts = await files.readParts(path, [3, 0, 5]);
      const texts = parts.map(({ bytes }) => Buffer.from(bytes).toString());
      expect(texts).toEqual(['one', '', 'three']);
      harness.write(first, 'one');
      harness.write(last, 'three');
      const alone = [await files.readParts(first, [3]), await files.readParts(last, [5])];
      expect([parts[0], parts[2]]).toEqual(alone.flat());
      expect(new Set(parts.map(({ digest }) => digest)).size).toBe(3);
      expect(harness.read(path)).toBe('onethree');
      for (const lengths of [[3, 4], [3, 6], []]) {
        const read = files.readParts(path, lengths);
        await expect(read).rejects.toMatchObject({ code: 'length-mismatch' });
      }
    });

    it('keeps parts with their notes over a restart, and no other file', async () => {
      const note = noteOf('a', 5);
      const path = await kept('begun', note);
      const [one, two] = [files.newPath(), files.newPath()];
      expect(one).not.toBe(two);
      harness.write(one, 'a delta');
      expect(harness.read(await files.makeEmpty())).toBe('');
      expect(await reopened()).toEqual({ parts: [{ ...note, path }], damaged: 0 });
      expect(harness.read(path)).toBe('begun');
      expect(harness.names()).toHaveLength(1);
    });

    it('takes in a moved file and removes it at the next start like all that is no part', async () => {
      const path = files.newPath();
      harness.write(path, 'a delta');
      const moved = await files.moveIn(path);
      expect([harness.read(path), harness.read(moved)]).toEqual([null, 'a delta']);
      await expect(files.moveIn(path)).rejects.toBeInstanceOf(GodwitError);
      expect(await reopened()).toEqual({ parts: [], damaged: 0 });
      expect(harness.names()).toEqual([]);
    });

    it('recognises a part that an older server kept without its volume', async () => {
      harness.strange(`${'f'.repeat(64)}-${'a'.repeat(64)}-100-5-5000-1`, 'begun');
      const { parts } = await reopened();
      expect(parts).toMatchObject([{ ...noteOf('a', 5), volume: null }]);
    });

    it('keeps a part that has grown under its new note', async () => {
      const path = await kept('begun', noteOf('a', 5));
      harness.write(path, 'begun, and more');
      const later = await files.keep(path, noteOf('a', 15));
      expect(later).not.toBe(path);
      expect(await reopened()).toEqual({
        parts: [{ ...noteOf('a', 15), path: later }],
        damaged: 0,
      });
    });

    it('keeps several parts with the same note apart', async () => {
      const paths = [await kept('begun', noteOf('a', 5)), await kept('again', noteOf('a', 5))];
      expect((await reopened()).parts.map(({ path }) => path).sort()).toEqual(paths.sort());
    });

    it('removes a part that was being appended to', async () => {
      const path = await kept('begun', noteOf('a', 5));
      const other = await kept('other', noteOf('b', 5));
      harness.strange(path.slice(path.lastIndexOf('/') + 1), 'begun, and some of the rest');
      expect(await reopened()).toMatchObject({ parts: [{ path: other }], damaged: 1 });
      expect(harness.read(path)).toBeNull();
    });

    it.each([
      'no-part',
      `${'f'.repeat(64)}-${'a'.repeat(64)}-100-7-5000`,
      `${'f'.repeat(64)}-${'a'.repeat(64)}-6-7-5000-1`,
      `${'f'.repeat(64)}-${'a'.repeat(64)}-9999999999999999-7-5000-1`,
      `${'f'.repeat(64)}-${'A'.repeat(64)}-100-7-5000-1`,
    ])('removes a file called %s and counts it as damaged', async (strange) => {
      harness.strange(strange, 'seven b');
      expect(await reopened()).toEqual({ parts: [], damaged: 1 });
      expect(harness.names()).toEqual([]);
    });

    it('discards a file and accepts a missing one', async () => {
      const path = await kept('begun', noteOf('a', 5));
      await files.discard(path);
      await files.discard(path);
      expect(harness.names()).toEqual([]);
    });

    it.each([
      ['ENOSPC', 'disk-full'],
      ['EIO', 'disk-failing'],
    ] as const)('reports the system error %s as %s', async (errno, code) => {
      harness.failSyncs(errno);
      await expect(kept('begun', noteOf('a', 5))).rejects.toMatchObject({ code });
    });
  });
}
