/**
 * A second front end at the feed of a laptop: walks the volume, asks for commits from before, for contents old and new, for what is
 * pending; and mostly goes away before it is answered. It puts nothing in place, so nothing may follow from it.
 */
import { rootOf } from '../../../../shared/model/fid.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import { milliseconds } from '../../../../shared/model/time.ts';
import { commitNumber, dataVersion } from '../../../../shared/model/vnode.ts';
import type { CommitNumber, VnodeStatus } from '../../../../shared/model/vnode.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { FaultFamily } from './fault.ts';

const PATIENCE_MS = [10, 200, 2_000, 20_000];
/** Several that want the same contents at once. */
const READERS = 3;
const LONGEST_WALK = 50;

export const follower: FaultFamily = {
  name: 'follower',
  weight: 2,
  draw: (random, { laptops }) => ({
    family: 'follower',
    laptop: random.below(laptops.length),
    seed: random.below(1_000_000),
    lastsMs: 0,
  }),
  begin: (event, target) => {
    const client = target.laptop(Number(event['laptop']));
    if (!client.running || client.machine.asleep) return null;
    const note = (how: string): void =>
      target.cluster.world.note(`${client.name} follower: ${how}`);
    ask(client, new SeededRandom(`follower ${String(event['seed'])}`))
      .then(() => 'answered')
      .catch((error: unknown) => {
        if (error instanceof GodwitError && error.code !== 'internal') return error.code;
        target.cluster.world.fault(error);
        return 'failed';
      })
      .then(note)
      .catch((error: unknown) => target.cluster.world.fault(error));
    return null;
  },
};

async function ask(client: ClientNode, random: SeededRandom): Promise<void> {
  const stop = new AbortController();
  const patience = milliseconds(random.below(random.pick(PATIENCE_MS)));
  const gone = client.daemon.timers.start(patience, () =>
    stop.abort(new GodwitError('timed-out', 'it went away')),
  );
  const asks = [commits, walk, walkFromTheMiddle, contents, contents, present, pending];
  try {
    await random.pick(asks)(client, random, stop.signal);
  } finally {
    gone.cancel();
  }
}

type Ask = (client: ClientNode, random: SeededRandom, signal: AbortSignal) => Promise<unknown>;

const commits: Ask = (client, random, signal) =>
  client.daemon.feed.changes(client.volume, someCommit(client, random), signal);

const walk: Ask = (client, _, signal) => walkOn(client, null, signal);

/** From a commit that the server may not keep any more. */
const walkFromTheMiddle: Ask = (client, random, signal) =>
  walkOn(client, { at: someCommit(client, random), after: someFid(client, random) }, signal);

async function walkOn(
  { daemon, volume }: ClientNode,
  from: { at: CommitNumber; after: Fid } | null,
  signal: AbortSignal,
): Promise<void> {
  let position = from;
  for (let pages = 0; pages < LONGEST_WALK; pages++) {
    const page = await daemon.feed.snapshot(volume, position, signal);
    const last = page.vnodes.at(-1);
    if (!page.more || last === undefined) return;
    position = { at: page.at, after: last.status.fid };
  }
}

const contents: Ask = async (client, random, signal) => {
  const files = known(client).filter(({ kind, digest }) => kind === 'file' && digest !== null);
  if (files.length === 0) return;
  const { fid, version, digest } = random.pick(files);
  if (digest === null) return;
  const wanted = dataVersion(Math.max(1, version - random.pick([0, 0, 0, 1])));
  const readers = Array.from({ length: random.pick([1, READERS]) }, async () => {
    const { path } = await client.daemon.feed.obtain(fid, wanted, digest, signal);
    client.disk.remove(path);
  });
  const ends = await Promise.allSettled(readers);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
};

const present: Ask = (client, random, signal) =>
  client.daemon.feed.present(someFid(client, random), signal);

const pending: Ask = ({ daemon, volume, replica }) => {
  for (const [dir, entries] of replica.entries) {
    for (const [name, fid] of entries) {
      daemon.feed.pendingEntry(dir, name);
      daemon.feed.pendingVnode(fid);
    }
  }
  daemon.feed.adjustments(volume);
  return Promise.resolve();
};

/** What the daemon has in its cache. */
function known({ daemon, volume }: ClientNode): VnodeStatus[] {
  return [...daemon.inside.names.attributes.all()].filter(({ fid }) =>
    fid.startsWith(`${volume}.`),
  );
}

function someFid(client: ClientNode, random: SeededRandom): Fid {
  return random.pick([rootOf(client.volume), ...known(client).map(({ fid }) => fid)]);
}

function someCommit({ daemon, volume }: ClientNode, random: SeededRandom): CommitNumber {
  const head = daemon.inside.names.volumes.get(volume)?.head ?? 0;
  return commitNumber(random.pick([0, Math.max(0, head - random.below(20)), head]));
}
