import { folder } from './front-end-folder.ts';
import { programsSuite } from './front-end-programs.suite.ts';

programsSuite('folder', folder);
