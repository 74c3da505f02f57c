import { World } from '../../app/lab/simulator/world.ts';
import { SystemRandom } from '../../shared/system/system-random.ts';
import { randomSuite } from './random.suite.ts';

randomSuite('the system’s', () => new SystemRandom());
randomSuite('a simulated world’s', () => new World(1).random);
randomSuite('a fork of it', () => new World(1).random.fork('server'));
