/** `node build/run.mjs ENTRY.ts [argument]...`: runs an entry point of the product, as `npm start` does. */
import { fail } from './node-path.mjs';
import { runEntry } from './entry.mjs';

const [entry, ...args] = process.argv.slice(2);
if (entry === undefined) fail('usage: node build/run.mjs ENTRY.ts [argument]...');
await runEntry(entry, args);
