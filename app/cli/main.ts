/** Where the `godwit` command begins: it runs from the bundle if that is made of the sources as they are, and else from these. */
import { bundledProgram } from '../../shared/system/bundle.ts';

const bundle = bundledProgram('godwit');
await (bundle === null ? import('./godwit.ts') : import(bundle));
