import { beforeEach, expect, it } from '@jest/globals';
import { RuntimeServer, WireClient } from '../../test/support/runtime-server.ts';
import { MemoryMetaStore } from '../../app/lab/simulator/store/memory-meta-store.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import { instant, type WallTime } from '../../shared/model/time.ts';
import { encodeRequest } from '../../shared/wire/codec.ts';
import { ACTIVE_FOR } from './activity.ts';
import type { ServerRuntime } from './server-runtime.ts';

const HOME = 1 as VolumeId;

let server: RuntimeServer;
let runtime: ServerRuntime;
let client: WireClient;

beforeEach(async () => {
  server = new RuntimeServer();
  const meta = new MemoryMetaStore();
  runtime = await server.start(meta);
  client = new WireClient(server, 'laptop');
  const invitation = { id: '1'.repeat(32), secret: '2'.repeat(32) };
  meta.invite({ ...invitation, user: 'owner', rights: 'write', expires: 9e15 as WallTime });
  await client.connect();
  await client.hello(null, 1, invitation);
});

const now = () => server.world.time.now();
const uses = (at = now()) => runtime.activity.active(at).map(({ volume }) => volume);
const changes = (wait: boolean) =>
  client.ask('Changes', { volume: HOME, since: 0 as never, limit: 9, wait, promise: false });

it('a laptop that asks by itself does not use a volume', async () => {
  await client.ask('GetTime', {});
  await changes(true);
  expect([uses(), runtime.activity.of(HOME)]).toEqual([[], { calls: 0, ms: 0 }]);
});

it('a device that looks at a volume is active in it for a quarter of an hour', async () => {
  await changes(false);
  const [use] = runtime.activity.active(now());
  const at = use?.at ?? instant(NaN);
  expect(use?.volume).toBe(HOME);
  expect(uses(instant(at + ACTIVE_FOR))).toEqual([HOME]);
  expect(uses(instant(at + ACTIVE_FOR + 1))).toEqual([]);
  expect(uses(at)).toEqual([]);
});

it('calls count for their volume once they are answered', async () => {
  const file = await client.makeFile(1);
  await client.store(file, 2, 0, new TextEncoder().encode('twelve bytes'));
  const { calls, ms } = runtime.activity.of(HOME);
  expect(calls).toBe(2);
  expect(ms).toBeGreaterThanOrEqual(0);
  expect([uses(), runtime.activity.running]).toEqual([[HOME], 0]);
});

it('a volume in which the device has no right is not noted', async () => {
  const { reply } = await client.ask('Changes', {
    ...{ volume: 77 as VolumeId, since: 0 as never, limit: 9, wait: false, promise: false },
  });
  expect(reply).toMatchObject({ ok: false });
  expect([uses(), runtime.activity.of(77 as VolumeId).calls]).toEqual([[], 0]);
});

it('a call that its device takes back leaves nothing', async () => {
  const ask = { volume: HOME, since: 0 as never, limit: 9, wait: false, promise: false };
  client.abort(client.send(encodeRequest('Changes', ask), null, 'Changes'));
  await client.ask('GetTime', {});
  expect(runtime.activity.running).toBe(0);
});
