/** `godwit tray` with a real Electron: it starts once for each data folder, starts the daemon or finds it running, and ends without it. */
import { readlinkSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, describe, expect } from '@jest/globals';
import { endProcess } from '../support/bench.ts';
import { itInElectron } from '../support/electron.ts';
import { sandboxArguments } from '../support/programs.ts';
import {
  endTray,
  findElectron,
  Screen,
  startTray,
  type RunningTray,
} from '../support/running-tray.ts';
import { TwoLaptops } from '../support/two-laptops.ts';

const bench = new TwoLaptops();
const { a } = bench;
const screen = new Screen();
let tray: RunningTray | null = null;
let isBegun = false;

afterAll(async () => {
  await endTray(tray);
  screen.close();
  await bench.close();
});

/** Runs the command that people use, with an Electron that this user may start. */
async function command(...args: readonly string[]): Promise<readonly string[]> {
  const electron = bench.path('electron');
  if (!isBegun) {
    isBegun = true;
    await bench.begin();
    await screen.start();
    const own = [...sandboxArguments(), '--disable-gpu'].join(' ');
    const script = `#!/bin/sh\nexec "${findElectron()}" ${own} "$@"\n`;
    writeFileSync(electron, script, { mode: 0o755 });
  }
  return ['tray', '--data', a.data, '--electron', electron, ...args];
}

const env = () => ({ ...bench.env, DISPLAY: screen.display });

describe('godwit tray', () => {
  itInElectron('starts a missing daemon, shows its state, and ends without it', async () => {
    const args = await command('--hidden', '--foreground');
    await bench.json(['down', '--data', a.data]);
    const child = bench.start(args, env());
    const states: string[] = [];
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    for await (const line of lines) {
      states.push((JSON.parse(line) as { state: string }).state);
      if (states.at(-1) === 'idle') break;
    }
    expect(states[0]).toBe('offline');
    const { pid } = await bench.status(a.data);
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    expect((await bench.status(a.data)).pid).toBe(pid);
  });

  itInElectron('returns once the tray runs and reports when it ran already', async () => {
    const args = await command('--hidden', '--json');
    const run = async (): Promise<unknown> => {
      const { code, stdout, stderr } = await bench.godwit(args, { env: env() });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return (JSON.parse(stdout) as { started: boolean }).started;
    };
    expect(await run()).toBe(true);
    // The link in which Chromium names the process that uses the folder.
    const pid = Number(
      readlinkSync(join(a.data, 'tray', 'SingletonLock'))
        .split('-')
        .at(-1),
    );
    try {
      expect(await run()).toBe(false);
    } finally {
      await endProcess(pid);
    }
  });

  itInElectron('shows the window of the running tray when it is called again', async () => {
    const args = await command('--json');
    const { pid } = await bench.status(a.data);
    tray = await startTray(a.data, screen, bench.env);
    await tray.page.locator('[data-state=idle]').waitFor();
    const windows = () =>
      (tray as RunningTray).app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows().map((window) => window.isVisible()),
      );
    await tray.app.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows()) window.close();
    });
    expect(await windows()).toEqual([false]);
    const { stdout } = await bench.godwit(args, { env: env() });
    expect(JSON.parse(stdout)).toMatchObject({ started: false });
    await tray.app.evaluate(async ({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows();
      const shown = new Promise<void>((resolve) => window?.once('show', resolve));
      if (window?.isVisible() !== true) await shown;
    });
    expect(await windows()).toEqual([true]);
    expect((await bench.status(a.data)).pid).toBe(pid);
  });
});
