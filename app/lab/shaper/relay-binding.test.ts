/** Which addon has the relay: that of the product, or one of the laboratory's own. */
import { describe, expect, it } from '@jest/globals';
import { relayOf } from './relay-binding.ts';

const never = (): never => {
  throw new Error('nothing is to be loaded');
};

describe('the relay of the shaper', () => {
  it('comes from the addon when that has it', () => {
    const addon = { relayOpen: () => undefined };
    expect(relayOf(addon, never)).toBe(addon);
  });

  it('is loaded from beside the shaper when the addon has none', () => {
    const own = { relayOpen: () => undefined };
    const asked: string[] = [];
    const load = (path: string): unknown => {
      asked.push(path);
      return own;
    };
    expect(relayOf({ endpointOpen: () => undefined }, load)).toBe(own);
    expect(asked).toEqual([`./native/godwit.${process.platform}-${process.arch}.node`]);
  });

  it('is reported with a remedy when it is missing', () => {
    expect(() => relayOf({}, never)).toThrow(/no link shaper: run `node build\/native.mjs`/);
  });
});
