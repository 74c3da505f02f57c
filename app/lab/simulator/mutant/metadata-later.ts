/** Canary: metadata misses its first turn, so a store goes while something of a higher class could (no inversion of classes). */
import { ReadyQueue } from '../../../../daemon/core/log/ready-queue.ts';
import type { LoggedUpdate } from '../../../../daemon/core/log/update-log.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';

export const metadataLater: Mutant = {
  name: 'metadata-later',
  rule: 'the order of the classes',
  caughtBy: 'no inversion of classes',
  begin: () => {
    const passedOver = new WeakSet<LoggedUpdate>();
    return replaceMethod(ReadyQueue.prototype, 'peek', (peek) => {
      return function (this: ReadyQueue) {
        const entry = peek.call(this);
        if (entry === undefined || entry.update.op === 'store') return entry;
        if (passedOver.has(entry)) return entry;
        passedOver.add(entry);
        return undefined;
      };
    });
  },
};
