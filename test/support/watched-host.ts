/** The Host port whose watches fail as a system's can: there are no more of them, or events are lost. */
import type { DirectoryEvent, DirectoryEvents, DirectoryWatches } from '../../shared/ports/host.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';

/** A Host with limited or silent watches. */
export class WatchedHost extends NativeHost {
  /** The largest number of watched directories. */
  most = Number.POSITIVE_INFINITY;
  /** Whether events are withheld. */
  isSilent = false;
  /** Called before each directory is watched. */
  adding: (path: string) => void = () => undefined;
  /** Events of these names are told no sooner than somebody wants to have heard of all. */
  readonly late = new Set<string>();
  readonly #all = new Set<DirectoryEvents>();
  readonly #watched = new Set<object>();

  override watchDirectories(events: DirectoryEvents): DirectoryWatches {
    const held: DirectoryEvent[] = [];
    const watches = super.watchDirectories({
      happened: (event) => {
        if (event.name !== null && this.late.has(event.name)) held.push(event);
        else if (!this.isSilent) events.happened(event);
      },
      lost: () => events.lost(),
    });
    this.#all.add(events);
    const own = new Map<number, object>();
    const forget = (watch: number): void => {
      this.#watched.delete(own.get(watch) ?? own);
      own.delete(watch);
    };
    return {
      add: (path, follow) => {
        this.adding(path);
        if (this.#watched.size >= this.most) {
          throw Object.assign(new Error(`ENOSPC: ${path}`), { code: 'ENOSPC' });
        }
        const watch = watches.add(path, follow);
        if (own.has(watch)) return watch;
        const one = {};
        own.set(watch, one);
        this.#watched.add(one);
        return watch;
      },
      remove: (watch) => {
        forget(watch);
        watches.remove(watch);
      },
      hear: async () => {
        await watches.hear?.();
        for (const event of held.splice(0)) events.happened(event);
      },
      close: () => {
        for (const watch of [...own.keys()]) forget(watch);
        this.#all.delete(events);
        watches.close();
      },
    };
  }

  /** Reports lost events, like an overflow of the kernel's queue. */
  lose(): void {
    for (const events of this.#all) events.lost();
  }
}
