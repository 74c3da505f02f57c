/** Canary: an update forgets what it must come after (rule W1), so a rename may be there before the contents that it brings in. */
import { UpdateLog } from '../../../../daemon/core/log/update-log.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';

export const skipDependency: Mutant = {
  name: 'skip-dependency',
  rule: 'W1',
  begin: () =>
    replaceMethod(UpdateLog.prototype, 'append', (append) => {
      return function (this: UpdateLog, draft) {
        const entry = append.call(this, draft);
        for (const seq of entry.waitsFor) this.get(seq)?.waiters.delete(entry.seq);
        entry.waitsFor.clear();
        return entry;
      };
    }),
};
