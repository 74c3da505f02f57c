/** The disk's side of a resolution, on a real disk; what a program does in the same moment is done between two calls of the host. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fid } from '../../../shared/model/fid.ts';
import { commitNumber, dataVersion, mtimeOf, type Digest } from '../../../shared/model/vnode.ts';
import type { Attributes } from '../../../shared/ports/file-system.ts';
import { HookedHost } from '../../../test/support/hooked-host.ts';
import { SafeRoot } from '../folder/disk/safe-root.ts';
import { systemDisk } from '../folder/disk/system-disk.ts';
import { FolderTarget, type TargetFiles } from './folder-target.ts';
import type { ResolvedPath } from './resolution-target.ts';

const native = new HookedHost();
const disk = systemDisk(native);
let folder: string;
let host: TargetFiles;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-target-'));
  mkdirSync(join(folder, 'd'));
  writeFileSync(join(folder, 'd/doc'), 'theirs');
  writeFileSync(join(folder, 'd/copy'), 'mine');
  host = {
    ...disk,
    digestFile: (path) => native.digestFile(path),
    renameExchange: (a, b) => native.renameExchange(a, b),
    renameNoReplace: (a, b) => native.renameNoReplace(a, b),
    syncDirectory: (path) => native.syncDirectory(path),
  };
});
afterEach(() => rmSync(folder, { recursive: true }));

const target = (): FolderTarget => new FolderTarget(new SafeRoot(folder, disk), host);

/** As the volume has it: with these contents. */
async function at(path: string, contents: string): Promise<ResolvedPath> {
  const aside = join(folder, 'aside');
  writeFileSync(aside, contents);
  const { digest, length } = await native.digestFile(aside);
  rmSync(aside);
  const there: Attributes = {
    fid: '1.2.1' as Fid,
    kind: 'file',
    mode: 0o644,
    mtime: mtimeOf(1n),
    size: length,
    version: dataVersion(1),
    commit: commitNumber(1),
    digest: digest as Digest,
    target: null,
    links: 1,
    xattrs: [],
    cached: true,
    sync: 'committed',
  };
  return { names: path.split('/'), there };
}

const shown = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(join(folder, 'd'))
      .sort()
      .map((name) => [name, readFileSync(join(folder, 'd', name), 'utf8')]),
  );

describe('the operation replace in a folder', () => {
  it('leaves the kept side under the name and removes the other one', async () => {
    await target().replace(await at('d/copy', 'mine'), await at('d/doc', 'theirs'));
    expect(shown()).toEqual({ doc: 'mine' });
  });

  it('works also when names cannot be swapped', async () => {
    host = {
      ...host,
      renameExchange: () => {
        throw Object.assign(new Error('not here'), { code: 'EINVAL' });
      },
    };
    await target().replace(await at('d/copy', 'mine'), await at('d/doc', 'theirs'));
    expect(shown()).toEqual({ doc: 'mine' });
  });

  it('refuses a file whose version on the server differs from the disk', async () => {
    const loser = await at('d/doc', 'theirs, older');
    await expect(target().replace(await at('d/copy', 'mine'), loser)).rejects.toMatchObject({
      code: 'sync-blocked',
    });
    expect(shown()).toEqual({ copy: 'mine', doc: 'theirs' });
  });

  it.each(['digestFile', 'renameExchange'] as const)(
    'leaves what a program writes right before the end of %s',
    async (call) => {
      const write = (): void => writeFileSync(join(folder, 'd/doc'), 'theirs, and more');
      host = {
        ...host,
        digestFile: async (path) => {
          const result = await native.digestFile(path);
          if (call === 'digestFile') write();
          return result;
        },
        renameExchange: (a, b) => {
          if (call === 'renameExchange') write();
          call = 'digestFile';
          native.renameExchange(a, b);
        },
      };
      const replaced = target().replace(await at('d/copy', 'mine'), await at('d/doc', 'theirs'));
      await expect(replaced).rejects.toMatchObject({ code: 'changed-since' });
      expect(shown()).toEqual({ copy: 'mine', doc: 'theirs, and more' });
    },
  );

  it('makes the new name durable before it removes the old file', async () => {
    host = {
      ...host,
      syncDirectory: () => {
        expect(shown()).toEqual({ copy: 'theirs', doc: 'mine' });
        throw Object.assign(new Error('the disk is gone'), { code: 'EIO' });
      },
    };
    const replaced = target().replace(await at('d/copy', 'mine'), await at('d/doc', 'theirs'));
    await expect(replaced).rejects.toMatchObject({ code: 'disk-failing' });
    expect(shown()).toEqual({ copy: 'theirs', doc: 'mine' });
  });

  it('follows no symbolic link', async () => {
    symlinkSync(join(folder, 'd'), join(folder, 'e'));
    const replaced = target().replace(await at('e/copy', 'mine'), await at('e/doc', 'theirs'));
    await expect(replaced).rejects.toMatchObject({ code: 'changed-since' });
    expect(shown()).toEqual({ copy: 'mine', doc: 'theirs' });
  });
});

describe('the operation remove in a folder', () => {
  it('removes the losing side', async () => {
    await target().remove(await at('d/copy', 'mine'), await at('d/doc', 'theirs'));
    expect(shown()).toEqual({ doc: 'theirs' });
  });

  it('leaves the losing side when the kept one is not in the folder yet', async () => {
    rmSync(join(folder, 'd/doc'));
    const removed = target().remove(await at('d/copy', 'mine'), await at('d/doc', 'theirs'));
    await expect(removed).rejects.toMatchObject({ code: 'sync-blocked' });
    expect(shown()).toEqual({ copy: 'mine' });
  });

  it('removes a symbolic link and not its target', async () => {
    symlinkSync('doc', join(folder, 'd/link'));
    const { there } = await at('d/link', '');
    if (there === null) throw new Error('it is there');
    const link = { ...there, kind: 'symlink', digest: null, target: 'doc' } as const;
    const other = { names: ['d', 'link'], there: { ...link, target: 'copy' } };
    await expect(target().remove(other, null)).rejects.toMatchObject({ code: 'sync-blocked' });
    await target().remove({ names: ['d', 'link'], there: link }, null);
    expect(shown()).toEqual({ copy: 'mine', doc: 'theirs' });
  });
});

describe('the operation move in a folder', () => {
  it('takes only a name that is free', async () => {
    const [copy, doc] = [await at('d/copy', 'mine'), await at('d/doc', 'theirs')];
    await expect(target().move(copy, doc)).rejects.toMatchObject({ code: 'changed-since' });
    rmSync(join(folder, 'd/doc'));
    await target().move(copy, doc);
    expect(shown()).toEqual({ doc: 'mine' });
    expect(existsSync(join(folder, 'd/copy'))).toBe(false);
  });
});
