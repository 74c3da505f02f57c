/**
 * Checker: what is counted is what is there.
 *
 * At rest, of each volume at its head: every vnode has as many names as links (a directory one, the root none); every name is in a
 * directory that is there; a directory counts its entries; from each directory the way up ends at the root; the size of a file is
 * that of its contents, which are in the content store with their digest; the head is the number of commits, but for the leap with
 * which an epoch begins (rule I1); its use is the bytes of its files, each once, in the database and in memory; and of its quota
 * nothing is kept for an upload that is not under way.
 * Of each laptop: its status counts the updates and bytes that its database has unanswered; its cache counts files and bytes as
 * its rows do, and each row has its file, of that length.
 *
 * Allowed: a file that was never stored has no contents (W2), and nothing is stored for one that is empty.
 */
import type { ChangeSet } from '../../../../shared/model/change.ts';
import type { Fid, VolumeId } from '../../../../shared/model/fid.ts';
import { REVISION_INTERVAL } from '../../../../daemon/limits.ts';
import { rootOf } from '../../../../shared/model/fid.ts';
import type { AnyRow, StoredVnode, VolumePage } from '../../../../shared/model/stored.ts';
import { commitNumber, EMPTY_DIGEST } from '../../../../shared/model/vnode.ts';
import type { VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { VolumeState } from '../../../../server/core/volume-state.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { ServerNode } from '../cluster/server-node.ts';
import type { CheckerKind, Report } from './checker.ts';

const CONTENTS = '/data/contents';

export const accounting: CheckerKind = {
  name: 'what is counted is what is there',
  make: (report) => ({
    atRest: async (cluster) => {
      await cluster.pass(REVISION_INTERVAL);
      const { volumes } = cluster.server.inside;
      for (const { id: volume } of [...volumes]) {
        const whole = await loadVolume(cluster, volume);
        checkVolume(whole, report);
        checkContents(cluster.server, whole, report);
      }
      for (const volume of volumes) checkUploads(volume, report);
      for (const client of cluster.clients) if (client.running) checkLaptop(client, report);
    },
  }),
};

/** A volume at its head, as the database has it. */
export interface WholeVolume {
  readonly volume: VolumeId;
  /** As the server has it in memory, and how many commits the feed has. */
  readonly head: number;
  readonly commits: number;
  /** Bytes of its files, as counted in the database and in memory. */
  readonly used: { readonly kept: number; readonly known: number };
  readonly vnodes: VolumePage['vnodes'];
  /** What each directory counts. */
  readonly entries: ReadonlyMap<Fid, number>;
}

async function loadVolume(cluster: Cluster, volume: VolumeId): Promise<WholeVolume> {
  const { metaStore, inside } = cluster.server;
  const load = (keys: Parameters<typeof metaStore.load>[0]): Promise<readonly AnyRow[]> =>
    cluster.run(metaStore.load(keys), 'the rows of a volume');
  const head = inside.volumes.find(volume)?.head.committed ?? commitNumber(0);
  const at = commitNumber(Number.MAX_SAFE_INTEGER);
  const limit = Number.MAX_SAFE_INTEGER;
  const [page] = (await load([{ kind: 'snapshot', volume, at, after: null, limit }])) as [
    VolumePage,
  ];
  const directories = page.vnodes.filter(({ status }) => status.kind === 'directory');
  const fids = directories.map(({ status }) => status.fid);
  const rows = (await load(
    fids.map((fid) => ({ kind: 'vnode', fid })),
  )) as Array<StoredVnode | null>;
  const entries = new Map(fids.map((fid, i) => [fid, rows[i]?.entries ?? 0]));
  const commits = countOf(await cluster.run(cluster.server.history(volume)));
  const used = {
    kept: metaStore.usedBy(volume),
    known: inside.volumes.find(volume)?.quota.usedCommitted ?? 0,
  };
  return { volume, head, commits, used, vnodes: page.vnodes, entries };
}

/** Commits count from one; the server itself makes those from which they count on. */
function countOf(history: readonly ChangeSet[]): number {
  return history.reduce((count, { commit, device }) => (device === 0 ? commit : count + 1), 0);
}

/** Checks the counts of one volume against its rows, and reports what differs. */
export function checkVolume(whole: WholeVolume, report: Report): void {
  const { volume, head, commits, vnodes, entries, used } = whole;
  const bytes = vnodes.reduce((all, { status }) => all + bytesOf(status), 0);
  if (used.kept !== bytes || used.known !== bytes) {
    report(`volume ${volume} has ${bytes} bytes, counts ${used.kept}, and knows of ${used.known}`);
  }
  if (head !== commits) report(`volume ${volume} is at ${head}, and has ${commits} commits`);
  const statuses = new Map(vnodes.map(({ status }) => [status.fid, status]));
  const counted = new Map<Fid, number>();
  const above = new Map<Fid, Fid>();
  for (const { status, names } of vnodes) {
    const { fid, kind, links } = status;
    const isRoot = fid === rootOf(volume);
    if (names.length !== (isRoot ? 0 : links)) {
      report(`${fid} has ${names.length} names and counts ${links} links`);
    }
    for (const { dir, name } of names) {
      counted.set(dir, (counted.get(dir) ?? 0) + 1);
      if (kind === 'directory') above.set(fid, dir);
      if (statuses.get(dir)?.kind !== 'directory') report(`${dir}/${name} is in no directory`);
    }
  }
  for (const [fid, count] of entries) {
    const there = counted.get(fid) ?? 0;
    if (there !== count) report(`${fid} counts ${count} entries and has ${there}`);
    if (!reaches(rootOf(volume), fid, above)) report(`${fid} is not below the root`);
  }
}

/** Who holds some of it is on its way, and not decided. */
export function checkUploads({ name, quota }: VolumeState, report: Report): void {
  const { uploads } = quota;
  let held = 0;
  for (const upload of uploads.holders) {
    const { device, seq, stage } = upload;
    const bytes = uploads.heldBy(upload);
    held += bytes;
    const isUnderWay = device.updates.get(seq) === upload && stage !== 'decided';
    if (!isUnderWay) {
      report(
        `${name} keeps ${bytes} bytes for update ${seq} of device ${device.id}, which is over`,
      );
    }
  }
  if (held !== uploads.total) report(`${name} counts ${uploads.total} bytes kept, and has ${held}`);
}

function bytesOf({ kind, links, size }: VnodeStatus): number {
  return kind === 'file' && links > 0 ? size : 0;
}

function reaches(root: Fid, fid: Fid, above: ReadonlyMap<Fid, Fid>): boolean {
  let at: Fid | undefined = fid;
  for (let steps = 0; at !== undefined && steps <= above.size; steps++) {
    if (at === root) return true;
    at = above.get(at);
  }
  return false;
}

function checkContents({ disk }: ServerNode, { vnodes }: WholeVolume, report: Report): void {
  for (const { status } of vnodes) {
    const { fid, digest, size } = status;
    if (digest === null || digest === EMPTY_DIGEST) continue;
    const path = `${CONTENTS}/${digest}`;
    if (!disk.has(path)) report(`the contents of ${described(status)} are not in the store`);
    else if (disk.size(path) !== size || disk.digest(path) !== digest) {
      report(`the contents of ${fid} are ${disk.size(path)} other bytes than its ${size}`);
    }
  }
}

function described({ fid, version, digest }: VnodeStatus): string {
  return `${fid} version ${version} (${digest?.slice(0, 12) ?? 'none'})`;
}

function checkLaptop(client: ClientNode, report: Report): void {
  const { queues, cache } = client.status;
  const waiting = { metadata: 0, data: 0, bytes: 0 };
  for (const { update, answer } of client.clientStore.rows('update').values()) {
    if (answer !== null) continue;
    waiting[update.op === 'store' ? 'data' : 'metadata'] += 1;
    if (update.op === 'store') waiting.bytes += update.size;
  }
  const shown = {
    metadata: queues.metadata.updates,
    data: queues.data.updates,
    bytes: queues.data.bytes,
  };
  compare(`${client.name}'s queues`, waiting, shown, report);
  const rows = [...client.clientStore.rows('content')];
  const bytes = rows.reduce((all, [, { size }]) => all + size, 0);
  const kept = { files: rows.length, bytes };
  compare(`${client.name}'s cache`, kept, { files: cache.files, bytes: cache.bytes }, report);
  for (const [name, { size }] of rows) {
    const path = `/store/contents/${name}`;
    const length = client.disk.has(path) ? client.disk.size(path) : null;
    if (length !== size) {
      report(
        `${client.name} has a row of ${size} bytes for ${name}, and the file has ${length ?? 'gone'}`,
      );
    }
  }
}

function compare(what: string, there: object, shown: object, report: Report): void {
  const [one, other] = [JSON.stringify(there), JSON.stringify(shown)];
  if (one !== other) report(`${what} hold ${one}, and its status says ${other}`);
}
