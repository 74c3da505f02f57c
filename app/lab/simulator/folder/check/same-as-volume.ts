/**
 * Checker: all are the same. Each folder shows what the volume has: kinds, contents, modes, modification times and user attributes.
 *
 * What differs is listed by the daemon of that folder, with a reason that can be one: a note on attributes explains no other contents. It allows
 * the group of a file that a program has saved anew, times as the disk keeps them, or cut to what can be synced (1677 to 2262), anything of a placeholder but its name, what a loss of power may leave, and what is ignored.
 */
import { GROUP_XATTR } from '../../../../../shared/model/file-group.ts';
import { mtimeOf } from '../../../../../shared/model/vnode.ts';
import type { FolderMachine } from '../folder-machine.ts';
import { isPlaceholderName } from '../trees.ts';
import type { Shown, Tree } from '../trees.ts';
import type { CheckedRun } from './checked-run.ts';

const MOST_TOLD = 6;

/** What a laptop's daemon says of paths, and what its disk can keep. */
export type Reasons = Pick<
  FolderMachine,
  'name' | 'saidOf' | 'isLeftOut' | 'isSpoiled' | 'keptTime' | 'holdsOthers'
>;

type Aspect = 'contents' | 'mode' | 'time' | 'attributes';

/** Codes that tell of attributes alone. */
const OF_ATTRIBUTES: Readonly<Record<string, readonly Aspect[]>> = {
  'attributes-left': ['attributes', 'time'],
  'rights-dropped': [],
  'disk-limits': ['mode', 'time', 'attributes'],
  'looked-at': [],
};

/** What a disk can't do at all, and attributes that can't be sent, are notes, beside which all may be synced. */
const BESIDE_SYNCED: readonly string[] = ['disk-limits', 'attributes-left'];

/** Reports where a folder shows other than the volume, and its daemon does not say why. True: it differs somewhere, and says so. */
export function lookForOther(
  { find }: Pick<CheckedRun, 'find'>,
  machine: Reasons,
  { volume, own }: { readonly volume: Tree; readonly own: Tree },
): boolean {
  const paths = [...new Set([...volume.keys(), ...own.keys()])].sort();
  let told = 0;
  let isSaid = false;
  for (const path of paths) {
    const aspects = differencesAt(volume, own, path, machine);
    if (aspects.length === 0 || machine.isLeftOut(path)) continue;
    if (!volume.has(path) && holdsLeftOut(own, path, machine)) continue;
    if (volume.has(path) && machine.isSpoiled(own.get(path)?.digest ?? null)) continue;
    const codes = machine.saidOf(path);
    if (isExplained(codes, aspects)) {
      isSaid ||= !isExplained(
        codes.filter((code) => BESIDE_SYNCED.includes(code)),
        aspects,
      );
      continue;
    }
    told += 1;
    if (told > MOST_TOLD) break;
    const [there, here] = [described(volume.get(path)), described(own.get(path))];
    find('all are the same', `${path}: the volume has ${there}, ${machine.name}'s folder ${here}`);
  }
  return isSaid;
}

function isExplained(codes: readonly string[], aspects: readonly Aspect[]): boolean {
  return aspects.every((aspect) =>
    codes.some((code) => OF_ATTRIBUTES[code]?.includes(aspect) ?? true),
  );
}

/** A folder that others have removed stays as long as something left out is in it, and nothing else. */
function holdsLeftOut(own: Tree, folder: string, machine: Reasons): boolean {
  if (own.get(folder)?.kind !== 'directory') return false;
  const files = [...own].filter(
    ([path, { kind }]) => path.startsWith(`${folder}/`) && kind !== 'directory',
  );
  const isLeft = (path: string): boolean =>
    machine.isLeftOut(path) || machine.saidOf(path).length > 0;
  const isSomething = files.length > 0 || machine.holdsOthers(folder);
  return isSomething && files.every(([path]) => isLeft(path));
}

/** A placeholder stands for the file whose name it has. */
function differencesAt(volume: Tree, own: Tree, path: string, machine: Reasons): Aspect[] {
  const [there, here] = [volume.get(path), own.get(path)];
  if (here === undefined && there?.kind === 'file' && own.has(`${path}.godwit`)) return [];
  if (there === undefined && isPlaceholderName(path)) {
    if (volume.get(path.slice(0, -'.godwit'.length))?.kind === 'file') return [];
  }
  if (there === undefined || here === undefined) return ['contents'];
  if (contentsOf(there) !== contentsOf(here)) return ['contents'];
  const kept = there.mtime === null ? null : machine.keptTime(path, there.mtime);
  const isSameTime =
    here.mtime === null ||
    kept === null ||
    here.mtime === kept ||
    mtimeOf(here.mtime) === String(there.mtime);
  return [
    ...(there.mode === here.mode ? [] : (['mode'] as const)),
    ...(isSameTime ? [] : (['time'] as const)),
    ...(haveSameAttributes(there, here) ? [] : (['attributes'] as const)),
  ];
}

const contentsOf = ({ kind, digest, target }: Shown): string => `${kind} ${digest ?? target ?? ''}`;

/** A program that saves a file anew takes its group off the disk; it stays in the volume (rule W3). */
function haveSameAttributes(there: Shown, here: Shown): boolean {
  const isGroupKept = there.xattrs.has(GROUP_XATTR) && !here.xattrs.has(GROUP_XATTR);
  return attributesOf(there, isGroupKept ? GROUP_XATTR : null) === attributesOf(here);
}

function attributesOf({ xattrs }: Shown, but: string | null = null): string {
  return [...xattrs]
    .filter(([name]) => name !== but)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ` ${name}=${value}`)
    .join('');
}

function described(shown: Shown | undefined): string {
  if (shown === undefined) return 'nothing';
  const { kind, digest, mode, target, mtime } = shown;
  const what = `${kind} ${mode.toString(8)} ${digest?.slice(0, 12) ?? target ?? ''}`;
  return `${what} of ${mtime ?? 'any time'}${attributesOf(shown)}`;
}
