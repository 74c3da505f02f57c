import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Fid } from '../../../../shared/model/fid.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { OwnCopies } from './own-copies.ts';

const DIR = '1.1.1' as Fid;
const at = (name: string, dir = DIR) => ({ dir, name });

let kept: Map<string, string>;
let isFull: boolean;
const store = {
  state: (key: string): string | null => kept.get(key) ?? null,
  setState: (key: string, value: string): void => {
    if (isFull) throw new GodwitError('disk-full');
    kept.set(key, value);
  },
};
beforeEach(() => {
  kept = new Map();
  isFull = false;
});

describe('the names that a folder gave to conflict copies', () => {
  it('are known by their places until a call has them, over restarts too', () => {
    new OwnCopies({ store }).gives(at('doc (2)'), 'doc');
    const copies = new OwnCopies({ store });
    expect(copies.markOf(at('doc (2)'))).toEqual({ copyOf: 'doc' });
    expect(copies.markOf(at('doc (2)', '1.2.2' as Fid))).toEqual({});
    expect(copies.markOf(at('doc'))).toEqual({});
    copies.told(at('doc (2)'));
    expect(copies.markOf(at('doc (2)'))).toEqual({});
    expect(new OwnCopies({ store }).markOf(at('doc (2)'))).toEqual({});
  });

  it('are known to the run on a disk that is full', () => {
    isFull = true;
    const copies = new OwnCopies({ store });
    copies.gives(at('doc (2)'), 'doc');
    expect(copies.markOf(at('doc (2)'))).toEqual({ copyOf: 'doc' });
  });

  it('are forgotten from the oldest on when there are too many', () => {
    const copies = new OwnCopies({ store });
    for (let n = 0; n < 1_000; n++) copies.gives(at(`doc (${n})`), 'doc');
    expect(copies.markOf(at('doc (0)'))).toEqual({});
    expect(copies.markOf(at('doc (999)'))).toEqual({ copyOf: 'doc' });
    expect(kept.get('copies')?.length).toBeLessThan(20_000);
  });
});
