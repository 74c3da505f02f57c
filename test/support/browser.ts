/**
 * A browser for tests of the page: Chromium, without a window. Where there is none, the tests that need it are counted as skipped, and
 * their names say why: what was not looked at is never passed.
 */
import { it } from '@jest/globals';
import { chromium, type Browser, type Page } from 'playwright-core';
import { onPath, sandboxArguments } from './programs.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** null: there is none. GODWIT_CHROMIUM names another one. */
export function findChromium(): string | null {
  const named = process.env['GODWIT_CHROMIUM'];
  return named ?? onPath(...NAMES);
}

export type Test = (name: string, test: () => Promise<void>, limitMs?: number) => void;

/** `it`, or what counts as skipped with the reason in its name; `missing` null: nothing is. */
export function itNeeds(missing: string | null): Test {
  if (missing === null) return it;
  const passedOver = it['skip'] as Test;
  return (name, test, limitMs) => passedOver(`${name} (not looked at: ${missing})`, test, limitMs);
}

export const itInBrowser = itNeeds(
  findChromium() === null ? 'there is no Chromium here; install it or set GODWIT_CHROMIUM' : null,
);

export class Browsers {
  #browser: Browser | null = null;
  /** What pages complained of: no test expects any of it. */
  readonly complaints: string[] = [];

  async page(viewport = { width: 1200, height: 900 }): Promise<Page> {
    this.#browser ??= await chromium.launch({
      executablePath: findChromium() as string,
      args: sandboxArguments(),
    });
    const context = await this.#browser.newContext({ viewport, reducedMotion: 'reduce' });
    const page = await context.newPage();
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    return page;
  }

  async closePages(): Promise<void> {
    await Promise.all((this.#browser?.contexts() ?? []).map((context) => context.close()));
  }

  async close(): Promise<void> {
    await this.#browser?.close();
  }
}
