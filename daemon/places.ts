/** Where the server answers and where the folder is, changed while the daemon runs: in the settings first, and then in what runs. */
import { parseAddress } from '../shared/control/addresses.ts';
import type { Log } from '../shared/ports/log.ts';
import type { Places } from './adapters/control/control-services.ts';
import type { KeptConfig } from './kept-config.ts';
import type { DaemonRuntime } from './runtime/daemon-runtime.ts';
import type { SyncedFolder } from './synced-folder.ts';

export interface PlacesParts {
  readonly config: KeptConfig;
  readonly runtime: DaemonRuntime;
  readonly folder: SyncedFolder;
  readonly log: Log;
}

/**
 * Makes the control operations that move the server's address and the folder. `moveServer` throws
 * GodwitError `bad-address`, or the error of the disk; `moveFolder` rejects as SyncedFolder.move
 * does.
 */
export function placesOf({ config, runtime, folder, log }: PlacesParts): Places {
  return {
    moveServer(text) {
      const { host, port } = parseAddress(text, null);
      const { server } = config.now;
      const isThere = host === server.host && port === server.port;
      // It is no reason to begin anew.
      if (isThere && runtime.snapshot().connected) return;
      config.change({ server: { ...server, host, port } });
      log.info('the server is at another address', { host, port });
      runtime.readdress({ host, port });
    },
    moveFolder: (to) => folder.move(to),
  };
}
