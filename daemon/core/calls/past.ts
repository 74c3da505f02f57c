/**
 * Questions about the past (history port), and about access: each is one request, and nothing of the answer is kept. They wait for the server as
 * any call that needs it, and no longer; one whose connection ended is asked again.
 */
import { volumeOf, type VolumeId } from '../../../shared/model/fid.ts';
import type { PastQuestion } from '../events.ts';
import type { ClientState } from '../state.ts';
import { removedText } from '../names/volumes.ts';
import { refused, waitFor, WORKING, type Attempt } from '../waits/attempt-result.ts';

/** Signalled, as all facts are, with each session. */
const SESSION_KEY = { kind: 'session' } as const;

/**
 * Sends one question about the past to the server. The call waits while there is no session.
 * Refuses with `no-such-volume` and `volume-removed`.
 */
export function attemptPast(state: ClientState, call: number, question: PastQuestion): Attempt {
  if (!state.session.isUp) return waitFor(SESSION_KEY);
  const volume = volumeAskedOf(question);
  if (volume === null) {
    state.send(question, 'FETCH', { for: 'past', call });
    return WORKING;
  }
  if (!state.names.volumes.has(volume)) {
    return refused('no-such-volume', `this device sees no volume ${volume}`);
  }
  const removed = state.names.volumes.removedName(volume);
  if (removed !== null) return refused('volume-removed', removedText(removed));
  state.send(question, 'FETCH', { for: 'past', call });
  return WORKING;
}

/** Null: it is about no volume. */
function volumeAskedOf({ rpc, body }: PastQuestion): VolumeId | null {
  switch (rpc) {
    case 'PastVersions':
    case 'PastDir':
      return volumeOf(body.fid);
    case 'PastNames':
      return volumeOf(body.dir);
    case 'OwnCommits':
    case 'NamedSnapshots':
    case 'AccessList':
    case 'SetAccess':
    case 'MakeVolume':
    case 'LeaveVolume':
      return body.volume;
    case 'Teams':
    case 'ChangeTeam':
    case 'Shares':
      return null;
  }
}

/** Hands the answer of the server to the call that asked, if it still waits. */
export function onPast(state: ClientState, call: number, body: unknown): void {
  if (state.waiting.get(call) !== undefined) state.answer(call, body);
}
