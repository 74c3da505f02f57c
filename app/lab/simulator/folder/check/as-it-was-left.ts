/**
 * Checker: a folder is as it was left. Where one laptop is alone, nothing but its programs changes the folder: each name that was there when the last of them
 * had ended is there at rest, with the bytes it had, and no other. So what a program removed does not come back.
 *
 * It allows what stands for a file (a placeholder) in its place. It says nothing of plans in which something else gives or takes names: a loss of power,
 * records or a server that are put back, rights, mounts, people who confirm or reject, and volumes that are mounted.
 */
import type { FolderMachine } from '../folder-machine.ts';
import type { FolderEntry, FolderPlan } from '../folder-plan.ts';
import { diskTree, isPlaceholderName, type Tree } from '../trees.ts';
import type { CheckedRun } from './checked-run.ts';

const MOST_TOLD = 6;
const PLACEHOLDER = '.godwit';

const OTHERS: ReadonlySet<string> = new Set([
  ...['power', 'records-lost', 'restored', 'rights', 'mount', 'confirm', 'reject'],
]);

/** What each laptop has now; null: of this plan nothing can be said. */
export function leftBy(run: Pick<CheckedRun, 'plan' | 'machines'>): Tree | null {
  const [machine] = run.machines;
  if (machine === undefined || !isAlone(run.plan)) return null;
  return namedAsFiles(diskTree(machine.observer, machine.root));
}

function isAlone({ settings, entries }: FolderPlan): boolean {
  const isOther = (entry: FolderEntry): boolean => 'do' in entry && OTHERS.has(entry.do);
  return settings.laptops === 1 && (settings.volumes ?? 1) === 1 && !entries.some(isOther);
}

/** Reports names that have come back or gone, and other bytes, since `left` was taken. */
export function lookAsLeft(
  { find }: Pick<CheckedRun, 'find'>,
  machine: FolderMachine,
  left: Tree,
): void {
  const now = namedAsFiles(diskTree(machine.observer, machine.root));
  const paths = [...new Set([...left.keys(), ...now.keys()])].sort();
  const told = paths.flatMap((path) => {
    const [before, after] = [left.get(path), now.get(path)];
    if (before === undefined) return [`${path} has come back`];
    if (after === undefined) return [`${path} has gone`];
    const isSame = before.kind === after.kind && before.digest === after.digest;
    return isSame || before.digest === null || after.digest === null
      ? []
      : [`${path} has other bytes`];
  });
  for (const text of told.slice(0, MOST_TOLD)) {
    find('a folder is as it was left', `${machine.name}: ${text}`);
  }
}

/** A placeholder by the name of its file, of whose bytes nothing is said. */
function namedAsFiles(tree: Tree): Tree {
  return new Map(
    [...tree].map(([path, shown]) =>
      isPlaceholderName(path)
        ? [path.slice(0, -PLACEHOLDER.length), { ...shown, digest: null }]
        : [path, shown],
    ),
  );
}
