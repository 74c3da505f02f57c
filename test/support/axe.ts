/** What axe-core finds wrong with the accessibility of a page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The severities that count: they keep people from using the page. */
const GRAVE = ['serious', 'critical'];

interface AxeResult {
  readonly violations: ReadonlyArray<{
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary: string }>;
  }>;
}

/** One line for each grave finding; [] for none. */
export async function graveFindings(page: Page): Promise<string[]> {
  // Evaluated, for the page's own policy lets no other script in.
  await page.evaluate(SOURCE);
  const { violations } = await page.evaluate<AxeResult>('axe.run()');
  return violations
    .filter(({ impact }) => impact !== null && GRAVE.includes(impact))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
    );
}
