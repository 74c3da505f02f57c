/** Which updates of the log are offers of a lost part (rule I1), and whether they have all been answered. */
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { ClientState } from '../state.ts';

const keyOf = (volume: VolumeId): string => `offers-${volume}`;

/** Updates with ranks from `first` to `last` are offers. */
export function beginOffering(
  state: ClientState,
  volume: VolumeId,
  first: number,
  last: number,
): void {
  state.setMeta(keyOf(volume), `${first}-${last}`);
}

/** Until then a front end is told nothing: it could be older than what it shows. What is blocked is not waited for. */
export function isOffering(state: ClientState, volume: VolumeId): boolean {
  const range = state.meta.get(keyOf(volume));
  if (typeof range !== 'string') return false;
  const [first = 0, last = 0] = range.split('-').map(Number);
  for (const entry of state.log.all()) {
    const isOpen = entry.state !== 'answered' && entry.state !== 'blocked';
    if (isOpen && entry.volume === volume && first <= entry.rank && entry.rank <= last) return true;
  }
  state.setMeta(keyOf(volume), null);
  return false;
}
