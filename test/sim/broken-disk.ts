/** A simulated disk that breaks a promise to the engine of the folder. */
import type { Disk } from '../../daemon/adapters/folder/disk/disk.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { FolderPlan } from '../../app/lab/simulator/folder/folder-plan.ts';
import { SimulatedUserDisk } from '../../app/lab/simulator/folder/simulated-user-disk.ts';
import type { DaemonProcess } from '../../app/lab/simulator/folder/user-disk.ts';
import type { ProgramCalls } from '../../app/lab/simulator/posix/program-calls.ts';
import type { World } from '../../app/lab/simulator/world.ts';

/** What is other than on a sound disk. */
export type Break = (disk: Disk, calls: ProgramCalls, root: string) => Partial<Disk>;

/** Makes the disks of a run. */
export function brokenDisk(broken: Break) {
  return (client: ClientNode, world: World, settings: FolderPlan['settings']) => {
    const { fileSystem, diskMs, watches } = settings;
    const made = new SimulatedUserDisk({
      ...{ clock: client.clock, time: client.machine, fileSystem, diskMs, watches },
      random: world.random.fork(`disk of ${client.name}`),
    });
    const begin = (isAlive: () => boolean): DaemonProcess =>
      SimulatedUserDisk.prototype.daemon.call(made, isAlive);
    made.daemon = (isAlive) => {
      const process = begin(isAlive);
      const { disk, calls } = process;
      return { ...process, disk: { ...disk, ...broken(disk, calls, made.root) } };
    };
    return made;
  };
}
