/** What Hello tells a daemon of each version of the protocol: an older one takes a field that it does not know for damage. */
import { describe, expect, it } from '@jest/globals';
import type { VolumeId } from '../../../shared/model/fid.ts';
import { commitNumber, type Mtime } from '../../../shared/model/vnode.ts';
import { wallTime } from '../../../shared/model/time.ts';
import { decodeReply, encodeReply } from '../../../shared/wire/codec.ts';
import { present } from '../../../shared/util/assert.ts';
import { POLL_WAIT } from '../../limits.ts';
import { MAX_VOLUMES } from '../../../shared/wire/limits.ts';
import { PROTOCOL, type ReplyOf } from '../../../shared/wire/rpcs.ts';
import { ROOT, VOLUME } from '../../../test/support/core-updates.ts';
import { bodyOf, CoreServer, TestDevice } from '../../../test/support/core-server.ts';

const OTHER = 2 as VolumeId;
const VERSIONS = Array.from({ length: PROTOCOL.max }, (_, n) => n + 1);
const speaks = (max: number) => ({ protocol: { min: 1, max } });

/** A laptop that an administrator has renamed, one of whose volumes was removed. */
async function begin(): Promise<{ server: CoreServer; laptop: TestDevice }> {
  const server = await CoreServer.start();
  const laptop = await server.join();
  server.meta.makeVolume(OTHER, 'photos', wallTime(0));
  server.meta.allow('owner', OTHER, 'write');
  server.meta.changeVolume(OTHER, { isRemoved: true });
  server.meta.rename(laptop.id, 'study');
  return { server, laptop };
}

function readable(body: ReplyOf<'Hello'>): ReplyOf<'Hello'> {
  const reply = decodeReply('Hello', encodeReply('Hello', body));
  if (!reply.ok) throw new Error(reply.code);
  return reply.body;
}

describe.each(VERSIONS)('a daemon of version %i', (version) => {
  it('hears names of devices from 4 on, and of removed volumes from 5 on', async () => {
    const { laptop } = await begin();
    const body = readable(bodyOf<'Hello'>(await laptop.hello(speaks(version))));
    expect(body).toMatchObject({ protocol: version, volumes: [{ id: 1 }] });
    const { deviceName, removed } = body;
    expect({ deviceName, removed }).toEqual({
      deviceName: version < 4 ? undefined : 'study',
      removed: version < 5 ? undefined : [{ id: OTHER, name: 'photos' }],
    });
    expect('usual' in body && version < 5).toBe(false);
  });

  it('hears from 7 on what is a conflict copy, and what a device says is none', async () => {
    const { server, laptop } = await begin();
    const writer = await server.join();
    const [at, mtime] = ['0' as Mtime, '0' as Mtime];
    const about = { op: 'create', dir: ROOT, mode: 0o644, mtime, xattrs: [], at } as const;
    await writer.apply(
      { ...about, fid: writer.fid(0), name: 'said', copyOf: 'doc' },
      { ...about, fid: writer.fid(1), name: 'none', copyOf: null },
      { ...about, fid: writer.fid(2), name: 'unsaid' },
    );
    await laptop.hello(speaks(version));
    const since = { since: commitNumber(1), limit: 9, wait: false, promise: false };
    const body = await laptop.ask('Changes', { volume: VOLUME, ...since });
    const read = decodeReply('Changes', encodeReply('Changes', body));
    const commits = read.ok ? read.body.commits : [];
    const heard = commits.map(({ copyOf }) => copyOf);
    expect(heard).toEqual(
      version < 7 ? [undefined, undefined, undefined] : ['doc', null, undefined],
    );
    expect(commits.some((each) => 'copyOf' in each)).toBe(version >= 7);
  });

  it('hears from 8 on which device of its person is the newest, once', async () => {
    const { server, laptop } = await begin();
    const body = readable(bodyOf<'Hello'>(await laptop.hello(speaks(version))));
    const other = await server.join();
    const told = [await laptop.ask('GetTime', {}), await laptop.ask('GetTime', {})];
    const heard = [body, ...told].map(({ newestDevice }) => newestDevice);
    expect(heard).toEqual(
      version < 8 ? [undefined, undefined, undefined] : [1, other.id, undefined],
    );
  });

  it('hears from 8 on that a quota is another one, with the answer to its poll', async () => {
    const { server, laptop } = await begin();
    await laptop.hello(speaks(version));
    const since = { since: commitNumber(1), limit: 9, wait: true, promise: false };
    const poll = laptop.send('Changes', { volume: VOLUME, ...since });
    await server.settle();
    server.meta.limit(VOLUME, 100);
    server.feed({ kind: 'volumes', ...(await server.meta.volumes()) });
    await server.pass(POLL_WAIT);
    const heard = bodyOf<'Changes'>(present(server.outcome(poll), 'it is answered')).quota;
    expect(heard?.limit).toBe(version < 8 ? undefined : 100);
  });

  it('gets a code that it knows for an invitation to a removed volume', async () => {
    const { server } = await begin();
    const invitation = { id: 'b'.repeat(32), secret: '5'.repeat(32) };
    const expires = wallTime(Number.MAX_SAFE_INTEGER);
    server.meta.invite({ ...invitation, user: 'bob', volume: OTHER, rights: 'write', expires });
    const outcome = await new TestDevice(server, 'b').hello({ ...speaks(version), invitation });
    expect(outcome).toEqual({ code: version < 5 ? 'no-such-volume' : 'volume-removed' });
  });
});

it('a Hello can be read however many volumes of a person were removed', async () => {
  const { server, laptop } = await begin();
  for (let n = 0; n < MAX_VOLUMES; n++) {
    const volume = (OTHER + 1 + n) as VolumeId;
    server.meta.makeVolume(volume, `tried ${n}`, wallTime(0));
    server.meta.allow('owner', volume, 'write');
    server.meta.changeVolume(volume, { isRemoved: true });
  }
  const body = readable(bodyOf<'Hello'>(await laptop.hello(speaks(PROTOCOL.max))));
  expect(body.removed).toHaveLength(MAX_VOLUMES);
  expect(body.volumes).toMatchObject([{ id: 1 }]);
});
