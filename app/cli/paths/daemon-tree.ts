/** What of a path is there, as the daemon knows it (resolve-path.ts). */
import type { ControlClient } from '../../../shared/control/client.ts';
import type { VolumeInfo } from '../../../shared/model/change.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Attributes } from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { findPath } from '../volume-tree.ts';
import type { PathKind } from './path-arguments.ts';
import type { Tree } from './resolve-path.ts';

const ABSENT: ReadonlySet<string> = new Set(['not-found', 'not-a-directory', 'no-such-volume']);

/** Asks only when it is called, so that a command without a daemon fails with its own words. */
export class DaemonTree implements Tree {
  readonly #daemon: () => ControlClient;
  #volumes: Promise<VolumeInfo[]> | null = null;

  constructor(daemon: () => ControlClient) {
    this.#daemon = daemon;
  }

  async isVolume(name: string): Promise<boolean> {
    return (await this.#root(name)) !== null;
  }

  async isThere(volume: string, names: readonly string[], kind: PathKind): Promise<boolean | null> {
    if (kind === 'new') return this.#found(volume, names.slice(0, -1));
    const found = await this.#found(volume, names);
    if (found !== false || kind === 'there') return found;
    const place = { volume, path: [...names] };
    if (kind === 'past')
      return this.#holds(async (daemon) => {
        await daemon.command('versions', place);
        return true;
      });
    return this.#holds(async (daemon) => (await daemon.command('queue-at', place)).updates > 0);
  }

  async alike(volume: string, names: readonly string[]): Promise<string[] | null> {
    const { fileSystem } = this.#daemon();
    let at = await this.#root(volume);
    const found: string[] = [];
    try {
      for (const name of names) {
        if (at === null) return null;
        const next = await child(fileSystem, at, name);
        if (next === null) return null;
        found.push(next.name);
        at = next.attributes.fid;
      }
    } catch {
      return null;
    }
    return found;
  }

  async #found(volume: string, names: readonly string[]): Promise<boolean | null> {
    const root = await this.#root(volume);
    if (root === null) return null;
    return this.#holds(async ({ fileSystem }) => {
      await findPath(fileSystem, root, names, false);
      return true;
    });
  }

  async #root(name: string): Promise<Fid | null> {
    this.#volumes ??= this.#daemon().fileSystem.volumes();
    return (await this.#volumes).find((volume) => volume.name === name)?.root ?? null;
  }

  /** Null: nobody can tell now. */
  async #holds(ask: (daemon: ControlClient) => Promise<boolean>): Promise<boolean | null> {
    try {
      return await ask(this.#daemon());
    } catch (error) {
      if (!(error instanceof GodwitError)) throw error;
      if (error.code === 'is-a-directory') return true;
      return ABSENT.has(error.code) ? false : null;
    }
  }
}

type Directory = Pick<ControlClient['fileSystem'], 'lookup' | 'readdir'>;

/** An entry by its name, or by one that is made of the same characters. */
async function child(
  fileSystem: Directory,
  dir: Fid,
  name: string,
): Promise<{ name: string; attributes: Attributes } | null> {
  try {
    return { name, attributes: await fileSystem.lookup(dir, name) };
  } catch (error) {
    if (!(error instanceof GodwitError) || error.code !== 'not-found') throw error;
  }
  const wanted = name.normalize();
  const same = (await fileSystem.readdir(dir)).filter((entry) => entry.name.normalize() === wanted);
  const [only] = same;
  return same.length === 1 && only !== undefined ? only : null;
}
