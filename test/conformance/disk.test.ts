/** The Disk port on this machine: on the disk of its temporary files, and on each file system that it can mount, with what that lacks. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { systemDisk } from '../../daemon/adapters/folder/disk/system-disk.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { itNeeds } from '../support/browser.ts';
import { DISK_KINDS, missingFor, MountedDisk } from '../support/disks.ts';
import { realPrograms } from '../support/real-programs.ts';
import { diskConformance } from './disk.suite.ts';
import type { DiskSite, Lack } from './disk-harness.ts';

/** By kinds of disks (test/support/disks.ts); those that are not here lack nothing. */
const FAT: readonly Lack[] = [
  ...(['links', 'symlinks', 'swaps', 'xattrs', 'modes', 'special', 'rights'] as const),
  ...(['cases', 'raw', 'fifos', 'exact', 'changes', 'entries', 'kept', 'holes'] as const),
];
const NTFS: readonly Lack[] = [
  ...(['modes', 'special', 'rights', 'exact', 'changes', 'kept', 'raw', 'swaps'] as const),
];
const LACKS: Readonly<Record<string, readonly Lack[]>> = {
  'ntfs-3g': NTFS,
  'ntfs-3g as Windows sees it': [...NTFS, 'cases', 'ends'],
  'exfat by FUSE': FAT,
  exfat: [...FAT, 'ends'],
  vfat: [...FAT, 'ends'],
};

function siteIn(folder: string, lacks: readonly Lack[]): DiskSite {
  const dir = mkdtempSync(join(folder, 'godwit-port-'));
  chmodSync(dir, 0o777);
  return {
    ...{ disk: systemDisk(new NativeHost()), dir, arrange: realPrograms, lacks },
    end: () => rmSync(dir, { recursive: true, force: true }),
  };
}

diskConformance('this machine', () => siteIn(tmpdir(), []));

describe.each(DISK_KINDS)('the disk kind $name', (kind) => {
  const missing = missingFor(kind);
  if (missing !== null) {
    itNeeds(missing)('has a Disk that keeps its contract', () => Promise.resolve());
    return;
  }
  let mounted: MountedDisk;
  beforeAll(async () => {
    mounted = await MountedDisk.mount(kind);
    // An ordinary user gets there, too.
    chmodSync(dirname(mounted.folder), 0o755);
  });
  afterAll(() => mounted.unmount());

  diskConformance(kind.name, () => siteIn(mounted.folder, LACKS[kind.name] ?? []));
});
