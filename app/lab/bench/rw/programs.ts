/**
 * What the two programs of a real run do, by the front end that they see their files through. In the folder files that are not here are
 * placeholders: one is opened as a person opens it, and a file is copied in as into any folder.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { DEFAULT_VOLUME } from '../../../cli/volume-tree.ts';
import type { Actor, Stage } from '../real/stage.ts';
import type { Through } from '../real/through.ts';
import { copySynced } from './copy-synced.ts';

export interface Programs {
  readonly actor: Actor;
  /** Opens, reads all of it, closes. */
  readonly read: (name: string) => Promise<Buffer>;
  /** A new file with the contents of a local one. */
  readonly copyIn: (source: string, name: string) => Promise<void>;
}

/** Where the files to be read are, and where copies go, from the root of the volume. */
export const READ = 'read';
const WRITE = 'write';
/** A folder has files of so many bytes and shorter ones in full in any case. */
export const ALWAYS_IN_FULL = 4096;
const SMALLEST = { minimum: 0, maximum: ALWAYS_IN_FULL };
const ANY = { minimum: null, maximum: null };

/** A laptop that has none of the files, and the folder to copy into. `fill`: makes the files elsewhere, and resolves when the server has them. */
export const PROGRAMS: Readonly<
  Record<Through, (stage: Stage, fill: () => Promise<void>) => Promise<Programs>>
> = {
  async port(stage, fill) {
    await fill();
    const actor = await stage.far('A', 'none');
    const { files } = actor;
    const target = await files.folder(WRITE);
    await actor.flush();
    const dir = await files.find(files.root, READ);
    return {
      actor,
      read: async (name) => (await files.read(await files.find(dir, name))).contents,
      copyIn: async (source, name) => void (await files.copyIn(source, target, name)),
    };
  },

  async folder(stage, fill) {
    const actor = await stage.far('A', 'folder');
    const { control } = actor;
    const { folder } = actor.laptop;
    await control.command('cache-settings', SMALLEST);
    await fill();
    await mkdir(join(folder, WRITE));
    await actor.flush();
    await control.command('cache-settings', ANY);
    return {
      actor,
      read: async (name) => {
        const path = [READ, name];
        const asked = { act: 'demand', volume: DEFAULT_VOLUME, path } as const;
        const { exceptions } = await control.command('cache', asked);
        const [exception] = exceptions;
        if (exception !== undefined) {
          throw new GodwitError('no-contents', `bench rw: ${name}: ${exception.why}`);
        }
        return readFile(join(folder, ...path));
      },
      copyIn: (source, name) => copySynced(source, join(folder, WRITE, name)),
    };
  },
};
