/** Canary: a daemon that starts again has forgotten which sequence numbers it gave (rule W4), and gives them to other updates. */
import type { ClientRows } from '../../../../shared/ports/client-store.ts';
import { MemoryClientStore } from '../store/memory-client-store.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';

export const reuseNumber: Mutant = {
  name: 'reuse-number',
  rule: 'W4',
  begin: () =>
    replaceMethod(MemoryClientStore.prototype, 'load', (load) => {
      return async function (this: MemoryClientStore): Promise<ClientRows> {
        const rows = await load.call(this);
        const meta = new Map(rows.meta);
        meta.delete('last-seq');
        return { ...rows, meta };
      };
    }),
};
