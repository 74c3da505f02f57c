#!/usr/bin/env node
/** The `godwit` command: finds the right Node and hands over to the CLI, from any folder. */
import { runEntry } from './entry.mjs';

await runEntry('app/cli/main.ts', process.argv.slice(2));
