import { describe, expect, it } from '@jest/globals';
import { Ledger } from './ledger.ts';

function ledgerOf(
  ...writes: ReadonlyArray<readonly [version: string, over: string | null]>
): Ledger {
  const ledger = new Ledger();
  for (const [version, over] of writes) ledger.wrote(version, over, `file ${version}`, version);
  return ledger;
}

const named = (missing: readonly string[]): string[] => missing.map((text) => text.slice(6, 7));

describe('a version is accounted for', () => {
  it('if it is there', () => {
    expect(ledgerOf(['a', null], ['b', null]).missing(['a', 'b'])).toEqual([]);
  });

  it('if one that was written over it is there, at however many removes', () => {
    expect(ledgerOf(['a', null], ['b', 'a'], ['c', 'b']).missing(['c'])).toEqual([]);
  });

  it('if somebody who had it before him removed it, or what came after it', () => {
    const ledger = ledgerOf(['a', null], ['b', 'a']);
    ledger.removed('b');
    expect(ledger.missing([])).toEqual([]);
  });
});

describe('it is lost', () => {
  it('if nothing of it is there', () => {
    expect(named(ledgerOf(['a', null], ['b', null]).missing(['b']))).toEqual(['a']);
  });

  it('if only what was written before it is there', () => {
    expect(named(ledgerOf(['a', null], ['b', 'a']).missing(['a']))).toEqual(['b']);
  });

  it('if one of two that were written over the same is gone', () => {
    const ledger = ledgerOf(['a', null], ['b', 'a'], ['c', 'a']);
    expect(named(ledger.missing(['c']))).toEqual(['b']);
  });

  it('if what was to be written over it did not come about', () => {
    const ledger = ledgerOf(['a', null], ['b', 'a']);
    ledger.failed('b');
    expect(named(ledger.missing(['b']))).toEqual(['a']);
  });
});

it('what a program destroyed without having seen it is nobody else’s fault', () => {
  const ledger = ledgerOf(['a', null], ['b', null]);
  ledger.overlooked('file a');
  expect(named(ledger.missing([]))).toEqual(['b']);
});
