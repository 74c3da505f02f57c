/** Which updates are offers (rule I1), by the numbers that `flush` knows them by. */
import { expect, it } from '@jest/globals';
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { ClientState } from '../state.ts';
import type { LoggedUpdate } from './update-log.ts';
import { beginOffering, isOffering } from './offering.ts';

const VOLUME = 1 as VolumeId;

/** A log with updates of these ranks in it. */
function stateWith(log: Array<Partial<LoggedUpdate>>): ClientState {
  return { meta: new Map(), log: { all: () => log } } as unknown as ClientState;
}

const entry = (rank: number, state = 'queued') =>
  ({ volume: VOLUME, rank, seq: rank + 100, state, waitsFor: new Set() }) as Partial<LoggedUpdate>;
const begin = (state: ClientState, ...ranks: number[]): void =>
  beginOffering(state, VOLUME, ranks as UpdateSeq[]);

it.each([
  [3, true],
  [4, false],
  [7, true],
  [8, true],
  [9, true],
  [10, false],
])('an update of rank %i is an offer among 8, 3, 7 and 9: %s', (rank, isOffer) => {
  const state = stateWith([entry(rank)]);
  begin(state, 8, 3, 7, 9);
  expect(isOffering(state, VOLUME)).toBe(isOffer);
});

it('offers of an earlier restore count as long as one of them is unanswered', () => {
  const log = [entry(3), entry(5)];
  const state = stateWith(log);
  begin(state, 3);
  begin(state, 5);
  log.pop();
  expect(isOffering(state, VOLUME)).toBe(true);
  log.pop();
  expect(isOffering(state, VOLUME)).toBe(false);
});

it('the offering is over when all offers are answered or blocked', () => {
  const log = [entry(3), entry(5)];
  const state = stateWith(log);
  begin(state, 3, 5);
  log.splice(0, 2, entry(3, 'answered'), entry(5, 'blocked'));
  expect(isOffering(state, VOLUME)).toBe(false);
});
