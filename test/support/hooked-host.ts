/** The Host port with somebody who comes between its calls, for tests of the folder's races. */
import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import type { CopyOptions } from '../../shared/ports/host.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';

type Moment = 'taking' | 'copying' | 'taken' | 'placing' | 'placed';

/** A Host that runs test code between its calls. */
export class HookedHost extends NativeHost {
  readonly #acts: Record<Moment, Array<() => void>> = {
    taking: [],
    copying: [],
    taken: [],
    placing: [],
    placed: [],
  };
  readonly #refused = new Map<Moment, { name: string; code: string }>();

  /** Runs `act` at the next `times` moments of this kind. */
  at(moment: Moment, act: () => void, times = 1): void {
    for (let time = 0; time < times; time++) this.#acts[moment].push(act);
  }

  /** Makes calls for a name fail with `code`; null ends that. */
  refuse(moment: Moment, name: string | null, code = 'EACCES'): void {
    if (name === null) this.#refused.delete(moment);
    else this.#refused.set(moment, { name, code });
  }

  override async digestFile(path: string): Promise<{ digest: string; length: number }> {
    this.#now('taking', nameOf(path));
    const digest = await super.digestFile(path);
    this.#now('taken', '');
    return digest;
  }

  override async copyFile(
    from: string,
    to: string,
    options: CopyOptions,
  ): Promise<{ digest: string; length: number }> {
    this.#now('taking', nameOf(from));
    this.#now('copying', nameOf(from));
    const copied = await super.copyFile(from, to, options);
    this.#now('taken', '');
    return copied;
  }

  override async readParts(
    path: string,
    lengths: readonly number[],
  ): Promise<Array<{ bytes: Uint8Array; digest: string }>> {
    this.#now('taking', nameOf(path));
    this.#now('copying', nameOf(path));
    const parts = await super.readParts(path, lengths);
    this.#now('taken', '');
    return parts;
  }

  override renameNoReplace(from: string, to: string): void {
    this.#now('placing', basename(to));
    super.renameNoReplace(from, to);
    this.#now('placed', basename(to));
  }

  override renameExchange(a: string, b: string): void {
    this.#now('placing', basename(b));
    super.renameExchange(a, b);
    this.#now('placed', basename(b));
  }

  #now(moment: Moment, name: string): void {
    this.#acts[moment].shift()?.();
    const refused = this.#refused.get(moment);
    if (refused?.name === name) {
      throw Object.assign(new Error(`${refused.code}: ${name}`), { code: refused.code });
    }
  }
}

/** The file name behind a path of a descriptor; '' when it is too long. */
function nameOf(path: string): string {
  if (!path.startsWith('/proc/self/fd/')) return basename(path);
  try {
    return basename(readlinkSync(path));
  } catch {
    return '';
  }
}
