/**
 * Looks at a page in both themes and all sizes: nothing scrolls sideways, and axe has no serious finding. With GODWIT_SCREENS a folder gets
 * a picture of each.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { graveFindings } from './axe.ts';

/** Phones and small windows, the window as it opens, a laptop, and that at 200 %. */
const SIZES = [
  { name: '360', width: 360, height: 640, scale: 1 },
  { name: '420', width: 420, height: 640, scale: 1 },
  { name: '960', width: 960, height: 700, scale: 1 },
  { name: '200', width: 640, height: 400, scale: 2 },
];

const shots = process.env['GODWIT_SCREENS'];

/** Fails where a size scrolls sideways or axe finds something serious. */
export async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const size of SIZES) {
      await page.setViewportSize({ width: size.width, height: size.height });
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect({ name, size: size.name, wide }).toEqual({ name, size: size.name, wide: size.width });
      if (shots === undefined) continue;
      mkdirSync(shots, { recursive: true });
      const path = join(shots, `${name}-${colorScheme}-${size.name}.png`);
      await page.screenshot({ path, fullPage: true });
    }
    const found = await graveFindings(page);
    expect({ name, colorScheme, found }).toEqual({ name, colorScheme, found: [] });
  }
}
