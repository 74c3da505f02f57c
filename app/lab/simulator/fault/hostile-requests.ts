/** Requests that no honest laptop sends: of every kind, in any order, of what it may not see, and of what is no message. */
import { rootOf } from '../../../../shared/model/fid.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { encodeReply, encodeRequest } from '../../../../shared/wire/codec.ts';
import type { RpcName } from '../../../../shared/wire/rpcs.ts';
import { digestOf } from '../disk/content-digest.ts';
import type { HostileKnowledge } from './hostile-knowledge.ts';
import { drawApply, drawStore } from './hostile-updates.ts';

export interface HostileRequest {
  /** What a good answer is read as; null: there is none. */
  readonly rpc: RpcName | null;
  readonly header: Uint8Array;
  readonly content: Uint8Array | null;
}

type Draw = (random: SeededRandom, known: HostileKnowledge) => HostileRequest;

const PAGE = 3;

/** Draws a request that no honest laptop sends; one in ten is damaged as well. */
export function drawHostileRequest(random: SeededRandom, known: HostileKnowledge): HostileRequest {
  const draw = random.pick([reads, reads, reads, updates, updates, store, nonsense, hello]);
  const drawn = draw(random, known);
  return random.chance(0.1) ? damaged(random, drawn) : drawn;
}

/** Says who it is; `known` to the server or not. */
export function drawHello(
  random: SeededRandom,
  invitation: { readonly id: string; readonly secret: string } | null,
): HostileRequest {
  const body = {
    protocol: { min: 1, max: 1 },
    software: 'hostile',
    deviceName: 'mallory',
    incarnation: { previous: null, next: '0'.repeat(32) },
    epoch: null,
    lowWater: 0,
    invitation,
  };
  const other = { id: random.hex(16), secret: random.hex(16) };
  const lies = [
    { protocol: { min: 7, max: 9 } },
    { epoch: random.hex(16) },
    { incarnation: { previous: random.hex(16), next: random.hex(16) } },
    { invitation: other },
    { invitation: invitation === null ? null : { ...invitation, secret: other.secret } },
  ];
  return request('Hello', random.chance(0.4) ? { ...body, ...random.pick(lies) } : body);
}

function request(rpc: RpcName, body: object, content: Uint8Array | null = null): HostileRequest {
  return { rpc, header: encodeRequest(rpc, body as never), content };
}

const hello: Draw = (random) => drawHello(random, null);

const reads: Draw = (random, known) => {
  const fid = known.fid(random);
  const volume = random.chance(0.9) ? known.volume : known.volume + 1;
  const commit = random.pick([0, 1, known.head, known.head + 1_000]);
  const at = random.pick([null, commit]);
  const fids = Array.from({ length: random.pick([1, 3, 256]) }, () => known.fid(random));
  const folder = random.pick([fid, rootOf(known.volume)]);
  const after = random.pick([null, fid]);
  const name = random.pick([null, 'm']);
  const listing = random.pick([
    request('FetchDir', { fid: folder, at, after: name, limit: PAGE }),
    request('Snapshot', { volume, at, after, limit: random.pick([PAGE, 500]) }),
  ]);
  return random.pick([
    listing,
    listing,
    request('GetTime', random.pick([{}, { lowWater: known.seq }])),
    request('Validate', { items: fids.map((each) => ({ fid: each, commit })) }),
    request('FetchStatus', { fids }),
    request('GiveUpCallbacks', { fids }),
    request('AllocateVnodes', { volume, blocks: 1 }),
    request('Fetch', { fid, version: random.pick([null, null, 1, 1_000_000]) }),
    request('Changes', {
      volume,
      since: commit,
      limit: PAGE,
      wait: random.chance(0.5),
      promise: random.chance(0.5),
    }),
  ]);
};

const updates: Draw = (random, known) => request('Apply', drawApply(random, known));

const store: Draw = (random, known) => {
  const { body, content } = drawStore(random, known, digestOf);
  return request('Store', body, content.length === 0 ? null : content);
};

const nonsense: Draw = (random) =>
  random.pick([
    { rpc: null, header: random.bytes(random.below(100)), content: null },
    // Only a server begins it.
    { ...request('BreakCallback', { items: [] }), rpc: null },
    { rpc: null, header: encodeReply('GetTime', {} as never), content: null },
    // More than a message may hold, and fields that are none.
    request('FetchStatus', { fids: Array.from({ length: 300 }, () => '1.1.1') }),
    request('Fetch', { fid: '../../etc/passwd', version: -1 }),
    request('GetTime', { lowWater: 0, more: true }),
    request('GetTime', {}, random.bytes(10)),
  ]);

/** Cut short, or with a byte of it turned into another. */
function damaged(random: SeededRandom, { header, content }: HostileRequest): HostileRequest {
  if (random.chance(0.5))
    return { rpc: null, header: header.subarray(0, header.length / 2), content };
  const bytes = header.slice();
  bytes[random.below(bytes.length)] = random.below(256);
  return { rpc: null, header: bytes, content };
}
