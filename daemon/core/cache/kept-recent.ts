/** The files that moved last, as they outlive the daemon: in one value of `meta`, which a step in which one of them moved writes once. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { ClientState } from '../state.ts';
import type { Recent } from './cache-state.ts';

const KEY = 'recent';

/** Takes what the run before has kept. */
export function loadRecent({ meta, cache }: ClientState): void {
  const text = meta.get(KEY);
  if (typeof text !== 'string') return;
  cache.recent.load(JSON.parse(text) as Array<readonly [Fid, Recent]>);
}

/** Keeps what has moved since it was kept last. */
export function keepRecent({ meta, cache }: ClientState): void {
  const files = cache.recent.take();
  if (files !== null) meta.set(KEY, JSON.stringify(files));
}
