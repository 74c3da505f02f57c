/** What the directory watches of every Host must do (shared/ports/host.ts). */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DirectoryEvent, DirectoryWatches, Host } from '../../shared/ports/host.ts';

export function watchesConformance(name: string, make: () => Host): void {
  describe(`watches of directories (${name})`, () => {
    let folder: string;
    let watches: DirectoryWatches;
    let told: DirectoryEvent[];
    let losses: number;
    let heard: () => void;
    const at = (...names: string[]): string => join(folder, ...names);

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'godwit-watches-'));
      told = [];
      losses = 0;
      heard = () => undefined;
      watches = make().watchDirectories({
        happened: (event) => {
          told.push(event);
          heard();
        },
        lost: () => {
          losses += 1;
          heard();
        },
      });
    });
    afterEach(() => {
      watches.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const until = (holds: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        heard = () => holds() && resolve();
        heard();
      });
    const isTold = (watch: number, name: string | null): boolean =>
      told.some((event) => event.watch === watch && event.name === name);

    it('have reported all that happened, and nothing else, when they were heard', async () => {
      const watch = watches.add(folder, false);
      for (let count = 0; count < 20; count++) {
        writeFileSync(at(`old ${count}`), '');
        renameSync(at(`old ${count}`), at(`new ${count}`));
        await Promise.all([watches.hear?.(), watches.hear?.()]);
        expect(isTold(watch, `new ${count}`)).toBe(true);
      }
      expect(told.every((event) => event.watch === watch && !event.isEnded)).toBe(true);
      watches.close();
      await watches.hear?.();
    });

    it('report by name what is made, written, changed, moved and removed in the directory', async () => {
      const watch = watches.add(folder, false);
      for (const act of [
        () => writeFileSync(at('file'), ''),
        () => writeFileSync(at('file'), 'more'),
        () => chmodSync(at('file'), 0o600),
        () => utimesSync(at('file'), 1, 1),
        () => unlinkSync(at('file')),
      ]) {
        told = [];
        act();
        await until(() => isTold(watch, 'file'));
      }
      mkdirSync(at('dir'));
      await until(() => isTold(watch, 'dir'));
      expect(told.find(({ name }) => name === 'dir')?.isDirectory).toBe(true);
      renameSync(at('dir'), at('moved'));
      await until(() => isTold(watch, 'moved'));
      expect(losses).toBe(0);
    });

    it('report a write by the name that the file has by then', async () => {
      writeFileSync(at('old'), '');
      const watch = watches.add(folder, false);
      const open = openSync(at('old'), 'r+');
      renameSync(at('old'), at('new'));
      await until(() => isTold(watch, 'new'));
      told = [];
      writeSync(open, 'more');
      closeSync(open);
      await until(() => isTold(watch, 'new'));
      expect(isTold(watch, 'old')).toBe(false);
    });

    it('report changes of the directory itself and nothing from deeper levels', async () => {
      mkdirSync(at('d', 'e'), { recursive: true });
      const watch = watches.add(at('d'), false);
      writeFileSync(at('d', 'e', 'deep'), '');
      chmodSync(at('d'), 0o700);
      await until(() => isTold(watch, null));
      expect(told.map(({ name }) => name)).not.toContain('deep');
    });

    it('are shared by all names of one directory', () => {
      mkdirSync(at('d'));
      symlinkSync('d', at('link'));
      const watch = watches.add(at('d'), false);
      expect(watches.add(at('link'), true)).toBe(watch);
      expect(watches.add(at('d', '.'), false)).toBe(watch);
    });

    it('end with their directory or when they are removed', async () => {
      mkdirSync(at('gone'));
      mkdirSync(at('left'));
      const gone = watches.add(at('gone'), false);
      const left = watches.add(at('left'), false);
      rmdirSync(at('gone'));
      await until(() => told.some(({ watch, isEnded }) => watch === gone && isEnded));
      watches.remove(left);
      watches.remove(gone);
      writeFileSync(at('left', 'file'), '');
      const other = watches.add(folder, false);
      writeFileSync(at('file'), '');
      await until(() => isTold(other, 'file'));
      expect(isTold(left, 'file')).toBe(false);
    });

    it('report nothing after they are closed', async () => {
      watches.add(folder, false);
      const others: Array<string | null> = [];
      let hear = (): void => undefined;
      const next = make().watchDirectories({
        happened: ({ name }) => {
          others.push(name);
          hear();
        },
        lost: () => undefined,
      });
      next.add(folder, false);
      watches.close();
      writeFileSync(at('file'), '');
      await new Promise<void>((resolve) => {
        hear = () => others.includes('file') && resolve();
        hear();
      });
      next.close();
      expect(told).toEqual([]);
      expect(() => watches.add(folder, false)).toThrow(expect.objectContaining({ code: 'EBADF' }));
    });

    it.each([
      ['ENOENT', 'nothing'],
      ['ENOTDIR', 'file'],
      ['ENOTDIR', 'link'],
    ])('refuse with %s a path that is %s', (code, name) => {
      writeFileSync(at('file'), '');
      symlinkSync('.', at('link'));
      expect(() => watches.add(at(name), false)).toThrow(expect.objectContaining({ code }));
    });

    it('report lost events when there are more than the queue holds', async () => {
      const watch = watches.add(folder, false);
      const most = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
      for (const name of ['a', 'b']) writeFileSync(at(name), '');
      // What the kernel keeps, and what is read ahead of this thread.
      for (let count = 0; count < most + 200_000; count++)
        utimesSync(at('ab'[count % 2] ?? ''), 1, 1);
      await until(() => losses > 0);
      writeFileSync(at('later'), '');
      await until(() => isTold(watch, 'later'));
    });
  });
}
