/** The files that programs and front ends have open, by their handles. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { DataVersion, Digest } from '../../../shared/model/vnode.ts';
import type { Handle } from '../../../shared/ports/file-system.ts';
import type { Origin } from '../names/past-places.ts';

export interface OpenHandle {
  readonly handle: Handle;
  /** A writer's moves to the copy when the store it began with loses (C1). */
  fid: Fid;
  readonly content: string;
  readonly writing: boolean;
  /** The version that writes are made over; moves on with our own stores. */
  base: DataVersion;
  /** Set when a front end reports what it found on its disk; its version numbers are ahead of those of `fid` by `ahead`. */
  readonly observed: { readonly ahead: number; readonly digest: Digest | null } | null;
  /** Of a writer: where the file was when it was opened, for others may remove it meanwhile. null: no name of it was ever known. */
  had: Origin | null;
  /** Its close is being made durable. */
  closing: boolean;
}

/** Numbers open files and finds them by their handles. */
export class OpenHandles {
  readonly #open = new Map<Handle, OpenHandle>();
  #last = 0;

  get size(): number {
    return this.#open.size;
  }

  get(handle: Handle): OpenHandle | undefined {
    return this.#open.get(handle);
  }

  values(): IterableIterator<OpenHandle> {
    return this.#open.values();
  }

  open(about: Omit<OpenHandle, 'handle' | 'closing'>): Handle {
    this.#last += 1;
    const handle = this.#last;
    this.#open.set(handle, { handle, ...about, closing: false });
    return handle;
  }

  close(handle: Handle): void {
    this.#open.delete(handle);
  }
}
