/**
 * Programs that write at the worst moment: into a file that is being taken, over one that is being replaced, and through a handle
 * on one that has been. No version is torn, none is lost.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  appendFileSync,
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { FrontEndHarness } from './front-end-harness.ts';

/** All timers of a folder are late after it. */
const BUSY_MS = 500;
const COPY = /^doc \(conflict, laptop, /;

export function racesSuite(name: string, start: () => Promise<FrontEndHarness>): void {
  let harness: FrontEndHarness;
  const path = (...names: string[]): string => join(harness.root, ...names);
  const values = (): string[] => Object.values(harness.volume()).sort();
  /** The conflict copy that came of `doc`: name and contents. */
  const copies = (): Array<[string, string]> =>
    Object.entries(harness.volume()).filter(([each]) => COPY.test(each));

  beforeEach(async () => {
    harness = await start();
    writeFileSync(path('doc'), 'one');
    await harness.settled();
  });
  afterEach(() => harness.end());

  describe(`a file that changes while it is uploaded in a front end (${name})`, () => {
    it.each(['taking', 'taken'] as const)(
      'is uploaded again when it is quiet (%s)',
      async (moment) => {
        let part = 0;
        const more = (): void => appendFileSync(path('doc'), ` part${(part += 1)}`);
        harness.at(moment, more, 3);
        writeFileSync(path('doc'), 'begun');
        await harness.until(() => harness.volume()['doc'] === 'begun part1 part2 part3');
        expect(harness.stored()).toEqual(['one', 'begun part1 part2 part3']);
      },
    );

    it('is uploaded again also when its size and time are unchanged', async () => {
      harness.at('taken', () => {
        const fd = openSync(path('doc'), 'r+');
        writeSync(fd, 'SECOND');
        closeSync(fd);
      });
      writeFileSync(path('doc'), 'first!');
      await harness.until(() => harness.volume()['doc'] === 'SECOND');
      expect(harness.stored()).toEqual(['one', 'SECOND']);
    });

    it('can be truncated, replaced or removed meanwhile', async () => {
      for (const each of ['a', 'b', 'c']) writeFileSync(path(each), `first of ${each}`);
      harness.at('taken', () => truncateSync(path('a'), 5));
      harness.at('taken', () => {
        writeFileSync(path('b.new'), 'second of b');
        renameSync(path('b.new'), path('b'));
      });
      harness.at('taken', () => rmSync(path('c'), { force: true }));
      await harness.settled();
      expect(harness.volume()).toEqual({ a: 'first', b: 'second of b', doc: 'one' });
      const whole = ['one', 'first', 'first of a', 'first of b', 'second of b', 'first of c'];
      for (const each of harness.stored()) expect(whole).toContain(each);
    });
  });

  describe(`a file that changes while another version replaces it in a front end (${name})`, () => {
    it.each([
      ['written', () => writeFileSync(path('doc'), 'mine, and longer')],
      [
        'saved safely',
        () => {
          writeFileSync(path('doc.tmp'), 'mine, and longer');
          renameSync(path('doc.tmp'), path('doc'));
        },
      ],
    ])('is kept together with the other version when it is %s', async (_how, save) => {
      harness.at('placing', save);
      await harness.other.write('doc', 'theirs');
      await harness.until(() => values().length === 2);
      await harness.settled();
      expect(values()).toEqual(['mine, and longer', 'theirs']);
      expect(harness.tree()).toEqual(harness.volume());
    });

    it('gets the new version when it is removed', async () => {
      harness.at('placing', () => unlinkSync(path('doc')));
      await harness.other.write('doc', 'theirs');
      await harness.settled();
      expect(harness.volume()).toEqual({ doc: 'theirs' });
    });

    it('gets the new version under its new name when it is renamed', async () => {
      harness.at('placing', () => renameSync(path('doc'), path('moved')));
      await harness.other.write('doc', 'theirs');
      await harness.settled();
      expect(harness.volume()).toEqual({ moved: 'theirs' });
    });

    it('gets the new version under its new name when the machine is also busy for long', async () => {
      harness.at('placing', () => {
        renameSync(path('doc'), path('moved'));
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);
      });
      await harness.other.write('doc', 'theirs');
      await harness.settled();
      expect(harness.volume()).toEqual({ moved: 'theirs' });
    });

    it('is replaced by renames when the file system cannot swap names', async () => {
      harness.refuse('placing', 'doc', 'EINVAL');
      await harness.other.write('doc', 'two');
      await harness.settled();
      expect(harness.tree()).toEqual({ doc: 'two' });
      linkSync(path('doc'), path('other'));
      await harness.settled();
      await harness.other.write('doc', 'three');
      await harness.settled();
      expect(harness.tree()).toEqual({ doc: 'three', other: 'three' });
    });
  });

  describe(`a late write through a handle on the old version in a front end (${name})`, () => {
    const writeLate = async (file: string, replace: () => Promise<unknown> | void) => {
      const fd = openSync(path(file), 'r+');
      await replace();
      await harness.settled();
      writeSync(fd, 'late and longer');
      closeSync(fd);
    };

    it('becomes a conflict copy when the waiting time is over', async () => {
      await writeLate('doc', () => harness.other.write('doc', 'two'));
      await harness.settled();
      expect(harness.volume()).toEqual({ doc: 'two' });
      await harness.lateTimeOver();
      await harness.until(() => copies().length === 1);
      await harness.settled();
      expect(copies()[0]?.[1]).toBe('late and longer');
      expect(readFileSync(path('doc'), 'utf8')).toBe('two');
    });

    it('becomes a conflict copy when the file had more than one name', async () => {
      linkSync(path('doc'), path('second'));
      await harness.settled();
      await writeLate('second', () => harness.other.write('doc', 'two'));
      await harness.lateTimeOver();
      await harness.until(() => values().includes('late and longer'));
      await harness.settled();
      expect(values()).toEqual(['late and longer', 'two', 'two']);
    });

    it('becomes a conflict copy when the file was removed or renamed over', async () => {
      writeFileSync(path('gone'), 'gone');
      await harness.settled();
      await writeLate('gone', () => harness.other.remove('gone'));
      await harness.other.write('new', 'new');
      await harness.settled();
      await writeLate('doc', () => harness.other.rename('new', 'doc'));
      await harness.lateTimeOver();
      await harness.until(() => values().length === 3);
      await harness.settled();
      expect(values()).toEqual(['late and longer', 'late and longer', 'new']);
    });

    it('becomes a conflict copy when the name has the greatest length', async () => {
      const long = `${'n'.repeat(251)}.odt`;
      writeFileSync(path(long), 'one');
      await harness.settled();
      await writeLate(long, () => harness.other.write(long, 'two'));
      await harness.lateTimeOver();
      await harness.until(() => values().includes('late and longer'));
      await harness.settled();
      expect(values()).toEqual(['late and longer', 'one', 'two']);
    });

    it('leaves nothing behind when it did not happen', async () => {
      await harness.other.write('doc', 'two');
      await harness.settled();
      await harness.lateTimeOver();
      await harness.settled();
      expect(harness.tree()).toEqual({ doc: 'two' });
    });
  });
}
