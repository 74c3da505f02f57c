import { expect, it } from '@jest/globals';
import { perform } from './perform-operation.ts';

it('an operation uses the daemon that ran at its start, also after that has ended', async () => {
  let isRunning = true;
  const daemon = { orderSharing: (): Promise<null> => Promise.resolve(null) };
  const client = {
    get daemon(): typeof daemon {
      if (!isRunning) throw new Error('no daemon runs');
      return daemon;
    },
  };
  const files = {
    look: async () => {
      isRunning = false;
      return Promise.resolve({ fid: '1.2.3' });
    },
  };
  const operation = { do: 'sharing', path: '/a', order: 'shared' };
  const running = { number: 1, client, operation } as never;
  await expect(perform(running, files as never, () => undefined)).resolves.toBe('done');
});
