/** Checker: when a flush is done, everything that lay in the folder when it began, and still does, is on the server. */
import type { Digest } from '../../../../../shared/model/vnode.ts';
import { HOME } from '../../cluster/cluster.ts';
import type { FolderMachine } from '../folder-machine.ts';
import type { CheckedRun } from './checked-run.ts';
import { mountedIn } from '../mounted-faults.ts';
import { diskTree, VolumeState } from '../trees.ts';
import type { Tree } from '../trees.ts';

const CHECKER = 'a flush that is done has brought everything to the server';

/** Begins flushes, and looks when they are done. */
export class FlushCheck {
  readonly #run: CheckedRun;

  constructor(run: CheckedRun) {
    this.#run = run;
  }

  begin(machine: FolderMachine): void {
    const { client } = machine;
    if (!client.running || machine.folder === null) return;
    const before = diskTree(machine.observer, machine.root);
    const done = (): Promise<void> => this.#look(machine, before);
    // An error says that something is not synced: then nothing is claimed.
    void client.flush(null).then(done, () => undefined);
  }

  async #look(machine: FolderMachine, before: Tree): Promise<void> {
    const { find, cluster, ledger, plan } = this.#run;
    const digests = new Set<Digest>();
    for (const volume of [HOME, ...mountedIn(plan.settings)]) {
      const commits = await cluster.server.history(volume);
      for (const each of new VolumeState(volume, commits).digests) digests.add(each);
    }
    const now = diskTree(machine.observer, machine.root);
    for (const [path, { digest }] of before) {
      if (digest === null || now.get(path)?.digest !== digest || digests.has(digest)) continue;
      const known = ledger.of(digest);
      if (known === null || machine.mayLeaveOut(path)) continue;
      find(CHECKER, `${machine.name}: ${path} (${known.begins}) is not on the server`);
    }
  }
}
