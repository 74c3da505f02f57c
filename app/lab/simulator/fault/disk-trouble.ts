/** Disks that are full, fail, rot or take seconds, for a while. What holds a database lies on the same disk. */
import type { EndFault, FaultFamily, FaultTarget } from './fault.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { seconds } from '../../../../shared/model/time.ts';
import { goodOf } from '../disk/bit-rot.ts';
import { digestOf } from '../disk/content-digest.ts';
import type { DiskCall } from '../disk/memory-disk.ts';
import { drawMachine, machineOf } from './machine.ts';
import type { Machine } from './machine.ts';

const LONGEST_MS = 60_000;
const MOST_ROOM = 5_000;
const SLOWEST_MS = 5_000;
const MANY = 1_000_000;
const LONGEST_READ = seconds(30);

export const full: FaultFamily = {
  name: 'full',
  weight: 2,
  // A laptop that can't say Hello tells why.
  programsMeet: ['disk-full', 'server-full'],
  draw: (random, settings) => ({
    family: 'full',
    machine: drawMachine(random, settings),
    room: random.pick([0, random.below(MOST_ROOM)]),
    lastsMs: 1 + random.below(LONGEST_MS),
  }),
  begin: (event, target) => {
    const machine = machineOf(target, event);
    let room = Number(event['room']);
    const endDisk = machine.node.disk.troubles.add((call, _, growth) => {
      if (call !== 'write' || growth <= 0) return null;
      if (growth > room) return 'ENOSPC';
      room -= growth;
      return null;
    });
    const endDatabase = fullDatabase(machine, () => room <= 0);
    return together(endDisk, endDatabase);
  },
};

function fullDatabase({ is, node }: Machine, isFull: () => boolean): () => void {
  if (is === 'laptop') {
    return node.clientStore.troubles.add((method) =>
      method === 'commit' && isFull() ? new GodwitError('disk-full') : null,
    );
  }
  return node.metaStore.troubles.add((method) =>
    method === 'commit' && isFull() ? new GodwitError('server-full') : null,
  );
}

export const readError: FaultFamily = {
  name: 'read-error',
  weight: 2,
  // What is received and can't be written is taken for a full disk.
  programsMeet: ['disk-failing', 'disk-full', 'damaged-contents'],
  draw: (random, settings) => ({
    family: 'read-error',
    machine: drawMachine(random, settings),
    // Any file, or one of those that are there.
    file: random.chance(0.5) ? -1 : random.below(MANY),
    call: random.pick(['read', 'read', 'read', 'write', 'sync']),
    lastsMs: 1 + random.below(random.pick([LONGEST_MS, 100 * LONGEST_MS])),
  }),
  begin: (event, target) => {
    const { is, node } = machineOf(target, event);
    const wanted = event['call'] as DiskCall;
    const file = Number(event['file']);
    const paths = contentsOf({ is, node } as Machine);
    const path = file < 0 ? null : paths[file % paths.length];
    if (path === undefined) return null;
    return node.disk.troubles.add((call, at) =>
      call === wanted && (path === null || at === path) ? 'EIO' : null,
    );
  },
};

export const bitRot: FaultFamily = {
  name: 'bit-rot',
  weight: 2,
  programsMeet: ['damaged-contents'],
  draw: (random, settings) => ({
    family: 'bit-rot',
    machine: drawMachine(random, settings),
    file: random.below(MANY),
    bit: random.below(MANY),
    // Then somebody puts the good one back.
    lastsMs: 1 + random.below(LONGEST_MS),
  }),
  begin: async (event, target) => {
    const machine = machineOf(target, event);
    const paths = contentsOf(machine);
    const path = paths[Number(event['file']) % paths.length];
    // A disk that says itself that it fails is another fault.
    if (path === undefined || machine.node.disk.troubles.any) return null;
    // A laptop looks at what was there before it started: bits turn in months, not under an open file.
    const restarts = machine.is === 'laptop' && machine.node.running;
    if (restarts) target.kill(machine.node, 'killed');
    const heal = rot(target, machine, path, Number(event['bit']));
    if (restarts) await target.start(machine.node);
    return async () => {
      // A concurrent reader may find it damaged meanwhile, and move it aside.
      await target.cluster.pass(LONGEST_READ);
      heal();
    };
  },
};

/** Gives how somebody puts it right: here, and on the disks that this one was copied to meanwhile. */
function rot(
  { cluster }: FaultTarget,
  { is, node: { disk } }: Machine,
  path: string,
  bit: number,
): () => void {
  // Bits may have turned in it before.
  const good = goodOf(disk.read(path));
  // On the server the name of a content is its digest.
  const wasGood = is === 'server' && path.endsWith(digestOf(good));
  const happened = disk.rot(path, bit);
  if (is === 'server' && happened !== null) cluster.hear({ kind: 'rotted' });
  return () => {
    if (happened === null) return;
    const disks = is === 'laptop' ? cluster.clients.map((client) => client.disk) : [disk];
    for (const each of disks) each.heal(path, happened);
    // It was put aside, and there is a good one in a backup.
    if (wasGood && !disk.has(path)) disk.putByHand(path, good);
  };
}

export const slowDisk: FaultFamily = {
  name: 'slow-disk',
  weight: 2,
  draw: (random, settings) => ({
    family: 'slow-disk',
    machine: drawMachine(random, settings),
    what: random.pick(['disk', 'database', 'both']),
    mostMs: 1 + random.below(SLOWEST_MS),
    lastsMs: 1 + random.below(LONGEST_MS),
  }),
  begin: (event, target) => {
    const { paces } = machineOf(target, event).node;
    const { what } = event;
    const mostMs = Number(event['mostMs']);
    const slow = [
      ...(what === 'database' ? [] : [paces.disk]),
      ...(what === 'disk' ? [] : [paces.database]),
      ...(what === 'disk' || !('records' in paces) ? [] : [paces.records]),
    ];
    for (const pace of slow) pace.extraMs += mostMs;
    return () => {
      for (const pace of slow) pace.extraMs -= mostMs;
    };
  },
};

/** Contents that lie on a disk, in order. */
function contentsOf({ is, node }: Machine): string[] {
  return node.disk.list(is === 'laptop' ? '/store/contents' : '/data/contents');
}

function together(...ends: Array<() => void>): EndFault {
  return () => {
    for (const end of ends) end();
  };
}
