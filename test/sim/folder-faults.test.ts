/** What befalls the machines of the folder's world: disks that fail and mounts that go are survived, and a folder that can't tell a mount is noticed. */
import { describe, expect, it } from '@jest/globals';
import type { Disk } from '../../daemon/adapters/folder/disk/disk.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type {
  FolderEntry,
  FolderFault,
  FolderPlan,
  FolderSettings,
} from '../../app/lab/simulator/folder/folder-plan.ts';
import { makeFolderPlan } from '../../app/lab/simulator/folder/make-folder-plan.ts';
import { runFolderPlan } from '../../app/lab/simulator/folder/run-folder-plan.ts';
import { SimulatedUserDisk } from '../../app/lab/simulator/folder/simulated-user-disk.ts';
import type { DaemonProcess } from '../../app/lab/simulator/folder/user-disk.ts';
import type { World } from '../../app/lab/simulator/world.ts';

const SETTINGS: FolderSettings = {
  ...{ laptops: 2, diskMs: 2, paceMs: 10, betweenChance: 0, networkMs: 10, fileSystem: 'ext4' },
  ...{ watches: {}, isLong: false, cacheBytes: null, innerDisks: ['ext4', null] },
};
const PROGRAMS = ['extract', 'atomic', 'vim', 'appends', 'copies', 'moves', 'removes', 'checkout'];
const FAULT_AT = 20_000;
const END_AT = 60_000;

/** Programs, then a fault among others, then a flush. */
function planOf(fault: FolderFault, programs = PROGRAMS): FolderPlan {
  const program = (at: number, index: number): FolderEntry => {
    const kind = { kind: 'program' as const, program: programs[index % programs.length] ?? '' };
    return { at, laptop: index % 2, ...kind, seed: index };
  };
  const entries: FolderEntry[] = [
    ...Array.from({ length: 24 }, (_, index) => program(index * 500, index)),
    { at: FAULT_AT, laptop: 0, kind: 'fault', ...fault },
    ...Array.from({ length: 12 }, (_, index) => program(FAULT_AT + 500 + index * 500, index + 100)),
    ...[0, 1].map((laptop) => ({ at: END_AT, laptop, kind: 'flush' as const })),
  ];
  return { seed: 1, settings: SETTINGS, entries };
}

const lastsMs = 20_000;
const every = { pick: 0, calls: null, chance: 1 };
const FAULTS: readonly FolderFault[] = [
  { do: 'disk', what: { kind: 'refused', code: 'EIO', ...every }, lastsMs },
  { do: 'disk', what: { kind: 'refused', code: 'EACCES', ...every, calls: ['list'] }, lastsMs },
  { do: 'disk', what: { kind: 'refused', code: 'EIO', ...every, calls: ['rename'] }, lastsMs },
  { do: 'disk', what: { kind: 'full', free: 0 }, lastsMs },
  { do: 'disk', what: { kind: 'inode-full', free: 0 }, lastsMs },
  { do: 'disk', what: { kind: 'quota', free: 1 }, lastsMs },
  { do: 'disk', what: { kind: 'read-only' }, lastsMs },
  { do: 'error-at-call', calls: 30, code: 'EIO', times: 20 },
  { do: 'mount', what: 'away', where: 'inner', lastsMs },
  { do: 'mount', what: 'dead', where: 'inner', lastsMs },
  { do: 'mount', what: 'covered', where: 'inner', lastsMs },
  { do: 'mount', what: 'slow', where: 'inner', lastsMs },
  { do: 'mount', what: 'away', where: 'disk', lastsMs },
  { do: 'mount', what: 'dead', where: 'disk', lastsMs },
  { do: 'mount', what: 'covered', where: 'folder', lastsMs },
  { do: 'mount', what: 'replaced', where: 'folder', lastsMs },
  { do: 'wall', byMs: -86_400_000 },
  { do: 'sleep', answer: 'none', lastsMs },
  { do: 'records-lost', downMs: 2000 },
  { do: 'rights', rights: 'read', lastsMs },
  { do: 'rights', rights: null, lastsMs },
  { do: 'restored', lastsMs },
];

describe('a history of programs, with a fault of a machine', () => {
  it.each(FAULTS.map((fault) => [JSON.stringify(fault), fault] as const))(
    'produces no finding: %s',
    async (_, fault) => {
      const { findings } = await runFolderPlan(planOf(fault));
      expect(findings).toEqual([]);
    },
  );

  it('is in the plans that are drawn', () => {
    const drawn = new Set<string>();
    for (let seed = 1; seed <= 60; seed++) {
      for (const entry of makeFolderPlan({ seed, steps: 60 }).entries) {
        if (entry.kind === 'fault') drawn.add(entry.do);
        if (entry.kind === 'program') drawn.add(entry.program);
      }
    }
    const wanted = ['disk', 'error-at-call', 'foreign-files', 'locks-up', 'mount', 'sleep', 'wall'];
    expect([...drawn]).toEqual(expect.arrayContaining(wanted));
  });
});

/** A laptop that can't tell what is mounted in its folder: neither from the system nor by the numbers of devices. */
function withoutMounts(client: ClientNode, world: World, settings: FolderSettings) {
  const made = new SimulatedUserDisk({
    ...{ clock: client.clock, time: client.machine, ...settings },
    innerDisk: settings.innerDisks?.[0] ?? null,
    lacks: null,
    random: world.random.fork(`disk of ${client.name}`),
  });
  made.disks.read = () => [];
  const begin = (isAlive: () => boolean): DaemonProcess =>
    SimulatedUserDisk.prototype.daemon.call(made, isAlive);
  made.daemon = (isAlive) => {
    const process = begin(isAlive);
    const { disk } = process;
    const blind: Pick<Disk, 'status' | 'statusBehind' | 'statusOf'> = {
      status: (path) => onOneDevice(disk.status(path)),
      statusBehind: (path) => onOneDevice(disk.statusBehind(path)),
      statusOf: (handle) => ({ ...disk.statusOf(handle), dev: 1n }),
    };
    return { ...process, disk: { ...disk, ...blind } };
  };
  return made;
}

function onOneDevice<T extends object | null>(status: T): T {
  return status === null ? status : { ...status, dev: 1n };
}

it('a folder that takes a disk that is away for removed files is noticed', async () => {
  const plan = planOf({ do: 'mount', what: 'away', where: 'inner', lastsMs }, ['atomic']);
  const { findings } = await runFolderPlan(plan, { makeDisk: withoutMounts });
  expect(findings.map(({ checker }) => checker)).toContain('what is out of sight is not removed');
});
