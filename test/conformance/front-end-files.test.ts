import { folder } from './front-end-folder.ts';
import { filesSuite } from './front-end-files.suite.ts';

filesSuite('folder', folder);
