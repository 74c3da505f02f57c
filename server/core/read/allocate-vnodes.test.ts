import { beforeEach, describe, expect, it } from '@jest/globals';
import { CoreServer, type TestDevice } from '../../../test/support/core-server.ts';
import { create, VOLUME } from '../../../test/support/core-updates.ts';
import { makeFid } from '../../../shared/model/fid.ts';
import { MAX_BLOCKS } from '../../../shared/wire/limits.ts';
import { RPCS } from '../../../shared/wire/rpcs.ts';
import { MAX_UNUSED_BLOCKS } from '../../limits.ts';

let server: CoreServer;
let device: TestDevice;

beforeEach(async () => {
  server = await CoreServer.start();
  device = await server.join();
});

const asks = async (blocks: number, who = device) => {
  const call = who.send('AllocateVnodes', { volume: VOLUME, blocks });
  await server.settle();
  return server.outcome(call);
};

/** As many as it may have. */
async function askForAll(): Promise<Array<{ first: number; uniquifier: number }>> {
  const got = [];
  for (;;) {
    const outcome = await asks(1);
    if (outcome === undefined || !('body' in outcome)) return got;
    const { blocks } = outcome.body as { blocks: Array<{ first: number; uniquifier: number }> };
    got.push(...blocks);
    expect(got.length).toBeLessThanOrEqual(MAX_UNUSED_BLOCKS);
  }
}

describe('blocks of vnode numbers', () => {
  it('are given a few at a time, and no message asks for more', () => {
    const { request } = RPCS.AllocateVnodes;
    const fits = (blocks: number): boolean => request.safeParse({ volume: VOLUME, blocks }).success;
    expect([1, MAX_BLOCKS, MAX_BLOCKS + 1, 0].map(fits)).toEqual([true, true, false, false]);
  });

  it('are refused to a device that has enough unused ones', async () => {
    const got = await askForAll();
    expect(got.length).toBeGreaterThan(MAX_UNUSED_BLOCKS - 2);
    expect(await asks(1)).toEqual({ code: 'try-again' });
    const other = await server.join();
    expect(await asks(1, other)).toHaveProperty('body');
  });

  it('are given again for each block that was used', async () => {
    const got = await askForAll();
    for (const [n, { first, uniquifier }] of got.slice(0, 3).entries()) {
      expect(await device.applyOne(create(makeFid(VOLUME, first + n, uniquifier), `f${n}`))).toMatchObject({ ok: true }); // prettier-ignore
    }
    expect(await asks(MAX_BLOCKS)).toEqual({ code: 'try-again' });
    expect(await asks(3)).toHaveProperty('body');
    expect(await asks(1)).toEqual({ code: 'try-again' });
  });

  it('are counted also after a restart of the server', async () => {
    await askForAll();
    server = await CoreServer.start(server.meta);
    device.server = server;
    await device.hello();
    expect(await asks(1)).toEqual({ code: 'try-again' });
  });

  it('count as unused again when a failed group took their use back', async () => {
    const got = await askForAll();
    server.meta.failNextCommit('server-full');
    const { first, uniquifier } = got[0] ?? { first: 0, uniquifier: 0 };
    const made = create(makeFid(VOLUME, first, uniquifier), 'f');
    const call = device.sendUpdates([{ seq: 1, update: made }]);
    await server.settle();
    expect(server.outcome(call)).toEqual({ code: 'server-full' });
    expect(await asks(1)).toEqual({ code: 'try-again' });
    expect(await device.applyOne(made)).toMatchObject({ ok: true });
    server.meta.failNextCommit('server-full');
    expect(await asks(1)).toEqual({ code: 'server-full' });
    expect(await asks(1)).toHaveProperty('body');
  });
});
