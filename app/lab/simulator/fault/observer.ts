/**
 * A front end that tells what has already happened on a disk: names made, moved, linked and removed there, made over what the
 * laptop's replica showed. The server decides (file-system port, contract 7); nobody is asked before.
 */
import { rootOf } from '../../../../shared/model/fid.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { DataVersion, Digest } from '../../../../shared/model/vnode.ts';
import type { FileSystem, Place } from '../../../../shared/ports/file-system.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Observe } from '../check/observation.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { FaultFamily } from './fault.ts';

/** What was seen at a place. */
interface Seen {
  readonly place: Place;
  readonly fid: Fid;
  readonly isFolder: boolean;
  readonly base: DataVersion;
  readonly digest: Digest | null;
}

const MODE = 0o644;

export const observer: FaultFamily = {
  name: 'observer',
  weight: 2,
  draw: (random, { laptops }) => ({
    family: 'observer',
    laptop: random.below(laptops.length),
    seed: random.below(1_000_000),
    lastsMs: 0,
  }),
  begin: (event, target) => {
    const { cluster } = target;
    const client = target.laptop(Number(event['laptop']));
    if (!client.running || client.machine.asleep || client.frontEnd === 'none') return null;
    const random = new SeededRandom(`observer ${String(event['seed'])}`);
    tell(client, random, cluster.hear)
      .then(() => 'told')
      .catch((error: unknown) => {
        if (error instanceof GodwitError) return error.code;
        cluster.world.fault(error);
        return 'failed';
      })
      .then((how) => cluster.world.note(`${client.name} observer: ${how}`))
      .catch((error: unknown) => cluster.world.fault(error));
    return null;
  },
};

async function tell(client: ClientNode, random: SeededRandom, hear: Observe): Promise<unknown> {
  const { fileSystem } = client.daemon;
  const seen = everythingIn(client);
  const [one, other] = [pick(random, seen), pick(random, seen)];
  const name = `seen ${random.below(5)}`;
  const folder = seen.filter(({ isFolder }) => isFolder).map(({ fid }) => fid);
  const dir = random.pick([rootOf(client.volume), ...folder]);
  switch (random.pick(['make', 'remove', 'rename', 'rename', 'link', 'open'])) {
    case 'make':
      return make(
        fileSystem,
        random,
        one === null || random.chance(0.5) ? { dir, name } : one.place,
      );
    case 'remove':
      return one === null ? null : remove(fileSystem, one);
    case 'rename':
      return one === null
        ? null
        : rename(fileSystem, one, random.chance(0.5) ? other : null, {
            dir: isBeneath(client, dir, one.fid) ? one.place.dir : dir,
            name,
          });
    case 'link':
      if (one === null || one.isFolder) return null;
      return fileSystem.link(
        one.fid,
        { dir, name },
        { observed: { fid: one.fid, base: one.base, digest: one.digest } },
      );
    default:
      return one === null || one.isFolder ? null : open(client, random, one, hear);
  }
}

/** Every name that the replica shows. */
function everythingIn({ replica }: ClientNode): Seen[] {
  const found: Seen[] = [];
  for (const [dir, entries] of replica.entries) {
    for (const [name, fid] of entries) {
      const status = replica.vnodes.get(fid)?.status;
      if (status === undefined) continue;
      const isFolder = status.kind === 'directory';
      const { version: base, digest } = status;
      found.push({ place: { dir, name }, fid, isFolder, base, digest });
    }
  }
  return found;
}

/** No disk has a folder inside itself. */
function isBeneath({ replica }: ClientNode, dir: Fid, folder: Fid): boolean {
  const above = new Set<Fid>();
  for (let at: Fid | undefined = dir; at !== undefined && !above.has(at);) {
    if (at === folder) return true;
    above.add(at);
    const inside: Fid = at;
    at = [...replica.entries].find(([, names]) => [...names.values()].includes(inside))?.[0];
  }
  return false;
}

function pick(random: SeededRandom, seen: readonly Seen[]): Seen | null {
  return seen.length === 0 ? null : random.pick(seen);
}

function make(
  fileSystem: FileSystem,
  random: SeededRandom,
  { dir, name }: Place,
): Promise<unknown> {
  const options = { mode: MODE, observed: true };
  const op = random.pick(['mkdir', 'symlink'] as const);
  return op === 'mkdir'
    ? fileSystem.mkdir(dir, name, options)
    : fileSystem.symlink(dir, name, 'seen', { observed: true });
}

function remove(
  fileSystem: FileSystem,
  { place, fid, base, digest, isFolder }: Seen,
): Promise<void> {
  const observed = { fid, base, digest };
  return isFolder ? fileSystem.rmdir(place, { observed }) : fileSystem.remove(place, { observed });
}

function rename(
  fileSystem: FileSystem,
  from: Seen,
  over: Seen | null,
  elsewhere: Place,
): Promise<void> {
  const fits = over !== null && !over.isFolder && !from.isFolder && over.fid !== from.fid;
  const observed = fits ? { fid: over.fid, base: over.base, digest: over.digest } : null;
  const to = fits ? over.place : elsewhere;
  return fileSystem.rename(from.place, to, { moved: from.fid, observed });
}

/** Writes over what it saw, as a whole or a part of it; or thinks better of it. */
async function open(
  client: ClientNode,
  random: SeededRandom,
  { fid, place, base, digest }: Seen,
  hear: Observe,
): Promise<void> {
  const { disk, name } = client;
  const { fileSystem } = client.daemon;
  const truncate = random.chance(0.5);
  // As a folder does: what is short it brings as bytes.
  const how = { mode: 'write', truncate, bare: truncate, base, digest, place } as const;
  const { handle, path } = await fileSystem.open(fid, how);
  if (random.chance(0.4)) return fileSystem.abandon(handle);
  const bytes = new TextEncoder().encode(`seen by ${name} ${random.hex(8)}`);
  try {
    if (!truncate) disk.write(path, bytes);
  } catch {
    return fileSystem.abandon(handle);
  }
  hear({ kind: 'overwrote', client, digest });
  try {
    await fileSystem.close(handle, truncate ? { bytes } : {});
  } catch (error) {
    await fileSystem.abandon(handle);
    throw error;
  }
}
