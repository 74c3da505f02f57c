/**
 * Writes docs/errors.md from the table of errors: `npm run docs:errors` (needs Node 24, for the types).
 * A house test holds the page against the table.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES } from '../shared/wire/error-codes.ts';
import { renderErrors } from './lint/render-errors.mjs';
import { ROOT } from './node-path.mjs';

writeFileSync(join(ROOT, 'docs', 'errors.md'), renderErrors(ERROR_CODES));
