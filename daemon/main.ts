/**
 * Where the daemon begins: `node daemon/main.ts --data DIR [--metrics PORT] [--recorder FILE]`. It runs from the bundle if that is made of
 * the sources as they are, and else from these.
 */
import { bundledProgram } from '../shared/system/bundle.ts';

const bundle = bundledProgram('godwitd');
await (bundle === null ? import('./godwitd.ts') : import(bundle));
