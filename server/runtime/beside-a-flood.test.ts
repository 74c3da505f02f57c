/** The saves and questions of a device beside one that fills groups: counted in groups and updates, in simulated time. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualTimers } from '../../app/lab/simulator/clock/virtual-clock.ts';
import { MemoryMetaStore } from '../../app/lab/simulator/store/memory-meta-store.ts';
import { makeFid, type VolumeId } from '../../shared/model/fid.ts';
import { milliseconds, seconds, type WallTime } from '../../shared/model/time.ts';
import type { UpdateSeq } from '../../shared/model/update.ts';
import type { CallId } from '../../shared/ports/transport.ts';
import { encodeRequest } from '../../shared/wire/codec.ts';
import { create } from '../../test/support/core-updates.ts';
import { RuntimeServer, WireClient } from '../../test/support/runtime-server.ts';
import { ASKED_LATELY, HEAVY_REST, UPDATES_IN_TURN } from '../limits.ts';

const HOME = 1 as VolumeId;
const COMMIT = 2;
const BATCH = 16;
const AT_ONCE = 8;
const MANY = 256;
const SAVES = 16;
/** Between two saves: so that they keep no step with the groups. */
const APART = 17;
const SLICE = 200;

interface Group {
  readonly begun: number;
  ended: number;
  /** The numbers of its updates, by device. */
  readonly updates: Map<number, number[]>;
}

let server: RuntimeServer;
let meta: MemoryMetaStore;
let groups: Group[];

beforeEach(async () => {
  server = new RuntimeServer({ inTurns: true });
  meta = new MemoryMetaStore();
  await server.start(meta);
  groups = [];
  const timers = new VirtualTimers(server.world.time, 'disk');
  const commit = meta.commit.bind(meta);
  meta.commit = async (writes) => {
    const group: Group = { begun: server.world.time.now(), ended: NaN, updates: new Map() };
    for (const write of writes) {
      if (write.kind !== 'applied') continue;
      const its = group.updates.get(write.device) ?? [];
      its.push(write.result.seq);
      group.updates.set(write.device, its);
    }
    groups.push(group);
    await new Promise<void>((resolve) => timers.start(milliseconds(COMMIT), resolve));
    await commit(writes);
    group.ended = server.world.time.now();
  };
});

/** A paired device that creates files. */
class Device {
  readonly name: string;
  readonly client: WireClient;
  #next = 0;
  #uniquifier = 0;
  #seq = 0;

  constructor(name: string) {
    this.name = name;
    this.client = new WireClient(server, name);
  }

  async begin(number: number): Promise<this> {
    const token = String(number).repeat(32);
    const invitation = { id: token, secret: token };
    meta.invite({ ...invitation, user: 'owner', rights: 'write', expires: 9e15 as WallTime });
    await this.client.connect();
    await this.client.hello(null, number, invitation);
    const { reply } = await this.client.ask('AllocateVnodes', { volume: HOME, blocks: 1 });
    if (reply === 'aborted' || !reply.ok) throw new Error('no block');
    [this.#next, this.#uniquifier] = [
      reply.body.blocks[0]?.first ?? 0,
      reply.body.blocks[0]?.uniquifier ?? 0,
    ];
    return this;
  }

  /** Sends batches, so many at a time, until `end` is called. That gives the calls in their order. */
  flood(): { end: () => CallId[] } {
    const calls = Array.from({ length: AT_ONCE }, () => this.make(BATCH));
    let isOn = true;
    const reply = this.client.reply.bind(this.client);
    this.client.reply = (...its) => {
      reply(...its);
      if (isOn) calls.push(this.make(BATCH));
    };
    const end = () => {
      isOn = false;
      return calls;
    };
    return { end };
  }

