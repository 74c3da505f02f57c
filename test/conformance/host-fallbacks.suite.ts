/**
 * What every Host must do on every disk (shared/ports/host.ts): file systems lack calls, and the Host keeps its promises all the same, or says in
 * one of few ways that it can not.
 */
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../../shared/ports/host.ts';

/** What a disk may say to a call that it does not have. */
const LACKING = ['ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'ENOSYS', 'EPERM', 'EXDEV', 'ENOTTY'];
const COARSEST_NS = 2_000_000_000n;

export function hostFallbacks(name: string, make: () => Host, where: () => string): void {
  let host: Host;
  let folder: string;
  const at = (...names: string[]): string => join(folder, ...names);
  const codeOf = (call: () => void): unknown => {
    try {
      call();
      return undefined;
    } catch (error) {
      return (error as { code?: unknown }).code;
    }
  };
  /** Done, or not there. */
  const orLacking = (call: () => void): void => {
    const code = codeOf(call);
    if (code !== undefined) expect(LACKING).toContain(code);
  };

  describe(`the Host port on a disk (${name})`, () => {
    beforeEach(() => {
      host = make();
      folder = mkdtempSync(join(where(), 'host-'));
    });

    it('renames files and directories with everything in them', () => {
      writeFileSync(at('file'), 'text');
      mkdirSync(at('dir'));
      writeFileSync(at('dir', 'inside'), 'inside');
      host.renameNoReplace(at('file'), at('new file'));
      host.renameNoReplace(at('dir'), at('new dir'));
      host.renameNoReplace(at('new file'), at('new dir', 'file'));
      expect(readdirSync(folder)).toEqual(['new dir']);
      expect(readdirSync(at('new dir')).sort()).toEqual(['file', 'inside']);
      expect(readFileSync(at('new dir', 'file'), 'utf8')).toBe('text');
      expect(statSync(at('new dir', 'file')).nlink).toBe(1);
    });

    it('replaces nothing by a rename, be it a file, an empty directory or a link', () => {
      writeFileSync(at('old'), 'old');
      mkdirSync(at('old dir'));
      orLacking(() => symlinkSync('nowhere', at('link')));
      writeFileSync(at('new'), 'new');
      mkdirSync(at('new dir'));
      const before = readdirSync(folder).sort();
      for (const to of before.filter((each) => !each.startsWith('new'))) {
        for (const from of ['new', 'new dir']) {
          expect(codeOf(() => host.renameNoReplace(at(from), at(to)))).toBe('EEXIST');
        }
      }
      expect(readdirSync(folder).sort()).toEqual(before);
      expect(readFileSync(at('old'), 'utf8')).toBe('old');
    });

    it('reports what is missing: the file or the target directory', () => {
      writeFileSync(at('a'), 'a');
      expect(codeOf(() => host.renameNoReplace(at('none'), at('b')))).toBe('ENOENT');
      expect(codeOf(() => host.renameNoReplace(at('a'), at('none', 'b')))).toBe('ENOENT');
      expect(readdirSync(folder)).toEqual(['a']);
    });

    it('sets times of files and directories as exactly as the disk keeps them', () => {
      writeFileSync(at('file'), 'text');
      mkdirSync(at('dir'));
      const wanted = 1_600_000_001_123_456_789n;
      for (const each of ['file', 'dir']) {
        host.setMtime(at(each), wanted);
        const off = lstatSync(at(each), { bigint: true }).mtimeNs - wanted;
        expect(off <= COARSEST_NS && off >= -COARSEST_NS).toBe(true);
      }
    });

    it('syncs what can be synced and is silent about the rest', async () => {
      writeFileSync(at('a'), 'four');
      host.syncDirectory(folder);
      expect(await host.syncPath(at('a'))).toBe(4);
    });

    it('swaps, reflinks and keeps attributes, or refuses and leaves nothing behind', () => {
      writeFileSync(at('a'), 'a');
      writeFileSync(at('b'), 'b');
      orLacking(() => host.renameExchange(at('a'), at('b')));
      expect([at('a'), at('b')].map((each) => readFileSync(each, 'utf8')).sort()).toEqual([
        'a',
        'b',
      ]);
      orLacking(() => host.reflink(at('a'), at('c')));
      expect(existsSync(at('c')) ? readFileSync(at('c')) : readFileSync(at('a'))).toEqual(
        readFileSync(at('a')),
      );
      orLacking(() => host.setXattr(at('a'), 'k', Uint8Array.from([1])));
      expect(host.listXattrs(at('a')).length).toBeLessThanOrEqual(1);
      expect([false, null]).toContain(host.isBeingWritten(at('a')));
    });

    it('copies, hashes and joins files, and opens them beneath a root', async () => {
      writeFileSync(at('a'), 'text');
      const digest = await host.digestFile(at('a'));
      expect(await host.copyFile(at('a'), at('b'), { sync: true })).toEqual(digest);
      await host.joinFiles([{ path: at('a'), length: 4 }], at('c'));
      expect(await host.digestFile(at('c'))).toEqual(digest);
      expect(codeOf(() => host.openBeneath(folder, 'none', 'file'))).toBe('ENOENT');
      await expect(host.copyFile(at('a'), at('b'), { sync: false })).rejects.toMatchObject({
        code: 'EEXIST',
      });
    });
  });
}
