/**
 * The epochs that led to the one we are in, the newest first, as the server told them (rule I1). A server may be put back twice from
 * one backup: then it never heard of the epoch between, and the newest that both know is where we part.
 */
import { commitNumber } from '../../../shared/model/vnode.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import type { ClientState } from '../state.ts';
import type { Parting } from './lost-volume.ts';

type Ended = NonNullable<ReplyOf<'Hello'>['ended']>;

const KEY = 'epochs-before';

export function epochsBefore(state: ClientState): Ended {
  const text = state.meta.get(KEY);
  return typeof text === 'string' ? (JSON.parse(text) as Ended) : [];
}

/** In each volume the last commit that both know, and where the server's epoch began. Null: they share no epoch. */
export function partings(state: ClientState, { ended = [] }: ReplyOf<'Hello'>): Parting[] | null {
  const epoch = state.meta.get('epoch');
  const before = epochsBefore(state);
  const ours = [{ epoch, volumes: [] }, ...before];
  for (const known of ours) {
    const theirs = ended.find((each) => each.epoch === known.epoch);
    if (theirs === undefined) continue;
    return theirs.volumes.map(({ volume, last }) => {
      const cuts = ended.flatMap(({ volumes }) => volumes).filter((cut) => cut.volume === volume);
      const first = commitNumber(Math.max(...cuts.map((cut) => cut.first)));
      const here = known.volumes.find((each) => each.volume === volume);
      return { volume, last: commitNumber(Math.min(last, here?.last ?? last)), first };
    });
  }
  return null;
}

export function rememberEpochs(state: ClientState, { ended = [] }: ReplyOf<'Hello'>): void {
  const text = JSON.stringify(ended);
  if (ended.length > 0 && state.meta.get(KEY) !== text) state.setMeta(KEY, text);
}
