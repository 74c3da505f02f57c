import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareNames } from '../../../shared/model/names.ts';
import { fromSortName, toSortName } from './sort-name.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

describe('names in the sort form of the database', () => {
  it.each(['a', 'ä', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}', 'a\u{1f600}\ufb01'])(
    'can be converted back: %j',
    (name) => {
      expect(toSortName(name).isWellFormed()).toBe(true);
      expect(fromSortName(toSortName(name))).toBe(name);
    },
  );

  it('stay unchanged when they contain no character out of order', () => {
    expect(toSortName('Grüße 你好.txt')).toBe('Grüße 你好.txt');
  });

  const name = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('a', '\ud7ff', '\ue000', '\ufffc', '\u{10000}', '\u{10ffff}'),
    }),
  );

  it('can be converted back whatever they contain', () => {
    fc.assert(fc.property(name, (text) => expect(fromSortName(toSortName(text))).toBe(text)));
  });

  it('sort by bytes in the order of code units', () => {
    fc.assert(
      fc.property(name, name, (a, b) => {
        const order = Buffer.compare(bytes(toSortName(a)), bytes(toSortName(b)));
        expect(Math.sign(order)).toBe(compareNames(a, b));
      }),
    );
  });
});
