/**
 * Swapped links (rule F2): whatever a program swaps for a link, and when, nothing outside of the tree is read or written.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { once } from 'node:events';
import type { FrontEndHarness } from './front-end-harness.ts';

/** Swaps a directory for a link outward and back, without end, until told to stop. */
const SWAPPER = `
  const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
  const { workerData } = require('node:worker_threads');
  const stop = new Int32Array(workerData.stop);
  for (let count = 0; Atomics.load(stop, 0) === 0; count++) {
    try {
      renameSync(workerData.dir, workerData.aside);
      symlinkSync(workerData.outside, workerData.dir);
      unlinkSync(workerData.dir);
      renameSync(workerData.aside, workerData.dir);
    } catch (error) {
      if (!['ENOENT', 'EEXIST', 'ENOTEMPTY', 'EISDIR', 'ENOTDIR', 'EPERM'].includes(error.code)) throw error;
    }
  }
`;

export function linksSuite(name: string, start: () => Promise<FrontEndHarness>): void {
  let harness: FrontEndHarness;
  let outside: string;
  const path = (...names: string[]): string => join(harness.root, ...names);
  /** Outside is as it was, and nothing of it was ever taken. */
  const isUntouched = (): void => {
    expect(readdirSync(outside)).toEqual(['doc']);
    expect(readFileSync(join(outside, 'doc'), 'utf8')).toBe('secret');
    expect(harness.stored()).not.toContain('secret');
    expect(Object.values(harness.volume())).not.toContain('secret');
  };
  const swap = (): void => {
    renameSync(path('d'), path('aside'));
    symlinkSync(outside, path('d'));
  };

  beforeEach(async () => {
    harness = await start();
    outside = mkdtempSync(join(tmpdir(), 'godwit-outside-'));
    writeFileSync(join(outside, 'doc'), 'secret');
    mkdirSync(path('d'));
    writeFileSync(path('d', 'doc'), 'one');
    await harness.settled();
  });
  afterEach(async () => {
    await harness.end();
    rmSync(outside, { recursive: true });
  });

  describe(`a directory that becomes an outward link in a front end (${name})`, () => {
    it('protects the outside when new contents are put into it', async () => {
      harness.at('placing', swap);
      await harness.other.write('d/doc', 'two, of others');
      await harness.settled();
      isUntouched();
      expect(harness.volume()['aside/doc']).toBe('two, of others');
      expect(harness.volume()['d']).toBe(`-> ${outside}`);
    });

    it('protects the outside when a file is created in it', async () => {
      harness.at('placing', swap);
      await harness.other.write('d/new', 'new');
      await harness.settled();
      isUntouched();
      expect(harness.volume()['aside/new']).toBe('new');
    });

    it('protects the outside when contents are read from it', async () => {
      harness.at('taking', swap);
      writeFileSync(path('d', 'doc'), 'changed');
      await harness.settled();
      isUntouched();
      expect(harness.volume()['aside/doc']).toBe('changed');
    });

    it('protects the outside when a file in it is removed, renamed or created', async () => {
      writeFileSync(path('d', 'old'), 'old');
      await harness.settled();
      swap();
      harness.other.remove('d/doc');
      harness.other.rename('d/old', 'd/renamed');
      harness.other.mkdir('d/sub');
      await harness.other.write('d/sub/x', 'x');
      await harness.settled();
      isUntouched();
      expect(harness.volume()['aside/sub/x']).toBe('x');
      expect(existsSync(path('aside', 'doc'))).toBe(false);
    });

    it('protects the outside when it is swapped repeatedly while both sides write', async () => {
      const stop = new SharedArrayBuffer(4);
      const worker = new Worker(SWAPPER, {
        eval: true,
        workerData: { stop, outside, dir: path('d'), aside: path('aside') },
      });
      await once(worker, 'online');
      let last = '';
      for (let round = 0; round < 60; round++) {
        const text = `theirs ${round}`;
        // Under the name that the directory has just now in the volume; it may change at this moment.
        const isWritten = await harness.other.write(`d/f${round % 5}`, text).then(
          () => true,
          () => false,
        );
        if (isWritten) last = text;
        writeFileSync(path(`mine${round}`), 'mine');
      }
      Atomics.store(new Int32Array(stop), 0, 1);
      await once(worker, 'exit');
      await harness.settled();
      isUntouched();
      if (last !== '') expect(Object.values(harness.tree())).toContain(last);
      expect(harness.tree()).toMatchObject({ mine0: 'mine', mine59: 'mine' });
    });
  });

  describe(`a file that becomes an outward link in a front end (${name})`, () => {
    it('protects the outside when its next contents are put in place', async () => {
      harness.at('placing', () => {
        rmSync(path('d', 'doc'));
        symlinkSync(join(outside, 'doc'), path('d', 'doc'));
      });
      await harness.other.write('d/doc', 'two');
      await harness.settled();
      isUntouched();
      expect(Object.values(harness.volume())).toContain('two');
      expect(Object.values(harness.volume())).toContain(`-> ${outside}/doc`);
    });

    it('protects the outside when its contents are read', async () => {
      harness.at('taking', () => {
        rmSync(path('d', 'doc'));
        symlinkSync(join(outside, 'doc'), path('d', 'doc'));
      });
      writeFileSync(path('d', 'doc'), 'changed');
      await harness.settled();
      isUntouched();
      expect(harness.volume()['d/doc']).toBe(`-> ${outside}/doc`);
    });

    it('protects the outside when attributes of the file are set', async () => {
      const before = lstatSync(join(outside, 'doc'), { bigint: true });
      rmSync(path('d', 'doc'));
      symlinkSync(join(outside, 'doc'), path('d', 'doc'));
      harness.other.setattr('d/doc', { mode: 0o777, mtime: '1' as never });
      await harness.settled();
      isUntouched();
      const after = lstatSync(join(outside, 'doc'), { bigint: true });
      expect([after.mode, after.mtimeNs, after.ctimeNs]).toEqual([
        before.mode,
        before.mtimeNs,
        before.ctimeNs,
      ]);
    });
  });
}
