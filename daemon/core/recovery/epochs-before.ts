/**
 * The epochs that led to the one we are in, the newest first, as the server reported them (rule I1). A server may be put back twice from one backup:
 * then it never heard of the epoch between, and the newest that both know is where we part.
 *
 * Each volume has an epoch of its own: one that this device might not see when the others went into a new epoch stays in the older one, with the
 * epochs before that, until it is seen again.
 */
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import { commitNumber } from '../../../shared/model/vnode.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import type { ClientState } from '../state.ts';
import type { Parting } from './lost-volume.ts';

type Ended = NonNullable<ReplyOf<'Hello'>['ended']>;

interface EpochHistory {
  readonly epoch: string | null;
  readonly before: Ended;
}

const KEY = 'epochs-before';
const leftKey = (volume: VolumeId): string => `left-in-epoch-${volume}`;

/**
 * Reads the earlier epochs from the durable values, the newest first; empty before the server has
 * named any.
 */
export function epochsBefore(state: ClientState): Ended {
  const text = state.meta.get(KEY);
  return typeof text === 'string' ? (JSON.parse(text) as Ended) : [];
}

/**
 * Of each volume whose epoch has ended and that is seen: the last commit that both know, and where the server's epoch began. Null: they
 * share no epoch.
 */
export function partings(state: ClientState, reply: ReplyOf<'Hello'>): Parting[] | null {
  const { ended = [], epoch, volumes } = reply;
  const lives = livesHere(state);
  if (lives.epoch !== epoch && !epochsOf(lives).some((each) => ended.some(isOf(each)))) return null;
  const found: Parting[] = [];
  for (const { id } of volumes) {
    const left = leftIn(state, id);
    const known = left ?? lives;
    if (known.epoch === epoch) continue;
    const parted = partingOf(id, known, ended);
    if (parted !== null) found.push(parted);
    else if (left !== null) return null;
  }
  return found;
}

function partingOf(volume: VolumeId, lives: EpochHistory, ended: Ended): Parting | null {
  const cutIn = (epochs: Ended, epoch: string | null) =>
    epochs.find(isOf(epoch))?.volumes.find((cut) => cut.volume === volume);
  for (const epoch of epochsOf(lives)) {
    const theirs = cutIn(ended, epoch);
    if (theirs === undefined) continue;
    const cuts = ended.flatMap(({ volumes }) => volumes).filter((cut) => cut.volume === volume);
    const first = commitNumber(Math.max(...cuts.map((cut) => cut.first)));
    const here = cutIn(lives.before, epoch);
    const last = Math.min(theirs.last, here?.last ?? theirs.last);
    return { volume, last: commitNumber(last), first };
  }
  return null;
}

/** Of a session that begins. */
export function rememberEpochs(state: ClientState, reply: ReplyOf<'Hello'>): void {
  const { ended = [], epoch, volumes } = reply;
  const lives = livesHere(state);
  const isSeen = (volume: VolumeId): boolean => volumes.some(({ id }) => id === volume);
  for (const volume of state.names.volumes.keys()) {
    const left = leftIn(state, volume);
    if (isSeen(volume)) {
      if (left !== null) state.meta.set(leftKey(volume), null);
    } else if (left === null && lives.epoch !== null && lives.epoch !== epoch) {
      state.meta.set(leftKey(volume), JSON.stringify(lives));
    }
  }
  // The reported epochs of a volume without access count when the device has access again.
  const kept = ended.map((one) => {
    const known = lives.before.find(isOf(one.epoch))?.volumes ?? [];
    return { ...one, volumes: [...one.volumes, ...known.filter((cut) => !isSeen(cut.volume))] };
  });
  const text = JSON.stringify(kept);
  if (ended.length > 0 && state.meta.get(KEY) !== text) state.meta.set(KEY, text);
  state.meta.set('epoch', epoch);
}

/**
 * Lets all contents make room but those of volumes that are left in an older epoch: they may be the last copies of what the server has lost, until
 * the volume is seen again and they are offered.
 */
export function keepWhatIsLeft(state: ClientState): void {
  const left = new Set([...state.names.volumes.keys()].filter((id) => leftIn(state, id) !== null));
  const mayGo = ({ fid }: { readonly fid: Fid }): boolean => !left.has(volumeOf(fid));
  state.cache.files.yieldOnly(left.size === 0 ? null : mayGo);
}

function livesHere(state: ClientState): EpochHistory {
  return { epoch: (state.meta.get('epoch') ?? null) as string | null, before: epochsBefore(state) };
}

/** Null: the volume is in the epoch of the device. */
function leftIn(state: ClientState, volume: VolumeId): EpochHistory | null {
  const text = state.meta.get(leftKey(volume));
  return typeof text === 'string' ? (JSON.parse(text) as EpochHistory) : null;
}

function epochsOf({ epoch, before }: EpochHistory): Array<string | null> {
  return [epoch, ...before.map((each) => each.epoch)];
}

const isOf = (epoch: string | null) => (each: { readonly epoch: string }) => each.epoch === epoch;
