/**
 * PastVersions, PastNames and OwnCommits: pages of the past, cut so that each is a message; and NamedSnapshots. No promise comes with them,
 * and the rights of today count (rule H4).
 */
import type { OwnCommit, PastName, PastVersion } from '../../../shared/model/history.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import { volumeOf } from '../../../shared/model/fid.ts';
import type { KeyOf, RowOf } from '../../../shared/model/stored.ts';
import type { AnyRequest } from '../../../shared/wire/rpcs.ts';
import type { DeviceState } from '../device/device.ts';
import type { AnyReply } from '../events.ts';
import { fitting, weightOfName, weightOfStatus } from './page-weight.ts';

/** A request for a page of the past. */
export type HistoryRequest = Extract<
  AnyRequest,
  { rpc: 'PastVersions' | 'PastNames' | 'OwnCommits' | 'NamedSnapshots' }
>;
type HistoryKind = 'past-versions' | 'past-names' | 'own-commits' | 'named-snapshots';
/** The row that holds such a page. */
export type HistoryKey = { [K in HistoryKind]: KeyOf<K> }[HistoryKind];

/** The volume that the request is about. */
export function volumeOfPast(request: HistoryRequest): VolumeId {
  switch (request.rpc) {
    case 'PastVersions':
      return volumeOf(request.body.fid);
    case 'PastNames':
      return volumeOf(request.body.dir);
    case 'OwnCommits':
    case 'NamedSnapshots':
      return request.body.volume;
  }
}

/** The row that holds the page. A device is shown its own commits, and nobody else's: what another did it learns as all do, by what became of the files. */
export function historyKey(device: DeviceState, request: HistoryRequest): HistoryKey {
  switch (request.rpc) {
    case 'PastVersions':
      return { kind: 'past-versions', ...request.body };
    case 'PastNames':
      return { kind: 'past-names', ...request.body };
    case 'OwnCommits':
      return { kind: 'own-commits', ...request.body, device: device.id };
    case 'NamedSnapshots':
      return { kind: 'named-snapshots', ...request.body };
  }
}

/** The reply with as much of the page as a message holds. */
export function historyReply(rpc: HistoryRequest['rpc'], page: RowOf<HistoryKind>): AnyReply {
  switch (rpc) {
    case 'PastVersions': {
      const { versions, more } = page as RowOf<'past-versions'>;
      const kept = fitting(versions, weightOfVersion);
      return { rpc, body: { versions: [...kept], more: more || kept.length < versions.length } };
    }
    case 'PastNames': {
      const { names, more } = page as RowOf<'past-names'>;
      const kept = fitting(names, weightOfPastName);
      return { rpc, body: { names: [...kept], more: more || kept.length < names.length } };
    }
    case 'NamedSnapshots':
      return { rpc, body: { snapshots: [...(page as RowOf<'named-snapshots'>)] } };
    case 'OwnCommits': {
      const { commits, more } = page as RowOf<'own-commits'>;
      const kept = fitting(commits, weightOfCommit);
      const copies = kept.map(({ names, vnodes, ...rest }) => {
        return { ...rest, names: [...names], vnodes: [...vnodes] };
      });
      return { rpc, body: { commits: copies, more: more || kept.length < commits.length } };
    }
  }
}

/** A moment: three numbers and a label. */
const MOMENT_BYTES = 300;

const weightOfVersion = ({ status }: PastVersion): number => weightOfStatus(status) + MOMENT_BYTES;

const weightOfPastName = ({ name, status }: PastName): number =>
  weightOfName(name) + weightOfStatus(status) + 2 * MOMENT_BYTES;

function weightOfCommit({ names, vnodes }: OwnCommit): number {
  let weight = MOMENT_BYTES;
  for (const { name } of names) weight += 2 * weightOfName(name);
  for (const { before, after } of vnodes) {
    weight += weightOfStatus(after) + (before === null ? 0 : weightOfStatus(before));
  }
  return weight;
}
