import { folder } from './front-end-folder.ts';
import { linksSuite } from './front-end-links.suite.ts';

linksSuite('folder', folder);
