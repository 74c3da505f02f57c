/** The calls of a program on the simulated kernel, and on the disks of this machine that are of a kind with it. */
import { EXT4, TMPFS } from '../../app/lab/simulator/posix/file-system-switches.ts';
import { realFolders, realHarness, simulatedHarness } from './program-calls-harness.ts';
import { programCallsConformance } from './program-calls.suite.ts';

for (const switches of [EXT4, TMPFS]) {
  programCallsConformance(`simulated ${switches.type}`, () => simulatedHarness(switches));
}
for (const { name, folder } of realFolders()) {
  programCallsConformance(name, () => realHarness(folder));
}
