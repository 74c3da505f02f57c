/** What has the names of folders that are gone, where a refusal was heard of before that: the folders above are asked for. */
import type { ClientState } from '../state.ts';
import { askDirectory } from './validation.ts';

/** At the end of a step: asks for what refusals wait for, each once in a connection. */
export function askGone(state: ClientState): void {
  if (!state.conflict.hasToAsk || !state.session.isUp) return;
  for (const dir of state.conflict.takeToAsk()) askDirectory(state, dir);
}
