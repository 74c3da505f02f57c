/** What a server does for a connection whose peer nobody knows yet. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryMetaStore } from '../../app/lab/simulator/store/memory-meta-store.ts';
import { milliseconds, type WallTime } from '../../shared/model/time.ts';
import { present } from '../../shared/util/assert.ts';
import { encodeRequest } from '../../shared/wire/codec.ts';
import { MAX_HELLO_BYTES } from '../../shared/wire/limits.ts';
import { RuntimeServer, WireClient } from '../../test/support/runtime-server.ts';
import {
  HELLO_WAIT,
  MAX_MALFORMED,
  MAX_STRANGER_CALLS,
  STRANGERS,
  UNREAD_LOG_SPACING,
} from '../limits.ts';

const INVITATION = { id: '1'.repeat(32), secret: '2'.repeat(32) };

/** Longer than a Hello, and made of many small things. */
const LARGE = Uint8Array.of(0x92, 0x01, 0xdc, 0x80, 0x00, ...new Uint8Array(0x8000));

let server: RuntimeServer;
let stranger: WireClient;

beforeEach(async () => {
  server = new RuntimeServer();
  const meta = new MemoryMetaStore();
  await server.start(meta);
  meta.invite({ ...INVITATION, user: 'owner', rights: 'write', expires: 9e15 as WallTime });
  stranger = new WireClient(server, 'stranger');
  await stranger.connect();
});

const time = (): Uint8Array => encodeRequest('GetTime', {});

const refusals = (): number =>
  server.log.lines.filter(({ message }) => message === 'a message was refused').length;

describe('a stranger on the server', () => {
  it('gets long headers and contents cut off', async () => {
    expect(LARGE.length).toBeGreaterThan(MAX_HELLO_BYTES);
    for (const call of [
      stranger.send(LARGE, null, 'Hello'),
      stranger.send(time(), Uint8Array.of(1), 'Store'),
    ]) {
      expect(await stranger.wait('GetTime', call)).toEqual({ reply: 'aborted', content: null });
    }
    expect(server.disk.list('/data/spool')).toEqual([]);
  });

  it('gets hello-first for whatever it sends, and the log has one entry', async () => {
    const messages = [time(), Uint8Array.of(0x92, 11), Uint8Array.of(0xc1), new Uint8Array()];
    for (const message of [...messages, ...messages]) {
      expect(await stranger.wait('GetTime', stranger.send(message))).toMatchObject({
        reply: { ok: false, code: 'hello-first' },
      });
    }
    expect(refusals()).toBe(1);
    expect(await stranger.hello(null, 1, INVITATION)).toMatchObject({ reply: { ok: true } });
  });

  it('may repeat Hello, but not for ever', async () => {
    const answers = [];
    for (let count = 0; count <= MAX_STRANGER_CALLS; count++) {
      answers.push((await stranger.hello(null, 1)).reply);
    }
    expect(answers.slice(0, -1)).toEqual(
      Array.from({ length: MAX_STRANGER_CALLS }, () => ({
        ok: false,
        code: 'not-paired',
        detail: '',
      })),
    );
    expect(answers.at(-1)).toBe('aborted');
    await server.world.settle();
    expect(stranger.closes).toEqual(['peer']);
  });

  it('is disconnected when it is silent for a while', async () => {
    await server.world.pass(milliseconds(HELLO_WAIT + 1000));
    expect(stranger.closes).toEqual(['peer']);
  });

  it('may send what any device may after it is admitted', async () => {
    await stranger.hello(null, 1, INVITATION);
    expect(await stranger.wait('GetTime', stranger.send(LARGE))).toMatchObject({
      reply: { ok: false, code: 'bad-message' },
    });
    const calls = Array.from({ length: 40 }, () => stranger.send(time()));
    for (const call of calls) {
      expect(await stranger.wait('GetTime', call)).toMatchObject({ reply: { ok: true } });
    }
  });

  it('is closed for a newcomer when there are too many from one address', async () => {
    const crowd = Array.from(
      { length: STRANGERS.mostOfAddress },
      () => new WireClient(server, 'x'),
    );
    for (const one of crowd) await one.connect();
    const last = new WireClient(server, 'x');
    await last.connect();
    await server.world.runUntil(() => crowd.some(({ closes }) => closes.length > 0), 'a place');
    expect(crowd[0]?.closes).toEqual(['peer']);
    expect(crowd[1]?.closes).toEqual([]);
    expect(stranger.closes).toEqual([]);
    expect(await last.hello(null, 1, INVITATION)).toMatchObject({ reply: { ok: true } });
  });
});

describe('a paired device on the server', () => {
  /** A GetTime with a body that no schema has room for. */
  const MALFORMED = Uint8Array.of(...time().subarray(0, 2), 0xc3);
  const UNKNOWN = Uint8Array.of(0x92, 0x7f, 0x80);

  beforeEach(async () => {
    await stranger.hello(null, 1, INVITATION);
  });

  it('is disconnected when it keeps sending unreadable messages', async () => {
    for (let count = 0; count < MAX_MALFORMED; count++) {
      expect(await stranger.wait('GetTime', stranger.send(MALFORMED))).toMatchObject({
        reply: { ok: false, code: 'bad-message' },
      });
    }
    expect(await stranger.wait('GetTime', stranger.send(MALFORMED))).toMatchObject({
      reply: 'aborted',
    });
    await server.world.settle();
    expect(stranger.closes).toEqual(['peer']);
    expect(refusals()).toBe(1);
  });

  it('may send requests of a later version any number of times', async () => {
    for (let count = 0; count < 3 * MAX_MALFORMED; count++) {
      expect(await stranger.wait('GetTime', stranger.send(UNKNOWN))).toMatchObject({
        reply: { ok: false, code: 'bad-message' },
      });
    }
    expect(await stranger.wait('GetTime', stranger.send(time()))).toMatchObject({
      reply: { ok: true },
    });
  });
});

describe('a device that leaves its answers unread', () => {
  /** Its Hello, and what the Link then tells again and again, on a second connection too. */
  const said = (): Array<Record<string, unknown>> =>
    server.log.lines
      .filter(({ message }) => message === 'a device leaves its answers unread; its requests wait')
      .map(({ fields }) => ({ ...fields }));

  it('has one line in the log, with its name, and another one after a while', async () => {
    await stranger.hello(null, 1, INVITATION);
    const handler = present(server.runtime, 'the server runs').handler;
    const [connection] = [...present(server.runtime?.inside, 'it runs').connections.keys()];
    const own = present(connection, 'it is connected');
    handler.unread(own);
    handler.unread(own);
    handler.unread(own + 1000);
    expect(said()).toEqual([{ connection: own, device: 'laptop' }]);
    await server.world.pass(UNREAD_LOG_SPACING);
    handler.unread(own);
    expect(said()).toHaveLength(2);
  });
});
