/** POSIX access control lists, as Linux keeps them: in the bytes of an extended attribute, beside the mode, and what a new file gets of them. */
import { fail } from './kernel-error.ts';

export interface AclEntry {
  readonly tag: number;
  /** 0..7 */
  readonly rights: number;
  /** Of a user or a group; else `NO_ID`. */
  readonly id: number;
}

export type Acl = readonly AclEntry[];

export const TAG = { owner: 1, user: 2, groupOwner: 4, group: 8, mask: 16, other: 32 } as const;

const NO_ID = 0xffff_ffff;
const VERSION = 2;
const HEADER_BYTES = 4;
const ENTRY_BYTES = 8;

export function encodeAcl(acl: Acl): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + acl.length * ENTRY_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, VERSION, true);
  acl.forEach(({ tag, rights, id }, index) => {
    const at = HEADER_BYTES + index * ENTRY_BYTES;
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, rights, true);
    view.setUint32(at + 4, id, true);
  });
  return bytes;
}

/** Throws EINVAL for what is no list, and ENOTSUP for one of another version. null: an empty one, which takes the list away. */
export function decodeAcl(bytes: Uint8Array): Acl | null {
  if (bytes.length < HEADER_BYTES || (bytes.length - HEADER_BYTES) % ENTRY_BYTES !== 0) {
    return fail('EINVAL');
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== VERSION) return fail('ENOTSUP');
  const acl: AclEntry[] = [];
  for (let at = HEADER_BYTES; at < bytes.length; at += ENTRY_BYTES) {
    const tag = view.getUint16(at, true);
    const hasId = tag === TAG.user || tag === TAG.group;
    const id = hasId ? view.getUint32(at + 4, true) : NO_ID;
    acl.push({ tag, rights: view.getUint16(at + 2, true), id });
  }
  if (acl.length === 0) return null;
  if (!isValid(acl)) return fail('EINVAL');
  return acl;
}

/** The owner, users, the owning group, groups, the mask, others: in this order, the single ones once, and a mask where there are users or groups. */
function isValid(acl: Acl): boolean {
  let last = 0;
  for (const { tag, rights, id } of acl) {
    const isMany = tag === TAG.user || tag === TAG.group;
    if (rights > 7 || tag < last || (tag === last && !isMany)) return false;
    if (!Object.values<number>(TAG).includes(tag) || (isMany && id === NO_ID)) return false;
    last = tag;
  }
  const has = (tag: number): boolean => acl.some((entry) => entry.tag === tag);
  const needsMask = has(TAG.user) || has(TAG.group);
  return has(TAG.owner) && has(TAG.groupOwner) && has(TAG.other) && (!needsMask || has(TAG.mask));
}

/** It says no more than a mode does. */
export function isPlain(acl: Acl): boolean {
  return acl.every(({ tag }) => tag === TAG.owner || tag === TAG.groupOwner || tag === TAG.other);
}

/** The nine bits that a list shows as a mode: those of the group are the mask's, where it has one. */
export function modeOfAcl(acl: Acl): number {
  const rightsOf = (tag: number): number => acl.find((entry) => entry.tag === tag)?.rights ?? 0;
  const group = acl.some(({ tag }) => tag === TAG.mask)
    ? rightsOf(TAG.mask)
    : rightsOf(TAG.groupOwner);
  return (rightsOf(TAG.owner) << 6) | (group << 3) | rightsOf(TAG.other);
}

/** As `chmod` changes a list. */
export function withMode(acl: Acl, mode: number): Acl {
  return changed(acl, mode, (_, bits) => bits);
}

/** What something made with a mode gets from the default list of its directory. */
export function inherited(defaults: Acl, mode: number): { acl: Acl | null; mode: number } {
  const acl = changed(defaults, mode, (rights, bits) => rights & bits);
  return { acl: isPlain(acl) ? null : acl, mode: (mode & ~0o777) | modeOfAcl(acl) };
}

function changed(acl: Acl, mode: number, change: (rights: number, bits: number) => number): Acl {
  const groupTag = acl.some(({ tag }) => tag === TAG.mask) ? TAG.mask : TAG.groupOwner;
  return acl.map((entry) => {
    const { tag, rights } = entry;
    if (tag === TAG.owner) return { ...entry, rights: change(rights, (mode >> 6) & 7) };
    if (tag === groupTag) return { ...entry, rights: change(rights, (mode >> 3) & 7) };
    return tag === TAG.other ? { ...entry, rights: change(rights, mode & 7) } : entry;
  });
}
