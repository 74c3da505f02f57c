import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DaemonConfig } from '../shared/control/config.ts';
import { FakeDaemon } from '../test/support/fake-daemon.ts';
import type { Desktop } from './adapters/control/control-services.ts';
import { desktopOf } from './desktop.ts';

let folder: string;
let daemon: FakeDaemon;
let desktop: Desktop;
let shown: string[];
let hasDesktop: boolean;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-desktop-'));
  mkdirSync(join(folder, 'a'));
  writeFileSync(join(folder, 'a', 'here.txt'), '');
  daemon = new FakeDaemon(join(folder, '..contents'));
  daemon.become({ folder });
  shown = [];
  hasDesktop = true;
  const config = { now: { volume: 'home' } as DaemonConfig };
  const show = (place: string) => {
    shown.push(place);
    return Promise.resolve(hasDesktop);
  };
  desktop = desktopOf({ config, daemon, show });
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('the desktop operation of the page', () => {
  it('opens a file, the folder around it, or the whole folder', async () => {
    await desktop.open(['a', 'here.txt'], false);
    await desktop.open(['a', 'here.txt'], true);
    await desktop.open([], true);
    expect(shown).toEqual([join(folder, 'a', 'here.txt'), join(folder, 'a'), folder]);
  });

  it('fetches a file first when a placeholder stands for it', async () => {
    const away = join(folder, 'a', 'away.txt');
    const { cache } = daemon;
    const act: typeof cache.act = (how, volume, path) => {
      writeFileSync(away, '');
      expect([how, volume, path]).toEqual(['demand', 'home', ['a', 'away.txt']]);
      return Promise.resolve({ files: 1, bytes: 0, unchanged: 0, failed: 0, exceptions: [] });
    };
    Object.assign(cache, { act });
    await desktop.open(['a', 'away.txt'], false);
    expect(shown).toEqual([away]);
  });

  it.each([[['..']], [['a', '..', '..', 'etc']], [['a/../..']], [['']]])(
    'opens nothing outside of the folder, such as %j',
    async (path) => {
      await expect(desktop.open(path, false)).rejects.toMatchObject({ code: 'usage' });
      expect(shown).toEqual([]);
    },
  );

  it('is refused without a folder, a file or a desktop', async () => {
    daemon.cached = {
      ...{ files: 0, bytes: 0, unchanged: 0, failed: 1 },
      exceptions: [{ path: '/x', why: 'it is away' }],
    };
    await expect(desktop.open(['x'], false)).rejects.toMatchObject({ code: 'no-contents' });
    hasDesktop = false;
    await expect(desktop.open(['a'], false)).rejects.toMatchObject({ code: 'no-desktop' });
    daemon.become({ folder: null });
    await expect(desktop.open(['a'], false)).rejects.toMatchObject({ code: 'usage' });
  });
});
