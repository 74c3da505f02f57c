/**
 * A real Electron, with a screen that nobody sees (Xvfb): the one that is named, npm's own, or the one that build/fetch-electron.mjs has
 * fetched. Where something is missing, tests that need it are counted as skipped and say what.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ElectronApplication, Page } from 'playwright-core';
import { _electron } from 'playwright-core';
import { fetchedElectron } from '../../build/fetch-electron.mjs';
import { firstLine } from './bench.ts';
import { WAIT_LIMIT_MS, waitFor, within } from './bounded-wait.ts';
import { isProgram, onPath, sandboxArguments } from './programs.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const BUNDLES = join(ROOT, 'app', 'tray', 'built');
const CLI_MAIN = join(ROOT, 'app', 'cli', 'main.ts');

/** The path of Electron, or null. */
export function findElectron(): string | null {
  const named = process.env['GODWIT_TEST_ELECTRON'];
  if (named !== undefined) return named;
  return [...npmsOwn(), fetchedElectron()].find(isProgram) ?? null;
}

function npmsOwn(): string[] {
  const folder = join(ROOT, 'node_modules', 'electron');
  try {
    return [join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8').trim())];
  } catch {
    return [];
  }
}

/** What this machine lacks for the tray, or null. */
export const missingForElectron = (): string | null => {
  if (findElectron() === null) return 'there is no Electron here; run build/fetch-electron.mjs';
  if (onPath('Xvfb') === null) return 'there is no Xvfb here; install the package xvfb';
  return null;
};

/** A screen, which needs nothing until it is started. */
export class Screen {
  #child: ChildProcess | null = null;
  #display = '';

  get display(): string {
    return this.#display;
  }

  async start(): Promise<void> {
    const args = ['-displayfd', '1', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'];
    this.#child = spawn('Xvfb', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#display = `:${(await firstLine(this.#child)).trim()}`;
  }

  close(): void {
    this.#child?.kill();
  }
}

export interface RunningTray {
  readonly app: ElectronApplication;
  readonly page: Page;
  /** Resolves when the icon shows this state. */
  readonly showing: (state: string) => Promise<void>;
}

/** What the tray says of its icon, in its words (app/tray/main/icon.ts). */
interface Told {
  readonly state: string;
  readonly tooltip?: string;
  readonly menu?: unknown;
}

/** The tray on a data folder, as `godwit tray` starts it, with its window. */
export async function startTray(
  data: string,
  screen: Screen,
  env: NodeJS.ProcessEnv,
): Promise<RunningTray> {
  const own = [`--godwit-data=${data}`, `--godwit-node=${process.execPath}`];
  const args = [BUNDLES, ...own, `--godwit-cli=${CLI_MAIN}`];
  return startProgram(findElectron() as string, args, screen, env);
}

/** An Electron with the tray in it, and its window. */
export async function startProgram(
  program: string,
  args: readonly string[],
  screen: Screen,
  env: NodeJS.ProcessEnv,
): Promise<RunningTray> {
  const app = await _electron.launch({
    executablePath: program,
    args: [...args, ...sandboxArguments(), '--disable-gpu', '--godwit-tells'],
    env: { ...(env as Record<string, string>), DISPLAY: screen.display },
    timeout: WAIT_LIMIT_MS,
  });
  let told: Told = { state: '' };
  /** The states that it has had, for who reads why a test failed. */
  const states: string[] = [];
  const changed = new EventEmitter();
  let rest = '';
  app.process().stdout?.on('data', (part: Buffer) => {
    const lines = (rest + part.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines.filter((each) => each.startsWith('{'))) {
      told = JSON.parse(line) as Told;
      if (states.at(-1) !== told.state) states.push(told.state);
      changed.emit('told');
    }
  });
  const page = await app.firstWindow({ timeout: WAIT_LIMIT_MS });
  page.setDefaultTimeout(WAIT_LIMIT_MS);
  const showing = async (wanted: string): Promise<void> => {
    const look = () => ({
      found: told.state === wanted ? told : null,
      seen: { ...told, states: states.slice(-10) },
    });
    await waitFor({ what: `the state ${wanted} of the icon`, heard: changed, event: 'told', look });
  };
  return { app, page, showing };
}

/** Ends the tray as the session does, since closing its window only hides it. */
export async function endTray(tray: RunningTray | null): Promise<void> {
  if (tray === null) return;
  const child = tray.app.process();
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  try {
    await within(ended, 'the end of the tray', () => `process ${child.pid} runs`);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}
