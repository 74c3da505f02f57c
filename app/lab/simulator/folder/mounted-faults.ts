/**
 * Volumes that are mounted in the folders of a run, and what befalls them: people mount and unmount them, an administrator takes the right to see them
 * for a while, somebody removes the directory of one from a disk, and a person gives up what was refused in an empty mount point.
 */
import type { ChangeSet } from '../../../../shared/model/change.ts';
import { rootOf, type VolumeId } from '../../../../shared/model/fid.ts';
import { present } from '../../../../shared/util/assert.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { HOME, type Cluster } from '../cluster/cluster.ts';
import { digestOf } from '../disk/content-digest.ts';
import { readFile } from '../posix/program-calls.ts';
import type { FolderMachine } from './folder-machine.ts';
import type { MountedFault } from './folder-plan.ts';
import type { Ledger } from './ledger.ts';
import { namesIn, VolumeState } from './trees.ts';

/** As the core says of what is refused there. */
const REFUSED_THERE = 'its folder is a mount point';

/** Where a volume is mounted, unless a program renames it. */
export const mountName = (volume: number): string => `mount-${volume}`;

/** The volumes of a run beside the usual one. */
export function mountedIn(settings: { readonly volumes?: number }): VolumeId[] {
  const count = (settings.volumes ?? 1) - 1;
  return Array.from({ length: count }, (_, at) => (at + 2) as VolumeId);
}

/** Does what befalls mounted volumes in a run. */
export class MountedFaults {
  readonly #cluster: Cluster;
  readonly #ledger: Ledger;

  constructor(cluster: Cluster, ledger: Ledger) {
    this.#cluster = cluster;
    this.#ledger = ledger;
  }

  /** `later`: ends it after its time. */
  async begin(
    fault: MountedFault,
    machine: FolderMachine,
    later: (lastsMs: number, end: () => void) => void,
  ): Promise<void> {
    const volume = fault.volume as VolumeId;
    const { client } = machine;
    switch (fault.do) {
      case 'withdrawn': {
        const { metaStore } = this.#cluster.server;
        metaStore.allow(client.user, volume, fault.rights);
        return later(fault.lastsMs, () => metaStore.allow(client.user, volume, 'write'));
      }
      case 'mount-vanishes':
        return this.#vanish(machine, volume);
      case 'give-up':
        return this.#asked(machine, this.#giveUp(machine));
      case 'volume-mounted':
        if (await this.#isMounted(volume)) return;
        return this.#asked(machine, this.#mount(machine, volume));
      case 'volume-unmounted':
        return this.#asked(machine, this.#unmount(machine, volume));
    }
  }

  /** Each gives up what was refused in a mount point, as far as its status tells of it. True: something was given up. */
  async giveUp(machines: readonly FolderMachine[]): Promise<boolean> {
    let isAny = false;
    for (const machine of machines) {
      const done = this.#giveUp(machine).catch((error: unknown) => {
        if (!(error instanceof GodwitError)) throw error;
        this.#cluster.world.note(`${machine.name} gives up nothing: ${error.message}`);
        return false;
      });
      if (await this.#cluster.run(done, 'a refused change to be given up')) isAny = true;
    }
    return isAny;
  }

  /** What refuses it is an answer, and no finding. */
  #asked({ client }: FolderMachine, work: Promise<unknown>): void {
    const { world } = this.#cluster;
    void work.catch((error: unknown) => {
      if (error instanceof GodwitError) return world.note(`${client.name} refuses: ${error.code}`);
      if ((error as { readonly name?: unknown }).name !== 'AbortError') world.fault(error);
    });
  }

  async #isMounted(volume: VolumeId): Promise<boolean> {
    const state = new VolumeState(HOME, await this.#history(HOME));
    return [...state.vnodes.values()].some(
      ({ kind, target }) => kind === 'directory' && target === `${volume}`,
    );
  }

  #history(volume: VolumeId): Promise<readonly ChangeSet[]> {
    const { server } = this.#cluster;
    return this.#cluster.run(server.history(volume));
  }

  async #mount({ client }: FolderMachine, volume: VolumeId): Promise<void> {
    if (!client.running) return;
    const options = { mode: 0o755, mounts: volume };
    await client.daemon.programs.mkdir(rootOf(HOME), mountName(volume), options);
  }

  async #unmount({ client }: FolderMachine, volume: VolumeId): Promise<void> {
    if (!client.running) return;
    const place = { dir: rootOf(HOME), name: mountName(volume) };
    await client.daemon.programs.rmdir(place, { unmounts: true });
  }

  /** True: something was given up. */
  async #giveUp({ client }: FolderMachine): Promise<boolean> {
    if (!client.running) return false;
    const { daemon } = client;
    const blocked = client.status.errors.find(({ message }) => message.startsWith(REFUSED_THERE));
    if (blocked === undefined || blocked.path === null) return false;
    const names = client.status.volumes;
    const home = present(
      names.find(({ id }) => id === HOME),
      'the volume is seen',
    ).name;
    const target = { volume: home, path: blocked.path.split('/') };
    await daemon.orderQueue({ act: 'cancel', target, withDependents: true });
    return true;
  }

  /** As `rm -rf` of somebody who did not mean the volume: what was not sent is given up, the rest is not. */
  async #vanish(machine: FolderMachine, volume: VolumeId): Promise<void> {
    const sent = new VolumeState(volume, await this.#history(volume)).digests;
    const at = `${machine.root}/${mountName(volume)}`;
    const by = `rm on ${machine.name}`;
    const { observer } = machine;
    const remove = (path: string): void => {
      const { kind } = observer.lstat(path);
      if (kind === 'directory') {
        for (const name of namesIn(observer, path)) remove(`${path}/${name}`);
        return observer.rmdir(path);
      }
      const digest = kind === 'file' ? digestOf(readFile(observer, path)) : null;
      if (digest !== null && !sent.has(digest)) this.#ledger.gaveUp(digest, by);
      observer.unlink(path);
    };
    try {
      remove(at);
    } catch (error) {
      // It is not there, or a program is quicker.
      if (typeof (error as { readonly code?: unknown }).code !== 'string') throw error;
    }
  }
}
