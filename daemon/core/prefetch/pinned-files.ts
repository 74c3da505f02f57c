/** What is pinned is had here whole, and again when it has changed: files, and what is in folders, as far down as it goes. */
import type { Fid } from '../../../shared/model/fid.ts';
import { after } from '../../../shared/model/time.ts';
import { PINS_REST } from '../../limits.ts';
import { makeRoomFor } from '../cache/update-cache.ts';
import { needDirectory } from '../sharing/validation.ts';
import { mayBeginBulk } from '../network/update-bulk-gate.ts';
import type { ClientState } from '../state.ts';
import { viewEntries } from '../log/view.ts';
import { lookAt, type Look } from './look-at.ts';

const PINS_KEY = { kind: 'pins' } as const;

/** Something has changed on the server: what is pinned is looked at, but not for each change. */
export function pinsMayHaveChanged(state: ClientState): void {
  if (state.cache.pins.size === 0 || state.delays.until(PINS_KEY) !== null) return;
  state.delays.holdUntil(PINS_KEY, after(state.now.at, PINS_REST));
}

/**
 * Takes the next step for pinned files: validates or fetches the first one that is not here.
 * `waits`: the network or the disk does not allow it now.
 */
export function nextPinned(state: ClientState): Look {
  const {
    prefetch,
    cache: { pins },
    config,
  } = state;
  // A folder front end has in full what it shows in full.
  if (pins.size === 0 || config.frontEnd === 'folder') prefetch.lookAtPins = false;
  if (!prefetch.lookAtPins) return 'complete';
  const { files, isWhole } = pinnedFiles(state);
  const look = lookAt(state, files, prefetch.pinsSince, ({ size }) => {
    return mayBeginBulk(state, size) && makeRoomFor(state, size);
  });
  if (look === 'complete' && isWhole) prefetch.lookAtPins = false;
  return look;
}

/** In the order of pins, and of names below; directories that are not known are asked for, and looked at when they are. */
function pinnedFiles(state: ClientState): { files: Fid[]; isWhole: boolean } {
  const files: Fid[] = [];
  let isWhole = true;
  const seen = new Set<Fid>();
  const open = state.cache.pins.all().reverse();
  for (let fid = open.pop(); fid !== undefined; fid = open.pop()) {
    if (seen.has(fid)) continue;
    seen.add(fid);
    if (state.names.attributes.get(fid)?.kind !== 'directory') files.push(fid);
    else if (needDirectory(state, fid, state.prefetch.pinsSince) === null) {
      const entries = viewEntries(state, fid) ?? [];
      for (const [, below] of entries.reverse()) open.push(below);
    } else isWhole = false;
  }
  return { files, isWhole };
}
