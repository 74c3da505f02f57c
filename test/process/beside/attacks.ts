/**
 * What one paired device may do to the others: as much as it can of one thing, so many at a time.
 *
 * Each is within what the server lets a device ask, but for `headers`, which no schema has room for.
 */
import { Packr } from 'msgpackr';
import type { Fid } from '../../../shared/model/fid.ts';
import { encodeRequest } from '../../../shared/wire/codec.ts';
import { MAX_BATCH_UPDATES, MAX_FIDS, MAX_PAGE_COMMITS } from '../../../shared/wire/limits.ts';
import { RPCS, type RequestOf, type RpcName } from '../../../shared/wire/rpcs.ts';
import type { Peer } from './peer.ts';

/** Sends one message. Resolves when it is answered. */
type Shot = () => Promise<unknown>;

export interface Attack {
  readonly name: string;
  /** The number of messages at a time. */
  readonly atOnce: number;
  /** Whether the process is stopped a moment after its start, so that it takes no more answers. */
  readonly isStopped?: boolean;
  /** Whether it runs in the server's class of the scheduler, where others run below it: a busy server takes as much from the rest of the machine. */
  readonly isAsServer?: boolean;
  readonly prepare: (peer: Peer, files: readonly Fid[]) => Shot | Promise<Shot>;
}

const KEYS = 65_000;
const BUSY_MS = 5;

/** Sends nothing to the server and keeps a core busy. */
const BUSY: Pick<Attack, 'atOnce' | 'prepare'> = {
  atOnce: 1,
  prepare: () => async () => {
    const until = performance.now() + BUSY_MS;
    while (performance.now() < until);
    await new Promise((resolve) => setImmediate(resolve));
  },
};

export const ATTACKS: readonly Attack[] = [
  // These show the effect of the machine alone, and what a server that is busy all the time takes from the kernel's own threads.
  { name: 'machine', ...BUSY },
  { name: 'core', isAsServer: true, ...BUSY },
  {
    name: 'headers',
    atOnce: 16,
    prepare: (peer) => {
      const keys = Array.from({ length: KEYS }, (_, key) => [`k${key.toString(36)}`, 0]);
      const packr = new Packr({ useRecords: false, mapsAsObjects: true });
      const header = packr.pack([RPCS.GetTime.ordinal, Object.fromEntries(keys)]);
      return () => peer.send(header);
    },
  },
  {
    name: 'apply',
    atOnce: 16,
    prepare: async (peer) => {
      let made = 0;
      const tag = Math.random().toString(36).slice(2);
      const dir = await peer.directory(`made ${tag}`);
      return () =>
        peer.create(
          dir,
          Array.from({ length: MAX_BATCH_UPDATES }, () => `f${made++}`),
        );
    },
  },
  {
    name: 'statuses',
    atOnce: 64,
    prepare: (peer, files) => asks(peer, 'FetchStatus', { fids: files.slice(0, MAX_FIDS) }),
  },
  {
    name: 'snapshot',
    atOnce: 64,
    prepare: (peer) => asks(peer, 'Snapshot', snapshotOf(peer)),
  },
  {
    name: 'changes',
    atOnce: 64,
    prepare: (peer) => {
      const body = { volume: peer.volume, since: 0, limit: MAX_PAGE_COMMITS, wait: false };
      return asks(peer, 'Changes', { ...body, promise: true } as RequestOf<'Changes'>);
    },
  },
  {
    name: 'times',
    atOnce: 512,
    prepare: (peer) => asks(peer, 'GetTime', {}),
  },
  {
    name: 'unread',
    atOnce: 512,
    isStopped: true,
    prepare: (peer) => asks(peer, 'Snapshot', snapshotOf(peer)),
  },
];

function snapshotOf({ volume }: Peer): RequestOf<'Snapshot'> {
  return { volume, at: null, after: null, limit: MAX_PAGE_COMMITS };
}

/** A shot that always sends the same message. It is made once, so that the attacker itself has little work. */
function asks<N extends RpcName>(peer: Peer, rpc: N, body: RequestOf<N>): Shot {
  const header = encodeRequest(rpc, body);
  return () => peer.send(header, RPCS[rpc].priorityClass);
}
