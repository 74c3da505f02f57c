/** Volumes of the MetaStore in memory as they are made, each with its root: by an administrator, or by a person who shares a folder. */
import { USUAL_SETS } from '../../../../shared/model/access-list.ts';
import type { AccessAnswer, AccessWrite } from '../../../../shared/model/decide-access.ts';
import { rootOf, type VolumeId } from '../../../../shared/model/fid.ts';
import { sharedName } from '../../../../shared/model/shared-name.ts';
import type { RowWrite } from '../../../../shared/model/stored.ts';
import type { WallTime } from '../../../../shared/model/time.ts';
import { updateSeq } from '../../../../shared/model/update.ts';
import {
  commitNumber,
  type CommitNumber,
  dataVersion,
  mtimeFromMs,
  type VnodeStatus,
} from '../../../../shared/model/vnode.ts';
import type { MadeVolume } from './orders.ts';
import type { PlainRows } from './plain-rows.ts';
import { UndoLog } from './undo-log.ts';
import type { VersionedRows } from './versioned-rows.ts';

export interface Contents {
  epoch: string;
  readonly versioned: VersionedRows;
  readonly plain: PlainRows;
}

export type MadeWrite = Extract<AccessWrite, { what: 'volume' }>;

/** Numbers of volumes that people make: as if they were drawn. */
export const FIRST_DRAWN = 0x10000;
const NONCE_DIGITS = 6;

/** A volume that a person shares a folder by: its maker may do everything there. */
export function makeShared(contents: Contents, asked: MadeWrite): AccessAnswer {
  const { volume: from, label, nonce, by, when } = asked;
  const known = contents.plain.volumes();
  const volume = drawnBy(
    nonce,
    known.map(({ id }) => id),
  );
  const name = sharedName(label, volume);
  addVolume(contents, { volume, name, when });
  const limit = known.find(({ id }) => id === from)?.limit ?? null;
  contents.plain.changeVolume(volume, { limit, made: { by, nonce } });
  contents.plain.give(by, volume, USUAL_SETS.admin);
  return { answer: 'made', volume, name };
}

/** Drawn by who asks, with the nonce: so a server that was put back gives no number twice. */
function drawnBy(nonce: string, taken: readonly VolumeId[]): VolumeId {
  let drawn = FIRST_DRAWN + Number.parseInt(nonce.slice(-NONCE_DIGITS), 16);
  while (taken.includes(drawn as VolumeId)) drawn += 1;
  return drawn as VolumeId;
}

/** A volume that a person had made, at a server that was put back and does not know it: empty, under the number that it had. */
export function makeAgain(
  contents: Contents,
  { volume, name, maker, nonce }: MadeVolume,
  when: WallTime,
): { readonly last: CommitNumber; readonly first: CommitNumber } {
  addVolume(contents, { volume, name, when });
  contents.plain.cutAnew(volume, when);
  const by = contents.plain.userNamed(maker);
  contents.plain.changeVolume(volume, { made: { by, nonce } });
  return { last: commitNumber(1), first: contents.plain.head(volume) };
}

/** With its root, which is its first commit. */
export function addVolume(
  contents: Contents,
  { volume, name, when }: { volume: VolumeId; name: string; when: WallTime },
): void {
  contents.plain.addVolume(volume, name);
  const commit = commitNumber(1);
  const status: VnodeStatus = {
    fid: rootOf(volume),
    kind: 'directory',
    mode: 0o755,
    mtime: mtimeFromMs(when),
    size: 0,
    version: dataVersion(0),
    commit,
    digest: null,
    target: null,
    links: 1,
    xattrs: [],
  };
  const writes: RowWrite[] = [
    { kind: 'vnode', row: { status, entries: 0 }, previous: null, ordinal: 0 },
    { kind: 'log', volume, commit, device: 0, seq: updateSeq(0), when },
  ];
  for (const write of writes) writeRow(contents, write, new UndoLog());
}

/** Writes one row where it belongs. */
export function writeRow({ versioned, plain }: Contents, write: RowWrite, undo: UndoLog): void {
  if (write.kind === 'vnode') versioned.writeVnode(write, undo);
  else if (write.kind === 'entry') versioned.writeEntry(write, undo);
  else plain.write(write, undo);
}
