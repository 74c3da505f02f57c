/** User extended attributes as they are sent: in base64, in byte order of names, without those too large for a message. */
import { GROUP_XATTR } from '../../../shared/model/file-group.ts';
import { compareNames } from '../../../shared/model/names.ts';
import type { Xattr } from '../../../shared/model/vnode.ts';
import type { Host } from '../../../shared/ports/host.ts';
import type { SafeRoot } from './safe-root.ts';

/** What a message takes: 255 characters of a name, 6,000 of base64. */
const MAX_NAME = 255;
const MAX_VALUE = 4096;
const MAX_COUNT = 64;

export function readXattrs(host: Host, root: SafeRoot, path: readonly string[]): Xattr[] {
  const name = path.at(-1);
  const dir = path.slice(0, -1);
  const found = root.within(dir, (base) =>
    host.listXattrs(name === undefined ? base : `${base}/${name}`),
  );
  return found
    .filter((xattr) => xattr.name.length <= MAX_NAME && xattr.value.length <= MAX_VALUE)
    .slice(0, MAX_COUNT)
    .map((xattr) => ({ name: xattr.name, value: Buffer.from(xattr.value).toString('base64') }));
}

/**
 * What a file has now, with the file group that it had: an editor that saves beside and renames knows nothing of that one (rule W3), and
 * only `godwit group` ends it.
 */
export function withGroup(seen: readonly Xattr[], before: readonly Xattr[]): readonly Xattr[] {
  const group = before.find(({ name }) => name === GROUP_XATTR);
  if (group === undefined || seen.some(({ name }) => name === GROUP_XATTR)) return seen;
  return [...seen, group].sort((a, b) => compareNames(a.name, b.name));
}

export function sameXattrs(a: readonly Xattr[], b: readonly Xattr[]): boolean {
  return (
    a.length === b.length &&
    a.every((xattr, i) => xattr.name === b[i]?.name && xattr.value === b[i].value)
  );
}

/** Makes the attributes of a file of ours (it is no link) the given ones. */
export function writeXattrs(host: Host, path: string, wanted: readonly Xattr[]): void {
  const names = new Set(wanted.map(({ name }) => name));
  for (const { name } of host.listXattrs(path)) {
    if (!names.has(name)) host.removeXattr(path, name);
  }
  for (const { name, value } of wanted) host.setXattr(path, name, Buffer.from(value, 'base64'));
}
