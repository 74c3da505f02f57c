/** The Host port on the operating system. */
import { NativeHost } from '../../shared/transport/native-host.ts';
import { hostConformance } from './host.suite.ts';
import { hostInodeConformance } from './host-inodes.suite.ts';

hostConformance('this machine', () => new NativeHost());
hostInodeConformance('this machine', () => new NativeHost());
