import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { Contents, PAGE, type Remains } from './contents.ts';

const text = (contents: Contents): string =>
  Buffer.from(contents.read(0, contents.size)).toString('latin1');
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

function written(value: string): Contents {
  const contents = new Contents();
  contents.write(0, bytes(value));
  return contents;
}

describe('the contents of a file', () => {
  it('are those of a plain array, whatever is written and cut', () => {
    const step = fc.record({
      at: fc.integer({ min: 0, max: 3 * PAGE }),
      length: fc.integer({ min: 0, max: 2 * PAGE }),
      is: fc.constantFrom('write', 'resize', 'sync'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const contents = new Contents();
        let plain = Buffer.alloc(0);
        for (const [index, { at, length, is }] of steps.entries()) {
          const size = is === 'resize' ? at : Math.max(plain.length, length > 0 ? at + length : 0);
          if (is !== 'sync')
            plain = Buffer.concat([plain, Buffer.alloc(6 * PAGE)]).subarray(0, size);
          if (is === 'write' && length > 0) {
            contents.write(at, Buffer.alloc(length, index + 1));
            plain = Buffer.from(plain);
            plain.fill(index + 1, at, at + length);
          } else if (is === 'resize') contents.resize(at);
          else contents.sync();
          expect(Buffer.from(contents.read(0, 9 * PAGE)).equals(plain)).toBe(true);
        }
      }),
    );
  });

  it('take no room for what nobody wrote', () => {
    const contents = new Contents();
    contents.write(10 * PAGE, bytes('end'));
    expect([contents.size, contents.taken]).toEqual([10 * PAGE + 3, 1]);
    expect([contents.missing(0, PAGE + 1), contents.missing(10 * PAGE, 1)]).toEqual([2, 0]);
  });

  it('share pages with a copy until one of both is written', () => {
    const [one, copy] = [written('text'), new Contents()];
    copy.share(one);
    one.write(0, bytes('T'));
    copy.write(3, bytes('T'));
    expect([text(one), text(copy)]).toEqual(['Text', 'texT']);
  });

  it.each([
    ['all', 'new text'],
    ['synced', 'old'],
    ['zeros', '\0'.repeat(8)],
  ] as const)('lose "%s" of what was not synced when the power goes', (remains, left) => {
    const contents = written('old');
    contents.sync();
    contents.resize(0);
    contents.write(0, bytes('new text'));
    // A page that was never written out has nothing of the old.
    contents.lose(remains, new SeededRandom(1));
    const expected = remains === 'zeros' ? 'old'.padEnd(8, '\0') : left;
    expect(text(contents)).toBe(expected);
    expect(contents.isChanged).toBe(false);
  });

  it('keep what was synced, whatever is left of the rest', () => {
    for (const remains of ['all', 'synced', 'short', 'zeros', 'mixed'] satisfies Remains[]) {
      const contents = written('synced');
      contents.sync();
      contents.write(6, bytes(' and more'));
      contents.lose(remains, new SeededRandom(remains));
      expect(text(contents).startsWith('synced')).toBe(true);
    }
  });
});
