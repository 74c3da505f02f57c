/**
 * Who is left in a group of processes, for a person to find out why. Those that have ended and have not been waited for do not
 * count: a signal reaches them like any other.
 */
import { readdirSync, readFileSync } from 'node:fs';

const SHOWN_CHARACTERS = 120;
const ENDED = new Set(['Z', 'X', 'x']);

/** "PID COMMAND" of each, in the order of their numbers; null where the system does not tell. */
export function leftInGroup(group) {
  if (process.platform !== 'linux') return null;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids
    .map(Number)
    .sort((a, b) => a - b)
    .flatMap((pid) => (isIn(group, pid) ? [`${pid} ${commandOf(pid)}`] : []));
}

function isIn(group, pid) {
  const stat = statOf(pid);
  return stat.group === group && !hasEnded(stat);
}

/** Its state, parent and group; of one that is gone, an empty state. */
export function statOf(pid) {
  // After the name, which may hold anything.
  const [state, parent, group] = textOf(`/proc/${pid}/stat`).split(') ').at(-1).split(' ');
  return { state, parent: Number(parent), group: Number(group) };
}

/** Gone, or not asked for yet. */
export function hasEnded({ state }) {
  return state === '' || ENDED.has(state);
}

export function commandOf(pid) {
  return textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim().slice(0, SHOWN_CHARACTERS);
}

/** Empty where it is gone meanwhile. */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
