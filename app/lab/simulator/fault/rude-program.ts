/**
 * A program that asks for what can't be: names that are none, folders that are files, handles that are closed, vnodes of
 * nobody; and that goes on with a file before its close has returned. Each call must be answered, or refused with a code.
 */
import { makeFid, rootOf } from '../../../../shared/model/fid.ts';
import type { Fid, VolumeId } from '../../../../shared/model/fid.ts';
import { dataVersion } from '../../../../shared/model/vnode.ts';
import type { FileSystem } from '../../../../shared/ports/file-system.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { FaultFamily } from './fault.ts';

const MODE = 0o644;
const FIRST = dataVersion(0);

/** What there is to be rude about. */
interface Things {
  readonly fileSystem: FileSystem;
  readonly root: Fid;
  readonly file: Fid;
  readonly folder: Fid;
  /** The names of the two, in the root. */
  readonly names: { readonly file: string; readonly folder: string };
}

export const rudeProgram: FaultFamily = {
  name: 'rude',
  weight: 1,
  draw: (random, { laptops }) => ({
    family: 'rude',
    laptop: random.below(laptops.length),
    seed: random.below(1_000_000),
    lastsMs: 0,
  }),
  begin: (event, target) => {
    const client = target.laptop(Number(event['laptop']));
    if (!client.running || client.machine.asleep) return null;
    const { world } = target.cluster;
    askForAll(client, new SeededRandom(`rude ${String(event['seed'])}`)).catch((error: unknown) => {
      if (error instanceof GodwitError) world.note(`${client.name} rude: ${error.code}`);
      else world.fault(error);
    });
    return null;
  },
};

async function askForAll(client: ClientNode, random: SeededRandom): Promise<void> {
  const { fileSystem } = client.daemon;
  const root = rootOf(client.volume);
  const names = { file: `rude ${random.hex(4)}`, folder: `rude ${random.hex(4)}` };
  const file = (await fileSystem.create(root, names.file, { mode: MODE })).fid;
  const folder = (await fileSystem.mkdir(root, names.folder, { mode: MODE })).fid;
  const things = { fileSystem, root, file, folder, names };
  const calls = [
    ...badNames(things),
    ...wrongKinds(things),
    ...nobodys(things),
    ...handles(things),
  ];
  for (const call of random.shuffled(calls)) await refusedOrDone(call);
  await beforeTheClose(things, random);
}

type Ask = () => Promise<unknown>;

async function refusedOrDone(ask: Ask): Promise<void> {
  try {
    await ask();
  } catch (error) {
    if (!(error instanceof GodwitError) || error.code === 'internal') throw error;
  }
}

function badNames({ fileSystem, root, file, names }: Things): Ask[] {
  const place = { dir: root, name: names.file };
  return ['', '.', '..', 'a/b', 'a\0b', 'x'.repeat(300)].flatMap((name) => [
    () => fileSystem.lookup(root, name),
    () => fileSystem.create(root, name, { mode: MODE }),
    () => fileSystem.remove({ dir: root, name }),
    () => fileSystem.rename(place, { dir: root, name }),
    () => fileSystem.link(file, { dir: root, name }),
  ]);
}

function wrongKinds({ fileSystem, root, file, folder, names }: Things): Ask[] {
  const [filePlace, folderPlace] = [names.file, names.folder].map((name) => ({ dir: root, name }));
  if (filePlace === undefined || folderPlace === undefined) return [];
  return [
    () => fileSystem.remove(folderPlace),
    () => fileSystem.rmdir(filePlace),
    () => fileSystem.rename(filePlace, folderPlace),
    () => fileSystem.rename(folderPlace, filePlace),
    () => fileSystem.rename(folderPlace, { dir: folder, name: 'itself' }),
    () => fileSystem.link(folder, { dir: root, name: 'linked' }),
    () => fileSystem.readdir(file),
    () => fileSystem.lookup(file, 'x'),
    () => fileSystem.create(file, 'x', { mode: MODE }),
    () => fileSystem.open(folder, { mode: 'read' }),
    () => fileSystem.setattr(file, {}),
  ];
}

function nobodys({ fileSystem, root, file }: Things): Ask[] {
  const volume = 999 as VolumeId;
  const [nowhere, foreign] = [makeFid(1, 999_999, 9), makeFid(volume, 1, 1)];
  return [nowhere, foreign].flatMap((fid): Ask[] => [
    () => fileSystem.getattr(fid),
    () => fileSystem.lookup(fid, 'x'),
    () => fileSystem.readdir(fid),
    () => fileSystem.open(fid, { mode: 'read' }),
    () => fileSystem.open(fid, { mode: 'write', truncate: true }),
    () => fileSystem.setattr(fid, { mode: MODE }),
    () => fileSystem.create(fid, 'x', { mode: MODE }),
    // What was seen in a folder that is gone is kept elsewhere, so only of a volume that is nobody's.
    () => fileSystem.create(foreign, 'x', { mode: MODE, observed: true }),
    () => fileSystem.link(file, { dir: fid, name: 'x' }),
    () => fileSystem.rename({ dir: fid, name: 'x' }, { dir: root, name: 'x' }),
    () => fileSystem.flush(volume, 10),
    () => fileSystem.remove({ dir: root, name: 'x' }, { observed: { fid: foreign, base: FIRST } }),
    () =>
      fileSystem.rename({ dir: foreign, name: 'x' }, { dir: root, name: 'x' }, { observed: null }),
    () => fileSystem.open(foreign, { mode: 'write', truncate: true, base: FIRST }),
  ]);
}

function handles({ fileSystem, file }: Things): Ask[] {
  return [
    () => fileSystem.close(999_999, null),
    () => fileSystem.abandon(999_999),
    async () => {
      const { handle } = await fileSystem.open(file, { mode: 'write', truncate: true });
      await fileSystem.abandon(handle);
      await fileSystem.close(handle, {});
    },
    async () => {
      const { handle } = await fileSystem.open(file, { mode: 'read' });
      await refusedOrDone(() => fileSystem.close(handle, {}));
      await fileSystem.close(handle, null);
    },
  ];
}

/** Goes on with a file of its own while that is being closed, and ends it. */
async function beforeTheClose(
  { fileSystem, root, file, names }: Things,
  random: SeededRandom,
): Promise<void> {
  const { handle } = await fileSystem.open(file, { mode: 'write', truncate: true });
  const place = { dir: root, name: names.file };
  const moved = { dir: root, name: `${names.file} moved` };
  const next = random.pick<Ask>([
    () => fileSystem.setattr(file, { mode: 0o600 }),
    () => fileSystem.link(file, moved),
    () => fileSystem.rename(place, moved),
    () => fileSystem.remove(place),
    () => fileSystem.rename(place, moved, { moved: file }),
    () => fileSystem.remove(place, { observed: { fid: file, base: dataVersion(1) } }),
  ]);
  const closing = fileSystem.close(handle, {});
  const twice = fileSystem.close(handle, {});
  await Promise.all([closing, twice, next()].map((asked) => refusedOrDone(() => asked)));
  // Where the disk failed it is open still.
  await refusedOrDone(() => fileSystem.abandon(handle));
  for (const end of [place, moved]) await refusedOrDone(() => fileSystem.remove(end));
  await refusedOrDone(() => fileSystem.rmdir({ dir: root, name: names.folder }));
}
