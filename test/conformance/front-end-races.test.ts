import { folder } from './front-end-folder.ts';
import { racesSuite } from './front-end-races.suite.ts';

racesSuite('folder', folder);
