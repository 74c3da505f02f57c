/**
 * What needs a person, in one list: removals that wait, problems, conflicts. The name of the file comes first, then what happened in words; what
 * the system said is kept for those who ask. Remedies are acts of the window, and no commands.
 */
import { REMOVALS_HELD } from '../../../shared/control/notes.ts';
import type {
  ConflictStatus,
  ErrorStatus,
  StatusSnapshot,
} from '../../../shared/control/snapshot.ts';
import { fileKind, type FileKind } from './file-kind.ts';
import { lineText, splitPath } from './format.ts';
import { problemsOf } from './problems.ts';
import { TEXT } from './text.ts';

export type Remedy = 'try' | 'show' | 'address' | 'space';

export interface ProblemNeed {
  readonly kind: 'problem';
  readonly key: string;
  /** '' where it is of no one file. */
  readonly name: string;
  readonly folder: string;
  readonly icon: FileKind;
  /** From the root of the folder; null: it is of no one file. */
  readonly path: string | null;
  readonly says: string;
  readonly remedy: string;
  /** As the daemon has it, with the error of the system. */
  readonly details: string;
  readonly remedies: readonly Remedy[];
}

export interface ConflictNeed {
  readonly kind: 'conflict';
  readonly key: string;
  readonly name: string;
  readonly folder: string;
  readonly icon: FileKind;
  readonly says: string;
  readonly conflict: ConflictStatus;
}

/** `says`: what the daemon says is missing, and how much. */
export interface HeldNeed {
  readonly kind: 'held';
  readonly key: string;
  readonly says: string;
}

export type Need = ProblemNeed | ConflictNeed | HeldNeed;

/** The gravest first. */
export function needsOf({
  errors,
  conflicts,
  version,
  installed,
}: Pick<StatusSnapshot, 'errors' | 'conflicts' | 'version' | 'installed'>): Need[] {
  const held = errors.filter(({ code }) => code === REMOVALS_HELD);
  return [
    ...held.map(({ message }): Need => ({ kind: 'held', key: 'held', says: lineText(message) })),
    ...problemsOf(errors).errors.map(problemNeed),
    ...conflicts.map(conflictNeed),
    ...(installed === undefined ? [] : [updateNeed(version, installed)]),
  ];
}

/** An error of the status, also of those that need nobody. */
export function problemNeed(error: ErrorStatus): ProblemNeed {
  const { code, message, remedy, path, volume } = error;
  const { name, folder: above } = splitPath(path ?? '');
  const folder = volume === undefined ? above : `${volume}:/${above}`;
  const at = volume === undefined ? path : `${volume}:/${path}`;
  return {
    kind: 'problem',
    key: `${code} ${at}`,
    ...{ name: lineText(name), folder: lineText(folder), icon: fileKind(name), path },
    says: saysOf(message),
    remedy: remedyOf(remedy),
    details: lineText([at, message, remedy, `(${code})`].filter((part) => part).join(': ')),
    remedies: remediesOf(error),
  };
}

/** A daemon goes on with the program that it was started with. */
function updateNeed(version: string, installed: string): ProblemNeed {
  const says = TEXT.home.updated(lineText(installed), lineText(version));
  const remedy = TEXT.home.startAgain;
  return {
    ...{ kind: 'problem', key: 'installed', name: '', folder: '', icon: fileKind(''), path: null },
    ...{ says, remedy, details: `${says} ${remedy}`, remedies: [] },
  };
}

function conflictNeed(conflict: ConflictStatus): ConflictNeed {
  const { name, folder } = splitPath(conflict.path);
  return {
    kind: 'conflict',
    key: `conflict ${conflict.id}`,
    ...{ name: lineText(name), folder: lineText(folder), icon: fileKind(name) },
    says: TEXT.home.conflict(conflict.kind),
    conflict,
  };
}

/** `EPERM: operation not permitted, setxattr '/proc/self/fd/50'` is for the details. */
const SYSTEM_ERROR = /:?\s*\b(E[A-Z0-9]{2,})\b.*$/s;
/** A remedy for a terminal, and a pointer to what is shown here already. */
const COMMAND = /`[^`]*`/;

function saysOf(message: string): string {
  const plain = lineText(message);
  const [, code = ''] = SYSTEM_ERROR.exec(plain) ?? [];
  const before = plain.replace(SYSTEM_ERROR, '').trim();
  const why = TEXT.home.errors[code];
  if (before === '') return why ?? plain;
  return why === undefined ? before : `${before}: ${why}`;
}

/** Parts of a remedy that name a command are left out: where they are all of it, it is tried again by itself. */
function remedyOf(remedy: string): string {
  const parts = lineText(remedy)
    .split(/;\s*/)
    .filter((part) => part !== '' && !COMMAND.test(part));
  return parts.length === 0 ? TEXT.home.retried : parts.join('; ');
}

const OF_ADDRESS: ReadonlySet<string> = new Set([
  ...['server-unreachable', 'wrong-fingerprint', 'bad-address', 'protocol-version'],
]);
const OF_SPACE: ReadonlySet<string> = new Set(['disk-full', 'over-quota', 'dirty-limit']);

function remediesOf({ code, path, volume }: ErrorStatus): Remedy[] {
  return [
    ...(OF_ADDRESS.has(code) ? (['address'] as const) : []),
    ...(OF_SPACE.has(code) ? (['space'] as const) : []),
    'try',
    // A path of another volume is no place in the folder.
    ...(path === null || volume !== undefined ? [] : (['show'] as const)),
  ];
}
