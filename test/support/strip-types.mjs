/**
 * Jest's transformer for TypeScript: Node's own type stripping, the one production runs with.
 *
 * Types become spaces, so lines and columns stay exact without source maps.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';

const self = readFileSync(import.meta.filename);

export default {
  process: (source) => ({ code: stripTypeScriptTypes(source, { mode: 'strip' }) }),

  getCacheKey: (source, path) =>
    createHash('sha256')
      .update(self)
      .update(process.version)
      .update(`\0${path}\0`)
      .update(source)
      .digest('hex'),
};
