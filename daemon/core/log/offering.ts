/**
 * Which updates of the log are offers of a lost part (rule I1), and whether they have all been answered.
 *
 * The server may be put back again before they are: then the older offers are waited for as well as the newer ones. What is
 * blocked is not waited for, nor what waits for that.
 */
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { ClientState } from '../state.ts';

const keyOf = (volume: VolumeId): string => `offers-${volume}`;

/** The updates that go by these numbers (their ranks) are offers. */
export function beginOffering(
  state: ClientState,
  volume: VolumeId,
  ranks: readonly UpdateSeq[],
): void {
  if (ranks.length === 0) return;
  const earlier = isOffering(state, volume) ? [state.meta.get(keyOf(volume))] : [];
  state.meta.set(keyOf(volume), [...earlier, ...rangesOf(ranks)].join(','));
}

function rangesOf(ranks: readonly UpdateSeq[]): string[] {
  const ranges: Array<{ first: number; last: number }> = [];
  for (const rank of [...ranks].sort((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range !== undefined && rank <= range.last + 1) range.last = rank;
    else ranges.push({ first: rank, last: rank });
  }
  return ranges.map(({ first, last }) => `${first}-${last}`);
}

/**
 * Whether queued offers of the volume are unanswered. Until they are answered, the front end gets no changes: they could be older than what it shows.
 */
export function isOffering(state: ClientState, volume: VolumeId): boolean {
  const text = state.meta.get(keyOf(volume));
  if (typeof text !== 'string') return false;
  const ranges = text.split(',').map((range) => range.split('-').map(Number));
  const isOffer = (rank: number): boolean =>
    ranges.some(([first = 0, last = 0]) => first <= rank && rank <= last);
  const blocked = new Set<UpdateSeq>();
  for (const entry of state.log.all()) {
    if (entry.volume !== volume || entry.state === 'answered') continue;
    const isBehind = [...entry.waitsFor].some((seq) => blocked.has(seq));
    if (isBehind || entry.state === 'blocked') blocked.add(entry.seq);
    else if (isOffer(entry.rank)) return true;
  }
  state.meta.set(keyOf(volume), null);
  return false;
}
