/**
 * What every front end that keeps a replica must do with what it is told (ReplicaFrontEnd and Feed in shared/ports/feed.ts): the folder, and the one
 * that laptops in the simulator have. What programs do in a tree is the folder's alone (front-end.suite.ts): the other one has no disk for it.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ReplicaFrontEnd } from '../../shared/ports/feed.ts';
import type { OtherDevice } from '../support/fake-other-device.ts';
import type { FakeVolume } from '../support/fake-volume.ts';
import { othersClauses } from './front-end-others.ts';

export interface FollowsHarness {
  readonly frontEnd: ReplicaFrontEnd;
  readonly volume: FakeVolume;
  readonly other: OtherDevice;
  /** The tree that it shows, in the form of `FakeVolume.tree`. */
  tree(): Record<string, string>;
  /** Waits until it shows everything that the server has. */
  settled(): Promise<void>;
  /** Ends it and starts it again with the files that it had placed. */
  close(): Promise<void>;
  open(): Promise<void>;
  end(): Promise<void>;
}

export function frontEndFollowsSuite(name: string, start: () => Promise<FollowsHarness>): void {
  let harness: FollowsHarness;
  const isSame = async (expected: Record<string, string>): Promise<void> => {
    await harness.settled();
    expect(harness.volume.tree()).toEqual(expected);
    expect(harness.tree()).toEqual(expected);
  };

  beforeEach(async () => {
    harness = await start();
  });
  afterEach(() => harness.end());

  describe(`a front end that follows others (${name})`, () => {
    othersClauses(() => harness, isSame);

    it('shows files, directories and symlinks', async () => {
      harness.other.mkdir('d');
      await harness.other.write('d/file', 'contents');
      await harness.other.write('empty', '');
      harness.other.symlink('link', 'd/file');
      await isSame({ 'd/': '', 'd/file': 'contents', empty: '', link: '-> d/file' });
    });

    it('shows a file only when it has contents', async () => {
      harness.other.make('f');
      await harness.settled();
      expect(harness.tree()).toEqual({});
      await harness.other.write('f', 'text');
      await isSame({ f: 'text' });
    });

    it('shows hard links as hard links', async () => {
      await harness.other.write('a', 'a');
      harness.other.link('a', 'b');
      await isSame({ a: 'a', b: 'a' });
      harness.other.remove('a');
      await isSame({ b: 'a' });
    });
  });

  describe(`a later and smaller commit in a front end (${name})`, () => {
    /** Holds back fetches of `path` until the returned function is called. */
    const hold = (path: string): (() => void) => {
      const fid = harness.volume.server.find(path);
      const { promise, resolve } = Promise.withResolvers<void>();
      const before = harness.volume.onObtain;
      harness.volume.onObtain = (asked) => (asked === fid ? promise : before(asked));
      return resolve;
    };
    const shows = async (path: string, contents: string): Promise<void> => {
      while (harness.tree()[path] !== contents) await new Promise(setImmediate);
    };

    beforeEach(async () => {
      await harness.other.write('large', 'one');
      await harness.other.write('small', 'one');
      await harness.settled();
    });

    it('does not wait for a large one, and counts only when all before it are in place', async () => {
      const letGo = hold('large');
      await harness.other.write('large', 'two');
      await harness.other.write('small', 'two');
      await shows('small', 'two');
      expect(harness.tree()['large']).toBe('one');
      expect(harness.frontEnd.unsettled().commits).toBeGreaterThan(0);
      let isReached = false;
      const reached = harness.frontEnd.reached(harness.volume.head);
      void reached.then(() => (isReached = true));
      await harness.other.write('small', 'three');
      await shows('small', 'three');
      expect(isReached).toBe(false);
      letGo();
      await isSame({ large: 'two', small: 'three' });
    });

    it('waits when it depends on a large one', async () => {
      const letGo = hold('large');
      await harness.other.write('large', 'two');
      harness.other.rename('large', 'moved');
      await harness.other.write('small', 'two');
      await shows('small', 'two');
      expect(harness.tree()).toEqual({ large: 'one', small: 'two' });
      letGo();
      await isSame({ moved: 'two', small: 'two' });
    });

    it('is present once, together with the overtaken one, after a restart', async () => {
      const letGo = hold('large');
      await harness.other.write('large', 'two');
      await harness.other.write('small', 'two');
      await shows('small', 'two');
      await harness.close();
      const { obtained } = harness.volume;
      await harness.open();
      await harness.other.write('new', 'new');
      await shows('new', 'new');
      expect(harness.tree()).toEqual({ large: 'one', small: 'two', new: 'new' });
      letGo();
      await isSame({ large: 'two', small: 'two', new: 'new' });
      expect(harness.volume.obtained - obtained).toBe(2);
    });
  });

  describe(`the progress of a front end (${name})`, () => {
    it('is reported as reached only when the tree shows it', async () => {
      expect(harness.frontEnd.volume).toBe(harness.volume.info.id);
      await harness.other.write('a', 'one');
      await harness.frontEnd.reached(harness.volume.head);
      expect(harness.tree()).toEqual({ a: 'one' });
      await harness.frontEnd.reached(harness.volume.head);
      await harness.frontEnd.scan();
    });

    it('names commits that were heard of and are not shown', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const asked = new Promise<void>((heard) => {
        harness.volume.onObtain = () => {
          heard();
          return promise;
        };
      });
      await harness.other.write('a', 'one');
      await asked;
      expect(harness.frontEnd.unsettled().commits).toBeGreaterThan(0);
      expect(harness.tree()).toEqual({});
      resolve();
      await isSame({ a: 'one' });
      expect(harness.frontEnd.unsettled().commits).toBe(0);
    });

    it('includes adjustments that it is asked for', async () => {
      const fid = await harness.other.write('a', 'one');
      await harness.settled();
      harness.volume.offer({ kind: 'restored', fid });
      await harness.other.write('b', 'two');
      await harness.settled();
      expect(harness.volume.adjustments()).toEqual([]);
    });
  });

  describe(`a front end that starts again (${name})`, () => {
    it('continues where it was', async () => {
      await harness.other.write('a', 'one');
      await harness.other.write('b', 'two');
      await harness.settled();
      await harness.close();
      await harness.other.write('a', 'three');
      harness.other.remove('b');
      expect(harness.tree()).toEqual({ a: 'one', b: 'two' });
      await harness.open();
      await isSame({ a: 'three' });
    });

    it('looks at the whole volume when the history since then is gone', async () => {
      harness.other.mkdir('d');
      await harness.other.write('d/a', 'one');
      await harness.settled();
      await harness.close();
      harness.other.rename('d', 'e');
      await harness.other.write('b', 'two');
      harness.volume.historyFrom = harness.volume.head;
      await harness.open();
      await isSame({ 'e/': '', 'e/a': 'one', b: 'two' });
    });

    it('waits for a server that is away', async () => {
      harness.volume.connected = false;
      await harness.other.write('a', 'one');
      expect(harness.tree()).toEqual({});
      harness.volume.connected = true;
      await isSame({ a: 'one' });
    });
  });
}
