import { describe, expect, it } from '@jest/globals';
import { Ledger } from './ledger.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const AT = { laptop: 'ada', program: 'vim 1', path: 'a' };

function wanted(ledger: Ledger): string[] {
  return ledger.wanted().map(({ begins }) => begins);
}

describe('the ledger of programs', () => {
  it('wants what was finished and nobody gave up', () => {
    const ledger = new Ledger();
    const [one, two] = ['one', 'two'].map((text) => ledger.saw(bytes(text), AT));
    ledger.finished(bytes('one'), AT);
    ledger.finished(bytes('two'), AT);
    ledger.gaveUp(one ?? ('' as never), 'rm', two);
    expect(wanted(ledger)).toEqual(['two']);
  });

  it('wants nothing that no file ever was', () => {
    const ledger = new Ledger();
    ledger.finished(bytes('one'), AT);
    expect(wanted(ledger)).toEqual([]);
  });

  it('wants nothing that another program removed before it was finished', () => {
    const ledger = new Ledger();
    ledger.gaveUp(ledger.saw(bytes('one'), AT), 'rm on ada');
    ledger.finished(bytes('one'), AT);
    expect(wanted(ledger)).toEqual([]);
    ledger.cameBack(bytes('one'), AT);
    expect(wanted(ledger)).toEqual(['one']);
  });

  it('wants nothing back over which another laptop wrote meanwhile', () => {
    const ledger = new Ledger();
    const one = ledger.saw(bytes('one'), AT);
    ledger.finished(bytes('one'), AT);
    ledger.gaveUp(one, 'mv on ada');
    ledger.gaveUp(one, 'vim on bob');
    ledger.cameBack(bytes('one'), AT);
    expect(wanted(ledger)).toEqual([]);
  });

  it('knows what is older than what', () => {
    const ledger = new Ledger();
    const [one, two, three] = ['one', 'two', 'three'].map((text) => {
      const digest = ledger.saw(bytes(text), AT);
      ledger.finished(bytes(text), AT);
      return digest;
    }) as [never, never, never];
    ledger.gaveUp(one, 'vim', two);
    ledger.gaveUp(two, 'vim', three);
    expect([ledger.isOlder(one, three), ledger.isOlder(three, one)]).toEqual([true, false]);
    ledger.forgetOrder();
    expect(ledger.isOlder(one, three)).toBe(false);
  });

  it.each([[''], ['\0\0\0\0']])('has no order by way of files that are all alike: %j', (alike) => {
    const ledger = new Ledger();
    const [one, blank, two] = ['one', alike, 'two'].map((text) => {
      const digest = ledger.saw(bytes(text), AT);
      ledger.finished(bytes(text), AT);
      return digest;
    }) as [never, never, never];
    ledger.gaveUp(one, 'cp', blank);
    ledger.gaveUp(blank, 'touch of another file', two);
    expect([ledger.isOlder(one, two), ledger.isOlder(one, blank)]).toEqual([false, false]);
  });

  it('gives up with the power what no program synced', () => {
    const ledger = new Ledger();
    for (const text of ['one', 'two']) {
      ledger.saw(bytes(text), AT);
      ledger.finished(bytes(text), AT);
    }
    ledger.durable(bytes('two'));
    for (const { digest } of ledger.wanted()) ledger.lostPower(digest, 'ada');
    expect(wanted(ledger)).toEqual(['two']);
  });

  it('gives up what a loss of power took where a program is first at its name', () => {
    const ledger = new Ledger();
    const one = ledger.saw(bytes('one'), AT);
    ledger.finished(bytes('one'), AT);
    ledger.missing(one, AT);
    for (const [text, at] of [
      ['elsewhere', { ...AT, path: 'b' }],
      ['on another laptop', { ...AT, laptop: 'bob' }],
    ] as const) {
      ledger.saw(bytes(text), AT);
      ledger.finished(bytes(text), at);
    }
    expect(wanted(ledger)).toContain('one');
    ledger.saw(bytes('two'), AT);
    ledger.finished(bytes('two'), AT);
    expect(wanted(ledger)).not.toContain('one');
  });

  it('gives up what a placeholder stood for', () => {
    const ledger = new Ledger();
    const digest = ledger.saw(bytes('one'), AT);
    ledger.finished(bytes('one'), AT);
    ledger.gaveUpBehind('...\ngodwit-placeholder 1.5.2 7 0123456789abcdef\n', 'rm');
    ledger.settleBehind((fid, version) => (fid === '1.5.2' && version === 7 ? digest : null));
    expect(wanted(ledger)).toEqual([]);
  });
});
