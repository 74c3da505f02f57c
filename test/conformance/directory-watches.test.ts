/** The watches of the operating system, and those that tests let fail. */
import { NativeHost } from '../../shared/transport/native-host.ts';
import { WatchedHost } from '../support/watched-host.ts';
import { watchesConformance } from './directory-watches.suite.ts';

watchesConformance('this machine', () => new NativeHost());
watchesConformance('with faults', () => new WatchedHost());
