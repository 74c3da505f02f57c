/**
 * File groups (MFS, section 4.1): ordered lists of files worth having together.
 *
 * A group is a vnode: a file in the folder GROUPS_FOLDER of the volume, with the list as its contents. So it is versioned, synced and
 * promised as any other file, and programs and devices that know nothing of groups leave it alone. The group that a file belongs to is an
 * extended attribute of the file.
 */
import { isFid, volumeOf, type Fid } from './fid.ts';
import type { VnodeStatus } from './vnode.ts';

export const GROUPS_FOLDER = '.godwit-groups';
export const GROUP_XATTR = 'godwit.group';

/** More files than anybody lists, and few enough for one message of statuses after another. */
export const MOST_MEMBERS = 10_000;
/** Of a list: a fid has 32 characters at most, with its line. */
export const MAX_GROUP_BYTES = 1024 * 1024;

/** `chosen`: by a person. `inferred`: from what was used together. */
export const GROUP_KINDS = ['chosen', 'inferred'] as const;
export type GroupKind = (typeof GROUP_KINDS)[number];

export interface FileGroup {
  readonly kind: GroupKind;
  /** In the order in which they are wanted, each once. */
  readonly files: readonly Fid[];
}

/** A line for each file, so that two versions of it differ in few lines. */
export function formatGroup({ kind, files }: FileGroup): string {
  return [`godwit group ${kind}`, ...files, ''].join('\n');
}

/** null: it is no list of this program. Empty lines, those that begin with # and what is listed twice do not count. */
export function parseGroup(text: string): FileGroup | null {
  const [head = '', ...lines] = text.split('\n').map((line) => line.trim());
  const kind = GROUP_KINDS.find((each) => head === `godwit group ${each}`);
  const files = [...new Set(lines.filter((line) => line !== '' && !line.startsWith('#')))];
  if (kind === undefined || files.length > MOST_MEMBERS || !files.every(isFid)) return null;
  return { kind, files: files };
}

/** The value of the attribute: the group's fid, in base64 as attributes are. */
export const groupValue = (group: Fid): string => btoa(group);

/** The group of a file; null: it has none, or one that can not be. */
export function groupOf({ fid, xattrs }: VnodeStatus): Fid | null {
  const value = xattrs.find(({ name }) => name === GROUP_XATTR)?.value;
  if (value === undefined || value.length > 64) return null;
  const group = textOf(value);
  return isFid(group) && volumeOf(group) === volumeOf(fid) ? group : null;
}

function textOf(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return '';
  }
}
