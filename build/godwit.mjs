#!/usr/bin/env node
/** The `godwit` command: finds the right Node and hands over to the CLI, from any folder. */
import { readFileSync } from 'node:fs';
import { runEntry } from './entry.mjs';

const args = process.argv.slice(2);
// Asked by scripts and installers, on its own: nothing of the product is loaded for that.
if (args.length === 1 && args[0] === '--version') {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  process.stdout.write(`${JSON.parse(text).version}\n`);
} else await runEntry('app/cli/main.ts', args);
