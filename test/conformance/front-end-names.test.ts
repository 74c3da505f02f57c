import { folder } from './front-end-folder.ts';
import { namesSuite } from './front-end-names.suite.ts';

namesSuite('folder', folder);