  make(count: number): CallId {
    const updates = Array.from({ length: count }, () => {
      const seq = ++this.#seq as UpdateSeq;
      const fid = makeFid(HOME, this.#next++, this.#uniquifier);
      return { seq, after: [], update: create(fid, `${this.name} ${seq}`) };
    });
    const body = { volume: HOME, lowWater: 0 as UpdateSeq, updates };
    return this.client.send(encodeRequest('Apply', body), null, 'Apply');
  }
}

describe('a device that saves beside one that fills groups', () => {
  it('mostly finds no group under way and shares its own with nobody', async () => {
    const [flood, saver] = [await new Device('flood').begin(1), await new Device('saver').begin(2)];
    const { world } = server;
    await saver.client.wait('Apply', saver.make(1));
    const flooding = flood.flood();
    await world.pass(milliseconds(100));
    const beforeSaves = groups.length;
    let [alone, waited, most] = [0, 0, 0];
    for (let n = 0; n < SAVES; n++) {
      const asked = world.time.now();
      await saver.client.wait('Apply', saver.make(1));
      const during = groups.filter(
        ({ begun, ended }) => begun <= world.time.now() && !(ended < asked),
      );
      const own = during.find(({ updates }) => updates.get(2)?.at(-1) === n + 2);
      if (own?.updates.size === 1) alone++;
      if (during.length > 1) waited++;
      most = Math.max(most, during.length);
      await world.pass(milliseconds(APART));
    }
    expect(most).toBeLessThanOrEqual(2);
    const besideSaves = groups.slice(beforeSaves).map(({ updates }) => updates.get(1)?.length ?? 0);
    expect(Math.max(...besideSaves)).toBe(UPDATES_IN_TURN);
    expect(alone).toBeGreaterThanOrEqual(SAVES / 2);
    expect(waited).toBeLessThanOrEqual(SAVES / 2);
    // Nothing is lost of the flood, and its order is kept.
    const calls = flooding.end();
    for (const call of calls) {
      const { reply } = await flood.client.wait('Apply', call);
      expect(reply).toMatchObject({ ok: true, body: { results: { length: BATCH } } });
    }
    const seqs = groups.flatMap(({ updates }) => updates.get(1) ?? []);
    expect(seqs).toEqual(Array.from({ length: calls.length * BATCH }, (_, n) => n + 1));
  });

  it('takes no more of the speed of the other one when it has stopped', async () => {
    const [flood, saver] = [await new Device('flood').begin(1), await new Device('saver').begin(2)];
    await saver.client.wait('Apply', saver.make(1));
    const apart = async (): Promise<number> => {
      groups.length = 0;
      await flood.client.wait('Apply', flood.make(MANY));
      const begins = groups.map(({ begun }) => begun);
      return Math.max(...begins.slice(1).map((at, n) => at - (groups[n]?.ended ?? NaN)));
    };
    await flood.client.wait('Apply', flood.make(MANY));
    await saver.client.wait('Apply', saver.make(1));
    expect(await apart()).toBeGreaterThanOrEqual(HEAVY_REST * COMMIT);
    await server.world.pass(seconds(30));
    expect(await apart()).toBeLessThanOrEqual(COMMIT);
  });
});

describe('a device that only asks beside one that fills groups', () => {
  it('has most of the time to itself, and the other one has all of it when it asks no more', async () => {
    const [flood, asker] = [await new Device('flood').begin(1), await new Device('asker').begin(2)];
    const { world } = server;
    const flooding = flood.flood();
    const share = async (asks: boolean): Promise<number> => {
      groups.length = 0;
      const since = world.time.now();
      while (world.time.now() - since < SLICE) {
        if (asks) await asker.client.ask('GetTime', {});
        await world.pass(milliseconds(APART));
      }
      const busy = groups.reduce((sum, { begun, ended }) => sum + (ended || begun) - begun, 0);
      return busy / (world.time.now() - since);
    };
    await share(true);
    expect(await share(true)).toBeLessThanOrEqual(1.2 / (1 + HEAVY_REST));
    await world.pass(ASKED_LATELY);
    expect(await share(false)).toBeGreaterThanOrEqual(0.4);
    for (const call of flooding.end()) {
      expect((await flood.client.wait('Apply', call)).reply).toMatchObject({ ok: true });
    }
  });
});
