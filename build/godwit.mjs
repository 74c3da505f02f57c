#!/usr/bin/env node
/**
 * The `godwit` command: finds the right Node and hands over to the CLI, from any folder. `godwit sim` goes to the
 * simulator, which the CLI knows nothing of.
 */
import { runEntry } from './entry.mjs';

const [command, ...rest] = process.argv.slice(2);
if (command === 'sim') await runEntry('app/lab/simulator/main.ts', rest);
else await runEntry('app/cli/main.ts', process.argv.slice(2));
