/** What the daemon's process adds to the runtime for people: pauses with an end, and conflicts resolved by a word. */
import { join } from 'node:path';
import type { Host } from '../shared/ports/host.ts';
import type { Log } from '../shared/ports/log.ts';
import { ConflictKeeper } from './adapters/conflicts/conflict-keeper.ts';
import type { HeardClientStore } from './adapters/conflicts/heard-client-store.ts';
import type { Served } from './adapters/control/served.ts';
import { NetworkPause } from './adapters/pause/network-pause.ts';
import { PauseFile } from './adapters/pause/pause-file.ts';
import { TimedPause } from './adapters/pause/timed-pause.ts';
import { bootOf } from './data-folder.ts';
import type { KeptConfig } from './kept-config.ts';
import type { DaemonRuntime } from './runtime/daemon-runtime.ts';
import { folderOf } from './synced-folder.ts';

export interface ServedParts {
  readonly runtime: DaemonRuntime;
  readonly clientStore: HeardClientStore;
  readonly dataDir: string;
  readonly config: KeptConfig;
  readonly host: Host;
  readonly log: Log;
}

export interface ServedDaemon extends Omit<Served, 'metrics' | 'recorder' | 'page' | 'places'> {
  readonly pauses: NetworkPause;
  close(): void;
}

/** A pause whose time is over ends here. `close` comes before the runtime's. */
export function serve(parts: ServedParts): ServedDaemon {
  const { runtime, clientStore, dataDir, config, host, log } = parts;
  const { clock, timers, fileSystem } = runtime;
  const timed = new TimedPause({
    daemon: runtime,
    store: new PauseFile(join(dataDir, 'pause.json'), host, log),
    ...{ clock, timers, log, boot: bootOf() },
  });
  const file = join(dataDir, 'pause-network.json');
  const pauses = new NetworkPause({ file, timed, daemon: runtime, host, log });
  const conflicts = new ConflictKeeper({
    file: join(dataDir, 'conflicts.json'),
    ...{ fileSystem, host, clock, log },
    // All of them: the status shows the newest only.
    conflicts: () =>
      runtime.inside.conflict.list.newest(Number.MAX_SAFE_INTEGER, (id) =>
        runtime.inside.names.volumes.nameOf(id),
      ),
    dismiss: (id) => runtime.dismissConflict(id),
    scan: () => runtime.scan(),
    folder: () => {
      const path = folderOf(config.now);
      return path === null ? null : { path, volume: config.now.volume };
    },
  });
  const look = (): void => {
    if (runtime.isClosing) return;
    conflicts.look().catch((error: unknown) => {
      log.warn('conflicts could not be looked at', { why: String(error) });
    });
  };
  clientStore.heard = look;
  look();
  return { daemon: runtime, pauses, conflicts, close: () => pauses.close() };
}
