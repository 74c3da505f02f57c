/**
 * What people ask of file groups. Orders for one file system are carried out one after the other: each reads the list of a group and writes
 * it anew.
 */
import type {
  GroupAct,
  GroupContents,
  GroupList,
  NamedGroup,
} from '../../../../shared/control/groups.ts';
import type { GroupKind } from '../../../../shared/model/file-group.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { FileSystem } from '../../../../shared/ports/file-system.ts';
import { Semaphore } from '../../../../shared/concurrency/semaphore.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { findVolume } from '../find-path.ts';
import { filesBelow } from '../../../../shared/group/files-below.ts';
import { GroupFiles } from '../../../../shared/group/group-files.ts';
import { LOCAL_TEXTS } from '../../../../shared/group/local-texts.ts';

export interface GroupOrder {
  readonly act: GroupAct;
  readonly volume: string;
  readonly name: string;
  readonly kind: GroupKind;
  readonly files: readonly Fid[];
}

const turns = new WeakMap<FileSystem, Semaphore>();

/** All file groups of a volume. Rejects `not-found` if there is no such volume. */
export async function listGroups(fileSystem: FileSystem, volume: string): Promise<GroupList> {
  const { root } = await findVolume(fileSystem, volume);
  return { groups: await new GroupFiles(fileSystem, root, LOCAL_TEXTS).all() };
}

/** Rejects `not-found`. */
export async function groupContents(
  fileSystem: FileSystem,
  volume: string,
  groupName: string,
): Promise<GroupContents> {
  const { root } = await findVolume(fileSystem, volume);
  const { name, kind, files } = await new GroupFiles(fileSystem, root, LOCAL_TEXTS).get(groupName);
  const wanted = new Set(files);
  const paths = new Map<Fid, string>();
  for await (const { path, attributes } of filesBelow(fileSystem, root, [])) {
    const { fid } = attributes;
    if (wanted.has(fid) && !paths.has(fid)) paths.set(fid, `/${path.join('/')}`);
  }
  return { name, kind, files: files.map((fid) => ({ fid, path: paths.get(fid) ?? null })) };
}

/** Gives the group as it is then. Rejects `not-found`, `exists`, `bad-name`, `usage` ... */
export function orderGroup(fileSystem: FileSystem, order: GroupOrder): Promise<NamedGroup> {
  const turn = turns.get(fileSystem) ?? new Semaphore(1);
  turns.set(fileSystem, turn);
  return turn.run(() => carryOut(fileSystem, order));
}

async function carryOut(fileSystem: FileSystem, order: GroupOrder): Promise<NamedGroup> {
  const { act, name, kind } = order;
  const { root } = await findVolume(fileSystem, order.volume);
  const groups = new GroupFiles(fileSystem, root, LOCAL_TEXTS);
  if (act === 'end') {
    const group = await groups.get(name);
    await groups.end(group);
    return group;
  }
  const files = await selected(fileSystem, order.files);
  if (files.length === 0) {
    throw new GodwitError('usage', `${name}: there is no file to put in the group, or out of it`);
  }
  if (act === 'create') return groups.create(name, { kind, files });
  const group = await groups.get(name);
  return act === 'add' ? groups.add(group, files) : groups.remove(group, files);
}

/** Each once: in the order given, and those of folders in the order of names. */
async function selected(fileSystem: FileSystem, named: readonly Fid[]): Promise<Fid[]> {
  const files = new Set<Fid>();
  for (const fid of named) {
    const { kind } = await fileSystem.getattr(fid);
    if (kind === 'file') files.add(fid);
    if (kind !== 'directory') continue;
    for await (const { attributes } of filesBelow(fileSystem, fid, [])) files.add(attributes.fid);
  }
  return [...files];
}
