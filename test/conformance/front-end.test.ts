import { folder } from './front-end-folder.ts';
import { frontEndSuite } from './front-end.suite.ts';

frontEndSuite('folder', folder);
