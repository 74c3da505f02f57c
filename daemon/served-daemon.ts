/** What the daemon's process adds to the runtime for people: pauses with an end, and conflicts resolved by a command. */
import type { Host } from '../shared/ports/host.ts';
import type { Log } from '../shared/ports/log.ts';
import { ConflictResolver } from './adapters/conflicts/conflict-resolver.ts';
import type { ControlServices } from './adapters/control/control-services.ts';
import { systemDisk } from './adapters/folder/disk/system-disk.ts';
import { NetworkPause } from './adapters/pause/network-pause.ts';
import type { PauseEnds } from './adapters/pause/pause-ends.ts';
import { TimedPause } from './adapters/pause/timed-pause.ts';
import { bootOf } from './data-folder.ts';
import { desktopOf } from './desktop.ts';
import type { KeptConfig } from './kept-config.ts';
import type { DaemonRuntime } from './runtime/daemon-runtime.ts';
import { folderOf } from './synced-folder.ts';

export interface DaemonServicesParts {
  readonly runtime: DaemonRuntime;
  readonly pauseEnds: PauseEnds;
  readonly config: KeptConfig;
  readonly host: Host;
  readonly log: Log;
}

export interface DaemonServices extends Omit<
  ControlServices,
  'metrics' | 'recorder' | 'page' | 'places'
> {
  readonly pauses: NetworkPause;
  close(): void;
}

/** A pause whose time is over ends here. `close` comes before the runtime's. */
export function serve(parts: DaemonServicesParts): DaemonServices {
  const { runtime, pauseEnds, config, host, log } = parts;
  const { clock, timers, fileSystem } = runtime;
  const timed = new TimedPause({
    daemon: runtime,
    store: pauseEnds.byTime,
    ...{ clock, timers, log, boot: bootOf() },
  });
  const pauses = new NetworkPause({ store: pauseEnds.byNetwork, timed, daemon: runtime, log });
  const conflicts = new ConflictResolver({
    ...{ fileSystem, disk: systemDisk(host) },
    conflict: (id) => runtime.conflict(id),
    dismiss: (id) => runtime.dismissConflict(id),
    scan: () => runtime.scan(),
    folder: () => {
      const path = folderOf(config.now);
      const { volume } = config.now;
      return path === null || volume === undefined ? null : { path, volume };
    },
  });
  const desktop = desktopOf({ config, daemon: runtime });
  return { daemon: runtime, pauses, conflicts, desktop, close: () => pauses.close() };
}
