import { describe, expect, it } from '@jest/globals';
import { AskedOfCore } from './asked-of-core.ts';

describe('a table of questions to the core', () => {
  it('keeps the operations of its oldest question until that is answered', async () => {
    let imported = 3;
    const asked = new AskedOfCore(() => imported);
    const slow = Promise.withResolvers<string>();
    const first = asked.during((seq) => slow.promise.then((text) => `${text} ${seq}`));
    imported = 7;
    const failed = asked.during((seq) => Promise.reject(new Error(`at ${seq}`)));
    expect(asked.oldest()).toBe(3);
    await expect(failed).rejects.toThrow('at 7');
    slow.resolve('answered');
    expect(await first).toBe('answered 3');
    expect(asked.oldest()).toBe(7);
  });
});
