/** What a person asks of the daemon of one laptop: contents that are kept or go, and removals that are held back. */
import type { CacheChange } from '../../../../shared/model/cache.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { World } from '../world.ts';
import type { FolderMachine } from './folder-machine.ts';
import type { PersonCommand } from './folder-plan.ts';
import { diskTree } from './trees.ts';

const PLACEHOLDER = /\.godwit$/;

/** The settings that bound what a folder keeps in full, in bytes; null: it keeps all. */
export function boundedBy(maximum: number | null): CacheChange {
  return { maximum, minimum: maximum === null ? null : 0 };
}

/** Begins a command, where the daemon runs. What refuses it is an answer, and no finding. */
export function giveCommand(command: PersonCommand, machine: FolderMachine, world: World): void {
  const { client, folder } = machine;
  if (!client.running || folder === null) return;
  world.note(`${client.name} is asked ${JSON.stringify(command)}`);
  const refused = (error: unknown): void => {
    if (error instanceof GodwitError) return world.note(`${client.name} refuses: ${error.message}`);
    // What runs when the daemon closes, or dies, is given up with it.
    if (machine.folder !== folder) return;
    if ((error as { readonly name?: unknown }).name !== 'AbortError') world.fault(error);
  };
  void run(command, machine).catch(refused);
}

async function run(command: PersonCommand, machine: FolderMachine): Promise<unknown> {
  const { client } = machine;
  switch (command.do) {
    case 'cache': {
      const path = pathAt(machine, command.pick);
      return client.daemon.cache.act(command.act, volumeOf(machine), path);
    }
    case 'bound':
      return client.daemon.cacheSettings(boundedBy(command.maximum));
    case 'exclude':
      return client.daemon.cache.exclude(volumeOf(machine), folderAt(machine, command.pick));
    case 'include': {
      const paths = (machine.folder?.excluded() ?? []).flatMap(({ path }) =>
        path === null ? [] : [path],
      );
      const path = paths[command.pick % Math.max(1, paths.length)];
      return path === undefined ? null : client.daemon.cache.include(volumeOf(machine), path);
    }
    case 'confirm':
      return client.daemon.confirmRemovals(heldAt(machine, command.pick));
    case 'reject':
      return client.daemon.rejectRemovals(heldAt(machine, command.pick));
  }
}

function volumeOf({ client }: FolderMachine): string {
  return client.status.volumes.find(({ id }) => id === client.volume)?.name ?? '';
}

/** One of those that are in the folder; none: the root, which is refused. */
function folderAt(machine: FolderMachine, pick: number): string[] {
  const all = [...diskTree(machine.observer, machine.root)].flatMap(([path, { kind }]) =>
    kind === 'directory' ? [path] : [],
  );
  const path = all[pick % Math.max(1, all.length)];
  return path === undefined ? [] : path.split('/');
}

/** By the name of the file that a placeholder stands for. */
function pathAt(machine: FolderMachine, pick: number): string[] {
  const all = [...diskTree(machine.observer, machine.root).keys()];
  const path = pick === 0 ? undefined : all[pick % all.length];
  return path === undefined ? [] : path.replace(PLACEHOLDER, '').split('/');
}

/** Of what is held back; null: all of it. */
function heldAt({ client }: FolderMachine, pick: number): string[] | null {
  const paths = (client.status.waiting ?? []).flatMap(({ path }) => (path === null ? [] : [path]));
  const path = pick === 0 ? undefined : paths[pick % paths.length];
  return path === undefined ? null : path.split('/');
}
