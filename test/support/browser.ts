/**
 * A browser for tests of the page: Chromium, without a window. Where there is none, the tests that need it are counted as skipped, and
 * their names say why: what was not looked at is never passed.
 */
import { it } from '@jest/globals';
import { chromium, type Browser, type Page } from 'playwright-core';
import { onPath, sandboxArguments } from './programs.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of Chromium, or null without one. GODWIT_CHROMIUM names another path. */
export function findChromium(): string | null {
  const named = process.env['GODWIT_CHROMIUM'];
  return named ?? onPath(...NAMES);
}

export type Test = (name: string, test: () => Promise<void>, limitMs?: number) => void;

/** `it`, or, where something is `missing`, a test that counts as skipped with the reason in its name. */
export function itNeeds(missing: string | null): Test {
  if (missing === null) return it;
  const passedOver = it['skip'] as Test;
  return (name, test, limitMs) => passedOver(`${name} (not looked at: ${missing})`, test, limitMs);
}

/** `it` for tests that need Chromium. */
export const itInBrowser = itNeeds(
  findChromium() === null ? 'there is no Chromium here; install it or set GODWIT_CHROMIUM' : null,
);

/** One Chromium for the tests of a file, with its pages. */
export class Browsers {
  #browser: Browser | null = null;
  /** Errors of pages, which no test expects. */
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
