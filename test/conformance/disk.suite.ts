/** What every Disk must do (daemon/adapters/folder/disk/disk.ts). A disk may lack something: then it says so as the contract says, and nothing else. */
import { afterEach, beforeEach, describe } from '@jest/globals';
import { attributeTests } from './disk-attributes.suite.ts';
import { contentTests } from './disk-contents.suite.ts';
import { DiskBench, type DiskSite } from './disk-harness.ts';
import { handleTests } from './disk-handles.suite.ts';
import { inodeTests } from './disk-inodes.suite.ts';
import { listingTests } from './disk-listings.suite.ts';
import { nameTests } from './disk-names.suite.ts';
import { renameTests } from './disk-renames.suite.ts';
import { watchTests } from './disk-watches.suite.ts';

/** `make` gives an empty directory for each test. */
export function diskConformance(name: string, make: () => DiskSite | Promise<DiskSite>): void {
  describe(`the Disk port (${name})`, () => {
    let bench: DiskBench;
    const on = (): DiskBench => bench;
    beforeEach(async () => {
      bench = new DiskBench(await make());
    });
    afterEach(() => bench.end());

    describe('inodes', () => inodeTests(on));
    describe('handles', () => handleTests(on));
    describe('listings', () => listingTests(on));
    describe('names', () => nameTests(on));
    describe('renames', () => renameTests(on));
    describe('contents', () => contentTests(on));
    describe('attributes', () => attributeTests(on));
    describe('watches', () => watchTests(on));
  });
}
