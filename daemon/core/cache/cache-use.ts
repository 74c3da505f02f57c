/** What the file cache has, by what keeps it here, and how large it may be. Computed when somebody looks. */
import type { CacheUse, KeptBy, PinnedVnode } from '../../../shared/control/cache.ts';
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import { MOST_SHOWN } from '../../limits.ts';
import type { ClientState } from '../state.ts';
import { pathOf, pinOf, viewPlaces, viewStatus } from '../log/view.ts';
import { reserveOf } from './cache-bound.ts';
import type { CachedContent } from './file-cache.ts';
import { limitNow } from './update-cache.ts';

/**
 * Reports how many files and bytes the cache holds, by the reason that keeps each, with its limits.
 * All sizes are bytes. Of the pins it lists the first MOST_SHOWN.
 */
export function cacheUse(state: ClientState): CacheUse {
  const kept: Record<KeptBy, Counted> = {
    ...{ toSend: none(), open: none(), pinned: none(), ahead: none(), rest: none() },
  };
  const all = none();
  const queued = queuedContents(state);
  for (const content of state.cache.files.all()) {
    for (const counted of [all, kept[keptBy(state, content, queued)]]) {
      counted.files += 1;
      counted.bytes += content.size;
    }
  }
  const room = state.cache.diskNow();
  const {
    cache: { settings, pins },
  } = state;
  const shown = pins.all().slice(0, MOST_SHOWN);
  return {
    ...all,
    kept,
    settings,
    limit: limitNow(state),
    reserve: room === null ? settings.reserve : reserveOf(settings, room),
    disk: room,
    pins: { total: pins.size, first: shown.map((fid) => pinned(state, fid)) },
  };
}

interface Counted {
  files: number;
  bytes: number;
}

const none = (): Counted => ({ files: 0, bytes: 0 });

/** Names of contents that the server has not confirmed. */
function queuedContents(state: ClientState): Set<string> {
  const names = new Set<string>();
  for (const { content, state: how } of state.log.all()) {
    if (how !== 'answered' && content !== null) names.add(content);
  }
  return names;
}

function keptBy(state: ClientState, content: CachedContent, queued: ReadonlySet<string>): KeptBy {
  const { name, fid } = content;
  if (queued.has(name)) return 'toSend';
  if (state.cache.files.isHeld(name)) return 'open';
  if (pinOf(state, fid) !== null) return 'pinned';
  return state.cache.files.isAhead(name) ? 'ahead' : 'rest';
}

function pinned(state: ClientState, fid: Fid): PinnedVnode {
  const [place] = viewPlaces(state, fid);
  const volume = volumeOf(fid);
  return {
    volume: state.names.volumes.get(volume)?.row.info.name ?? String(volume),
    path: place === undefined ? null : pathOf(state, place),
    isFolder: viewStatus(state, fid)?.kind === 'directory',
  };
}
