/**
 * Commits of a feed that are put in place side by side: each when what it needs is here, and after those that it shares a vnode or a name with. So what is
 * small does not wait for what is large, and what depends on something comes after it (rule W1).
 */
import type { ChangeSet } from '../../../../shared/model/change.ts';

/** What two commits must have in common, one of them, for the later one to wait for the earlier. */
export function sharedKeys({ vnodes, entries }: Pick<ChangeSet, 'vnodes' | 'entries'>): string[] {
  const names = entries.map(({ dir, name }) => `${dir}/${name}`);
  const named = entries.flatMap(({ dir, fid }) => (fid === null ? [dir] : [dir, fid]));
  return [...new Set([...vnodes.map(({ fid }) => fid), ...named, ...names])];
}

/** Runs the work of commits side by side, each after those with which it shares a vnode or name. */
export class SideBySide {
  /** By key, the end of the last commit that has it. */
  readonly #last = new Map<string, Promise<void>>();
  readonly #running = new Set<Promise<void>>();

  /** `work` begins when those are done. Where one of them failed it does not: what depends on something never comes before it. */
  add(change: ChangeSet, work: () => Promise<void>): Promise<void> {
    const keys = sharedKeys(change);
    const before = new Set(keys.flatMap((key) => this.#last.get(key) ?? []));
    const running = Promise.all(before).then(work);
    for (const key of keys) this.#last.set(key, running);
    this.#running.add(running);
    const forget = (): void => {
      this.#running.delete(running);
      for (const key of keys) if (this.#last.get(key) === running) this.#last.delete(key);
    };
    running.then(forget, forget);
    return running;
  }

  /** All of them have ended, well or not. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}
