/**
 * The directories that were above an update's place when it was logged. One that was made here may have become the one that had its name on the
 * server: each counts under the fid that it has now, so that none stands for two.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import { resolved } from '../names/aliases.ts';
import type { ClientState } from '../state.ts';
import type { LoggedUpdate } from './update-log.ts';

/** Gives `dir` and the directories above it, innermost first, each once. */
export function directoriesFrom(state: ClientState, entry: LoggedUpdate, dir: Fid): Fid[] {
  const first = resolved(state, dir);
  const logged = entry.ancestors.map((each) => resolved(state, each));
  return [...new Set([first, ...logged.slice(logged.lastIndexOf(first) + 1)])];
}

/** The name that one of them had when the update was logged, as far as it was known. */
export function loggedNameOf(
  state: ClientState,
  entry: LoggedUpdate,
  dir: Fid,
): string | undefined {
  return entry.above[entry.ancestors.findIndex((each) => resolved(state, each) === dir)];
}
