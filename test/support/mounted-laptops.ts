/** Simulated laptops whose folders are kept by the real engine, on simulated disks, before a server with two volumes. */
import { Cluster, HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { FolderMachine } from '../../app/lab/simulator/folder/folder-machine.ts';
import { Ledger } from '../../app/lab/simulator/folder/ledger.ts';
import { SimulatedUserDisk } from '../../app/lab/simulator/folder/simulated-user-disk.ts';
import {
  readFile,
  writeFile,
  type ProgramCalls,
} from '../../app/lab/simulator/posix/program-calls.ts';
import { rootOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import { present } from '../../shared/util/assert.ts';

/** The volume that is mounted in the usual one. */
export const TEAM = 2 as VolumeId;

/** A laptop, with a program on it that works in the folder by paths below its root. */
export class MountedLaptop {
  readonly node: ClientNode;
  readonly machine: FolderMachine;
  /** Those of its program. */
  readonly calls: ProgramCalls;
  readonly #cluster: Cluster;

  constructor(cluster: Cluster, machine: FolderMachine, disk: SimulatedUserDisk) {
    this.#cluster = cluster;
    this.machine = machine;
    this.node = machine.client;
    this.calls = disk.process('person');
  }

  path(path: string): string {
    return `${this.machine.root}/${path}`;
  }

  write(path: string, text: string): void {
    writeFile(this.calls, this.path(path), new TextEncoder().encode(text));
  }

  mkdir(path: string): void {
    this.calls.mkdir(this.path(path));
  }

  rename(from: string, to: string): void {
    this.calls.rename(this.path(from), this.path(to));
  }

  unlink(path: string): void {
    this.calls.unlink(this.path(path));
  }

  /** As `rm -rf`: names in the order in which the directory has them. */
  remove(path: string): void {
    const at = this.path(path);
    if (this.calls.lstat(at).kind !== 'directory') return this.calls.unlink(at);
    for (const name of this.calls.readdir(at)) this.remove(`${path}/${name}`);
    this.calls.rmdir(at);
  }

  /** What is in the folder, by path; directories end with a slash, links show where they lead. Our own directories are left out. */
  tree(at = ''): Record<string, string> {
    const found: Record<string, string> = {};
    const walk = (path: string): void => {
      for (const name of [...this.calls.readdir(this.path(path))].sort()) {
        if (name.startsWith('.godwit')) continue;
        const below = path === '' ? name : `${path}/${name}`;
        const { kind } = this.calls.lstat(this.path(below));
        if (kind === 'directory') {
          found[`${below}/`] = '';
          walk(below);
        } else if (kind === 'symlink') found[below] = `-> ${this.calls.readlink(this.path(below))}`;
        else found[below] = this.text(below);
      }
    };
    walk(at);
    return found;
  }

  text(path: string): string {
    return new TextDecoder().decode(readFile(this.calls, this.path(path)));
  }

  /** Files that were put aside, by their texts. */
  aside(): string[] {
    const room = this.path('.godwit/lost+found');
    const texts: string[] = [];
    const walk = (at: string): void => {
      for (const name of this.machine.observer.readdir(at)) {
        const path = `${at}/${name}`;
        if (this.machine.observer.lstat(path).kind === 'directory') walk(path);
        else texts.push(new TextDecoder().decode(readFile(this.machine.observer, path)));
      }
    };
    walk(room);
    return texts.sort();
  }

  /** Codes and paths of what the status lists. */
  errors(): Array<readonly [code: string, path: string | null]> {
    return this.node.status.errors.map(({ code, path }) => [code, path] as const);
  }

  until(holds: () => boolean, what: string): Promise<void> {
    return this.#cluster.until(holds, `${this.node.name}: ${what}`);
  }

  async flush(): Promise<void> {
    await this.#cluster.run(this.node.daemon.flush(null), `${this.node.name}'s flush`);
  }

  /** Mounts a volume at a path of the usual one, by the port for programs. */
  async mount(path: string, volume = TEAM, at = HOME): Promise<void> {
    const { fileSystem, programs } = this.node.daemon;
    let dir: Fid = rootOf(at);
    const names = path.split('/');
    for (const name of names.slice(0, -1)) {
      dir = (await this.#cluster.run(fileSystem.lookup(dir, name))).fid;
    }
    const options = { mode: 0o755, mounts: volume };
    await this.#cluster.run(programs.mkdir(dir, names.at(-1) ?? '', options));
  }

  /** All that is in a folder goes into the volume that is mounted beside it. */
  async handOver(path: string, volume: VolumeId | null = TEAM): Promise<void> {
    const handing = this.machine.folder?.handOver?.(path.split('/'), volume);
    await this.#cluster.run(handing ?? Promise.reject(new Error('there is no folder')));
  }

  /** The volume gets the name of the folder at the top, which is empty. */
  async takeName(beside: string, name: string): Promise<void> {
    const { programs } = this.node.daemon;
    const dir = rootOf(HOME);
    const isThere = (await this.#cluster.run(programs.readdir(dir))).some(
      (each) => each.name === name && each.attributes.mounted === undefined,
    );
    if (isThere) await this.#cluster.run(programs.rmdir({ dir, name }));
    await this.#cluster.run(programs.rename({ dir, name: beside }, { dir, name }));
  }

  async unmount(name: string, at = HOME): Promise<void> {
    const { programs } = this.node.daemon;
    await this.#cluster.run(programs.rmdir({ dir: rootOf(at), name }, { unmounts: true }));
  }
}

export interface MountedWorld {
  /** One laptop more, of somebody who sees all of the volumes by now. */
  readonly join: (user: string) => Promise<MountedLaptop>;
  readonly cluster: Cluster;
  readonly ann: MountedLaptop;
  readonly bob: MountedLaptop;
  /** What the engines say that must not be said. */
  readonly findings: readonly string[];
}

/** ann and bob each have a folder of the first volume, and see all of so many. */
export async function mountedLaptops(volumes = 2): Promise<MountedWorld> {
  const findings: string[] = [];
  const disks = new Map<ClientNode, SimulatedUserDisk>();
  const machines = new Map<ClientNode, FolderMachine>();
  const cluster: Cluster = await Cluster.start({
    ...{ volumes, clients: 0 },
    folder: (client) => {
      const { world } = cluster;
      const disk = new SimulatedUserDisk({
        ...{ clock: client.clock, time: client.machine, fileSystem: 'ext4', diskMs: 2 },
        ...{ watches: {}, random: world.random.fork(`disk of ${client.name}`) },
      });
      const machine = new FolderMachine({
        ...{ world, client, disk, ledger: new Ledger(), diskMs: 2, paceMs: 2, betweenChance: 0 },
        random: world.random.fork(`folder of ${client.name}`),
        find: (checker, text) => findings.push(`${checker}: ${text}`),
      });
      disks.set(client, disk);
      machines.set(client, machine);
      return machine;
    },
  });
  const join = async (user: string): Promise<MountedLaptop> => {
    const node = await cluster.join('write', user);
    for (let volume = 2; volume <= volumes; volume++) {
      cluster.server.metaStore.allow(user, volume as VolumeId, 'write');
    }
    await cluster.until(() => node.status.volumes.length === volumes, `${user} to see all`);
    const machine = present(machines.get(node), 'each laptop has a machine');
    await cluster.until(() => machine.folder !== null, `${user}'s folder to open`);
    return new MountedLaptop(cluster, machine, present(disks.get(node), 'and a disk'));
  };
  return { cluster, join, ann: await join('ann'), bob: await join('bob'), findings };
}

/** team is mounted in the folders of ann and bob, with one file; bob may write there. */
export async function teamOfBoth(): Promise<MountedWorld> {
  const world = await mountedLaptops();
  const { ann, bob } = world;
  await ann.mount('team');
  await ann.until(() => 'team/' in ann.tree(), 'to show the mount point');
  ann.write('team/plan', 'the plan');
  await ann.flush();
  await bob.until(() => bob.tree()['team/plan'] === 'the plan', 'to show the plan');
  return world;
}

/** team is mounted in ann's folder with one file, and bob may not see it. */
export async function withdrawnFromBob(): Promise<MountedWorld> {
  const world = await teamOfBoth();
  const { cluster, bob } = world;
  cluster.server.metaStore.allow('bob', TEAM, null);
  await bob.until(() => !('team/plan' in bob.tree()), 'to show nothing in it');
  return world;
}
