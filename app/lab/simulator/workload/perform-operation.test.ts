import { expect, it } from '@jest/globals';
import { perform } from './perform-operation.ts';

it('asks the daemon that ran when it began, also where that has ended meanwhile', async () => {
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
