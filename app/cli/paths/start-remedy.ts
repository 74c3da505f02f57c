/** What to do where no daemon runs: the command that starts the one that is meant, and no other. */
import { defaultDaemonData } from '../../../shared/control/state-folder.ts';
import { shellWord } from '../../../shared/util/shell-word.ts';
import { configOf } from './choose-daemon.ts';

/** `data`: the data folder that is meant. `isChosen`: `godwit use` has chosen it. */
export function startRemedy(data: string, isChosen: boolean): string {
  const isUsual = data === usualData();
  const start = `start it with \`godwit up${isUsual ? '' : ` --data ${shellWord(data)}`}\``;
  if (!isChosen) return isUsual ? `${start} (see \`godwit help up\`)` : start;
  const others = 'choose another one with `godwit use DIR`, or none with `godwit use --forget`';
  return configOf(data) === null ? others : `${start}, or ${others}`;
}

/** The data folder that `godwit up` takes by itself; null: without a home folder it takes none. */
function usualData(): string | null {
  try {
    return defaultDaemonData();
  } catch {
    return null;
  }
}
