/**
 * One verdict for one subject. Several checks look at the same thing: one finds the folder where it should be, and the daemon tells that a disk in it is
 * away. So each error of the daemon is of a subject, and where something is wrong with one, nothing says that it is well.
 */
import type { ErrorStatus } from '../../../shared/control/snapshot.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { Finding } from './finding.ts';

/** What the checks of `godwit doctor` are about. */
export type Subject =
  'daemon' | 'database' | 'disk of data' | 'disk of folder' | 'folder' | 'server' | 'watches';

/** The first is what an error is listed under. One of a full disk does not always say which one it is. */
const SUBJECTS: Partial<Record<ErrorCode, readonly [Subject, ...Subject[]]>> = {
  'protocol-version': ['server'],
  'server-too-old': ['server'],
  'not-paired': ['server'],
  'device-revoked': ['server'],
  'invitation-unknown': ['server'],
  'invitation-used': ['server'],
  'invitation-expired': ['server'],
  'incarnation-reused': ['server'],
  'epoch-changed': ['server'],
  'server-behind': ['server'],
  'wrong-fingerprint': ['server'],
  'server-unreachable': ['server'],
  'not-connected': ['server'],
  'hello-first': ['server'],
  'server-full': ['server'],
  'server-closing': ['server'],
  'over-quota': ['server'],
  'volume-removed': ['server'],
  'damaged-database': ['database'],
  'damaged-rows': ['database'],
  'newer-database': ['database'],
  'disk-full': ['disk of data', 'disk of folder'],
  'disk-failing': ['disk of data', 'disk of folder'],
  'not-watched': ['watches'],
  'folder-moved': ['folder'],
  'folder-nested': ['folder'],
  'folder-taken': ['folder'],
  'folder-unusable': ['folder'],
  'other-file-system': ['folder'],
  'removals-held': ['folder'],
  'changes-missed': ['folder'],
  'disk-away': ['folder'],
};

/** The subjects of an error that a daemon tells, the main one first. One of a path is of the folder. */
export function subjectsOf({
  code,
  path,
}: Pick<ErrorStatus, 'code' | 'path'>): readonly [Subject, ...Subject[]] {
  const known = SUBJECTS[code as ErrorCode];
  if (known === undefined) return [path === null ? 'daemon' : 'folder'];
  const [first, second] = known;
  return path !== null && second !== undefined ? [second, first] : known;
}

/** The findings without those that call a subject well about which another finding, or an error of the daemon, says otherwise. */
export function oneVerdict(
  findings: readonly Finding[],
  errors: ReadonlyArray<Pick<ErrorStatus, 'code' | 'path'>>,
): Finding[] {
  const denied = new Set<string>([
    ...findings.filter(({ level }) => level !== 'ok').map(({ check }) => check),
    ...errors.flatMap(subjectsOf),
  ]);
  return findings.filter(({ level, check }) => level !== 'ok' || !denied.has(check));
}
