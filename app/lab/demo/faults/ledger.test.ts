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

describe('a version in the ledger', () => {
  it('is accounted for when it is there', () => {
    expect(ledgerOf(['a', null], ['b', null]).missing(['a', 'b'])).toEqual([]);
  });

  it('is accounted for when a version written over it is there, at any distance', () => {
    expect(ledgerOf(['a', null], ['b', 'a'], ['c', 'b']).missing(['c'])).toEqual([]);
  });

  it('is accounted for when a program that had it removed it or a later one', () => {
    const ledger = ledgerOf(['a', null], ['b', 'a']);
    ledger.removed('b');
    expect(ledger.missing([])).toEqual([]);
  });
});

describe('a missing version in the ledger', () => {
  it('is lost when nothing of it is there', () => {
    expect(named(ledgerOf(['a', null], ['b', null]).missing(['b']))).toEqual(['a']);
  });

  it('is lost when only an earlier version is there', () => {
    expect(named(ledgerOf(['a', null], ['b', 'a']).missing(['a']))).toEqual(['b']);
  });

  it('is lost when one of two written over the same version is gone', () => {
    const ledger = ledgerOf(['a', null], ['b', 'a'], ['c', 'a']);
    expect(named(ledger.missing(['c']))).toEqual(['b']);
  });

  it('is lost when the version that was to replace it failed', () => {
    const ledger = ledgerOf(['a', null], ['b', 'a']);
    ledger.failed('b');
    expect(named(ledger.missing(['b']))).toEqual(['a']);
  });
});

it('a version that a program destroyed unseen is not counted as lost', () => {
  const ledger = ledgerOf(['a', null], ['b', null]);
  ledger.overlooked('file a');
  expect(named(ledger.missing([]))).toEqual(['b']);
});
