/** What all LocalCopies must do (shared/ports/file-store.ts): those of the folder, and those of a replica in memory. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeFid, type Fid } from '../../shared/model/fid.ts';
import { dataVersion, type Digest, type VnodeStatus } from '../../shared/model/vnode.ts';
import type { LocalCopies, LocalCopy } from '../../shared/ports/file-store.ts';

export interface LocalCopiesHarness {
  readonly copies: LocalCopies;
  /** Makes or replaces a file, or makes a directory, on another device. Resolves with its status when it is placed here. */
  file(name: string, text: string): Promise<VnodeStatus>;
  folder(name: string): Promise<VnodeStatus>;
  /** Removes a file on another device and waits until it is gone here. */
  remove(name: string): Promise<void>;
  /** Makes copies of this file fail with `code`; null ends that. */
  refuse(name: string, code: 'disk-full' | 'disk-failing' | null): void;
  read(path: string): string;
  write(path: string, text: string): void;
  end(): Promise<void>;
}

export function localCopiesSuite(name: string, start: () => Promise<LocalCopiesHarness>): void {
  describe(`LocalCopies of a front end (${name})`, () => {
    let harness: LocalCopiesHarness;

    beforeEach(async () => {
      harness = await start();
    });
    afterEach(() => harness.end());

    const copyOf = ({ fid, version, digest }: VnodeStatus) =>
      harness.copies.copyOf(fid, version, digest as Digest);
    const anyCopyOf = (fid: Fid) => harness.copies.anyCopyOf(fid);
    const text = (path: string | null): string | null =>
      path === null ? null : harness.read(path);

    it.each(['text', ''])('yield the contents that are in place: %j', async (contents) => {
      const status = await harness.file('doc', contents);
      expect(text(await copyOf(status))).toBe(contents);
      const any = (await anyCopyOf(status.fid)) as LocalCopy;
      const { version, digest } = status;
      expect(any).toMatchObject({ version, digest, length: contents.length });
      expect(text(any.path)).toBe(contents);
    });

    it('yield a separate file to each caller', async () => {
      const status = await harness.file('doc', 'text');
      const first = (await copyOf(status)) as string;
      const any = (await anyCopyOf(status.fid)) as LocalCopy;
      harness.write(first, 'something else');
      harness.write(any.path, 'something else');
      expect(first).not.toBe(any.path);
      expect(text(await copyOf(status))).toBe('text');
    });

    it('are found by digest, whatever version is requested', async () => {
      const before = await harness.file('doc', 'old');
      const now = await harness.file('doc', 'new');
      expect(await copyOf(before)).toBeNull();
      expect(await copyOf({ ...now, digest: before.digest })).toBeNull();
      expect(text(await copyOf({ ...now, version: dataVersion(99) }))).toBe('new');
      expect(await anyCopyOf(now.fid)).toMatchObject({ version: now.version });
    });

    it('do not exist for folders, unknown and removed files', async () => {
      const status = await harness.file('doc', 'text');
      const { fid: folder } = await harness.folder('folder');
      const strange = makeFid(1, 4_000_000, 9);
      await harness.remove('doc');
      for (const fid of [folder, strange, status.fid]) {
        expect(await copyOf({ ...status, fid })).toBeNull();
        expect(await anyCopyOf(fid)).toBeNull();
      }
    });

    it('never have the contents of another file', async () => {
      const status = await harness.file('doc', 'text');
      const other = await harness.file('other', 'other');
      expect(await copyOf({ ...status, fid: other.fid })).toBeNull();
    });

    it.each(['disk-full', 'disk-failing'] as const)(
      'are reported as existing when the disk refuses a copy: %s',
      async (code) => {
        const status = await harness.file('doc', 'text');
        harness.refuse('doc', code);
        await expect(copyOf(status)).rejects.toMatchObject({ code });
        await expect(anyCopyOf(status.fid)).rejects.toMatchObject({ code });
        harness.refuse('doc', null);
        expect(text(await copyOf(status))).toBe('text');
      },
    );
  });
}
