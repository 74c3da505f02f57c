/**
 * The Host and the folder on each file system that this machine has. With GODWIT_ALL_DISKS (`npm run disks`) those that lack nothing get the
 * suites of the front ends as well.
 */
import { afterAll, beforeAll, describe } from '@jest/globals';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { itNeeds } from '../support/browser.ts';
import { DISK_KINDS, missingFor, MountedDisk } from '../support/disks.ts';
import { folderOnDisk } from './disks.suite.ts';
import { folderOn } from './front-end-folder.ts';
import { filesSuite } from './front-end-files.suite.ts';
import { linksSuite } from './front-end-links.suite.ts';
import { namesSuite } from './front-end-names.suite.ts';
import { frontEndSuite } from './front-end.suite.ts';
import { hostFallbacks } from './host-fallbacks.suite.ts';

const IS_WHOLE = process.env['GODWIT_ALL_DISKS'] !== undefined;

describe.each(DISK_KINDS)('the disk kind $name', (kind) => {
  const missing = missingFor(kind);
  if (missing !== null) {
    itNeeds(missing)('is served by the Host and the folder', () => Promise.resolve());
    return;
  }
  let disk: MountedDisk;
  const where = (): string => disk.folder;
  beforeAll(async () => {
    disk = await MountedDisk.mount(kind);
  });
  afterAll(() => disk.unmount());

  hostFallbacks(kind.name, () => new NativeHost(), where);
  // A disk that lacks nothing is like the one on which the other tests run.
  if (IS_WHOLE || kind.lacks) folderOnDisk(kind.name, where);
  if (!IS_WHOLE || kind.lacks) return;
  for (const suite of [frontEndSuite, filesSuite, linksSuite, namesSuite]) {
    suite(kind.name, () => folderOn(disk.folder));
  }
});
