/**
 * A volume that a device may not see is as if it were not there: two servers get the same messages of a hostile device, drawn from the schemas of the
 * wire. On one of them there is another volume, in which somebody works; the other has none. The device gets the same answers from both.
 *
 * FUZZ_RUNS=200 is so many more pairs, from FUZZ_SEED on.
 */
import { expect, it } from '@jest/globals';
import { MemoryMetaStore } from '../../app/lab/simulator/store/memory-meta-store.ts';
import { makeFid, rootOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import type { WallTime } from '../../shared/model/time.ts';
import type { Mtime } from '../../shared/model/vnode.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';
import { decodeRequest, encodeRequest } from '../../shared/wire/codec.ts';
import { PROTOCOL, type AnyRequest } from '../../shared/wire/rpcs.ts';
import { bodyOf, CoreServer, TestDevice } from '../support/core-server.ts';
import { HostileDraws } from '../support/hostile-device.ts';

const asked = Number(process.env['FUZZ_RUNS'] ?? 0);
const first = Number(process.env['FUZZ_SEED'] ?? 1);
const SEEDS = Array.from({ length: asked > 0 ? asked : 5 }, (_, n) => first + n);
const MESSAGES = 400;
const OTHER = 2 as VolumeId;
const FILES = 3;

/** The hostile device is paired first, so that its number is the same on both. */
async function begin(
  volumes: number,
): Promise<{ server: CoreServer; hostile: TestDevice; hidden: Fid[] }> {
  const meta = new MemoryMetaStore();
  meta.beginWith(volumes);
  const server = await CoreServer.start(meta);
  const hostile = await server.join('write', 'mallory');
  const hidden = volumes > 1 ? await workIn(server) : [];
  return { server, hostile, hidden };
}

/** Somebody makes files and announces changes in the other volume, of which there are snapshots. */
async function workIn(server: CoreServer): Promise<Fid[]> {
  const fids = [rootOf(OTHER)];
  const bob = new TestDevice(server, 'b');
  const invitation = { id: 'b'.repeat(32), secret: '5'.repeat(32) };
  const expires = Number.MAX_SAFE_INTEGER as WallTime;
  server.meta.invite({ ...invitation, user: 'bob', volume: OTHER, rights: 'write', expires });
  await bob.hello({ invitation, announces: true });
  const { blocks } = await bob.ask('AllocateVnodes', { volume: OTHER, blocks: 1 });
  const { first: from, uniquifier } = blocks[0] as (typeof blocks)[number];
  for (let n = 0; n < FILES; n++) {
    const fid = makeFid(OTHER, from + n, uniquifier);
    fids.push(fid);
    const what = { at: '7' as Mtime, mode: 0o644, mtime: '7' as Mtime, xattrs: [] };
    const made = { op: 'create', fid, dir: rootOf(OTHER), name: `secret ${n}`, ...what } as const;
    const update = { seq: bob.seq(), after: [], update: made };
    await bob.ask('Apply', { volume: OTHER, lowWater: 0 as never, updates: [update] });
    server.meta.makeSnapshot(OTHER, `secret ${n}`, 7 as WallTime);
  }
  return fids;
}

/** Over the wire: what does not pass its schema is not sent. */
function sentAs({ rpc, body }: AnyRequest): AnyRequest | null {
  try {
    return decodeRequest(encodeRequest(rpc, body as never), 'client');
  } catch {
    return null;
  }
}

it.each(SEEDS)(
  'a hidden volume gives the answers of one that is not there (seed %i)',
  async (seed) => {
    const draws = new HostileDraws(new SeededRandom(seed));
    const pair = [await begin(1), await begin(2)] as const;
    // It guesses well.
    draws.kept.push(...pair[1].hidden);
    const max = 1 + (seed % PROTOCOL.max);
    for (const { hostile } of pair) await hostile.hello({ protocol: { min: 1, max } });
    const kinds = new Set<string>();
    for (let n = 0; n < MESSAGES; n++) {
      const request = draws.request();
      if (request.rpc === 'Hello' || sentAs(request) === null) continue;
      const answers = [];
      for (const { server, hostile } of pair) {
        const call = hostile.send(request.rpc, request.body);
        await server.settle();
        answers.push(server.outcome(call));
      }
      expect({ n, request, answer: answers[1] }).toEqual({ n, request, answer: answers[0] });
      kinds.add(request.rpc);
    }
    expect(kinds.size).toBeGreaterThan(10);
  },
);

const HEADS = [0, 1, 3, 4, 2 ** 40];
const VERSIONS = Array.from({ length: PROTOCOL.max }, (_, n) => n + 1);

it.each(VERSIONS.flatMap((max) => HEADS.map((head) => [max, head] as const)))(
  'a Hello of version %i that names head %i of a hidden volume is answered as if there were none',
  async (max, head) => {
    const answers = [];
    for (const volumes of [1, 2, 3]) {
      const { server, hostile } = await begin(Math.min(volumes, 2));
      if (volumes === 3) server.meta.changeVolume(OTHER, { isRemoved: true, name: 'gone' });
      const heads = [{ volume: OTHER, head: head as never }];
      const protocol = { min: 1, max };
      answers.push(await hostile.hello({ protocol, epoch: 'e'.repeat(32), heads }));
    }
    expect(answers[2]).toEqual(answers[0]);
    expect(answers[1]).toEqual(answers[0]);
    const { volumes } = bodyOf<'Hello'>(answers[1]);
    expect(volumes.map(({ id }) => id)).toEqual([1]);
  },
);

it.each([0, 2 ** 40])(
  'a stranger that names head %i of a volume learns nothing of it',
  async (head) => {
    const answers = [];
    for (const volume of [1, OTHER, 77]) {
      const { server } = await begin(2);
      const heads = [{ volume: volume as VolumeId, head: head as never }];
      const stranger = new TestDevice(server, 's');
      answers.push(await stranger.hello({ epoch: 'e'.repeat(32), heads }));
    }
    expect(answers).toEqual(answers.map(() => ({ code: 'not-paired' })));
  },
);

it('a device can take the name that a device of somebody else has, and learns nothing of that one', async () => {
  const answers = [];
  for (const { server, hostile } of [await begin(1), await begin(2)]) {
    const asked = ['device b', 'DEVICE B', 'bob', 'secret 0'].map((name) =>
      hostile.send('RenameDevice', { name }),
    );
    await server.settle();
    answers.push(asked.map((call) => server.outcome(call)));
  }
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[1]?.every((answer) => answer !== undefined && 'body' in answer)).toBe(true);
});
