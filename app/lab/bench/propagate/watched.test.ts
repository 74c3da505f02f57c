import { describe, expect, it } from '@jest/globals';
import { Versions, Watcher } from './watched.ts';

function watched(): { versions: Buffer[]; watcher: Watcher } {
  const all = new Versions(100);
  const versions = [all.next(), all.next(), all.next()];
  return { versions, watcher: new Watcher(all) };
}

const NONE = { torn: 0, empty: 0, missing: 0, older: 0 };

describe('the reads of a watched file', () => {
  it('are good as long as each version is whole and none is older than the one before', () => {
    const { versions, watcher } = watched();
    for (const at of [0, 0, 1, 2, 2]) watcher.note(versions[at] ?? null, at);
    expect(watcher).toMatchObject({ bad: NONE, badReads: 0, reads: 5 });
  });

  it.each<[string, (versions: Buffer[]) => Buffer | null, object]>([
    ['half of one and half of another', mixture, { torn: 1 }],
    ['a part of one', ([first]) => first?.subarray(0, 50) ?? null, { torn: 1 }],
    ['nothing', () => Buffer.alloc(0), { empty: 1 }],
    ['no file', () => null, { missing: 1 }],
    ['an older one', ([first]) => first ?? null, { older: 1 }],
  ])('are bad when one is %s', (_, read, bad) => {
    const { versions, watcher } = watched();
    watcher.note(versions[1] ?? null, 1);
    watcher.note(read(versions), 2);
    expect(watcher).toMatchObject({ bad: { ...NONE, ...bad }, badReads: 1 });
  });

  it('are waited for and reported with the time of the last answer', async () => {
    const { versions, watcher } = watched();
    const seen = watcher.seen(1);
    watcher.note(versions[0] ?? null, 10);
    watcher.note(versions[0] ?? null, 20);
    watcher.note(versions[2] ?? null, 30);
    expect(await seen).toBeGreaterThan(0);
    expect([0, 1, 2].map((version) => watcher.lastAnswered(version))).toEqual([20, 0, 30]);
  });
});

function mixture([first, second]: Buffer[]): Buffer | null {
  if (first === undefined || second === undefined) return null;
  return Buffer.concat([first.subarray(0, 50), second.subarray(50)]);
}
