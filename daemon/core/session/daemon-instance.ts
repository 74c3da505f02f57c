/**
 * The instance of the daemon that its Hello names (rules P1, I2). The server takes another run of the same device for one that may be a copy's, and
 * lets what was promised to the one before count until its lease is over: everybody's changes wait for that.
 *
 * Nobody has to wait for a run that is known to have ended: the run before, where it ran at this very place, a data folder that one process at a time
 * can take, since the machine was started. A copy of the folder is at another place.
 */
import type { ClientState } from '../state.ts';

const RUN = 'run';
const PLACE = 'run-place';

/** Before the first Hello of this run, which leaves when it is durable. */
export function tellInstance(state: ClientState): { run?: string; endedRun?: string } {
  const { updateName: run, place = null } = state.config;
  if (run === undefined) return {};
  const before = state.meta.get(RUN);
  if (before !== run) {
    const isHere = place !== null && state.meta.get(PLACE) === place;
    state.session.previousInstance = isHere && typeof before === 'string' ? before : null;
    state.meta.set(RUN, run);
    state.meta.set(PLACE, place);
  }
  return state.session.previousInstance === null
    ? { run }
    : { run, endedRun: state.session.previousInstance };
}
