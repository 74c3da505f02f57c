/** Opens what is in the synced folder with the programs of the desktop, for a page in a browser, which may not do that itself. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nameFault } from '../shared/model/names.ts';
import type { ControlledDaemon } from '../shared/ports/controlled.ts';
import { openWithDesktop } from '../shared/system/open-with-desktop.ts';
import { GodwitError } from '../shared/wire/error-codes.ts';
import type { Desktop } from './adapters/control/control-services.ts';
import type { KeptConfig } from './kept-config.ts';

export interface DesktopParts {
  readonly config: Pick<KeptConfig, 'now'>;
  readonly daemon: Pick<ControlledDaemon, 'cache' | 'snapshot'>;
  /** Opens it; false: there is no desktop. */
  readonly show?: (place: string) => Promise<boolean>;
}

/**
 * Makes the control operation that opens files and folders. It rejects `usage` without a folder or
 * for a name that is none, `no-contents` for a file that can't be brought here, `no-desktop`.
 */
export function desktopOf({ config, daemon, show = openWithDesktop }: DesktopParts): Desktop {
  return {
    async open(path, reveal) {
      const { folder } = daemon.snapshot();
      if (folder === null)
        throw new GodwitError('usage', 'this daemon shows its files in no folder');
      const wrong = path.find((name) => nameFault(name) !== null);
      if (wrong !== undefined) throw new GodwitError('usage', `${wrong}: that is no name`);
      const place = join(folder, ...path);
      const { volume } = config.now;
      // A placeholder stands there: the file takes its place first.
      if (!reveal && volume !== undefined && !existsSync(place)) {
        const { exceptions } = await daemon.cache.act('demand', volume, path);
        const [exception] = exceptions;
        if (exception !== undefined) {
          throw new GodwitError('no-contents', `${exception.path}: ${exception.why}`);
        }
      }
      const shown = reveal && path.length > 0 ? dirname(place) : place;
      if (!existsSync(shown)) throw new GodwitError('no-contents', `${shown}: it is not there yet`);
      if (!(await show(shown))) throw new GodwitError('no-desktop', shown);
    },
  };
}
