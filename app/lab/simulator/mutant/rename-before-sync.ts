/**
 * Canary: a sync returns before it is done (promise 1): the file gets its final name, and the log its entry, while the bytes
 * are not on the disk yet. Each disk is one sync late.
 */
import { MemoryDisk } from '../disk/memory-disk.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';

export const renameBeforeSync: Mutant = {
  name: 'rename-before-sync',
  rule: 'promise 1',
  begin: () => {
    const late = new WeakMap<MemoryDisk, string>();
    const mendSync = replaceMethod(MemoryDisk.prototype, 'sync', (sync) => {
      return function (this: MemoryDisk, path) {
        const before = late.get(this);
        late.set(this, path);
        if (before !== undefined && this.has(before)) sync.call(this, before);
      };
    });
    const mendRename = replaceMethod(MemoryDisk.prototype, 'rename', (rename) => {
      return function (this: MemoryDisk, from, to) {
        rename.call(this, from, to);
        if (late.get(this) === from) late.set(this, to);
      };
    });
    return () => {
      mendSync();
      mendRename();
    };
  },
};
