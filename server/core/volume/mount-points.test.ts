/** Rules M2 and M6: what the server decides about mount points, whoever sends the update. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CoreServer, type TestDevice } from '../../../test/support/core-server.ts';
import {
  chmod,
  create,
  link,
  mkdir,
  rename,
  remove,
  rmdir,
  ROOT,
  symlink,
} from '../../../test/support/core-updates.ts';
import { decodeReply, encodeReply } from '../../../shared/wire/codec.ts';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import { wallTime } from '../../../shared/model/time.ts';
import type { MetadataUpdate } from '../../../shared/model/update.ts';
import { PROTOCOL } from '../../../shared/wire/rpcs.ts';

const [TEAM, HIDDEN, NOWHERE] = [2, 3, 77] as VolumeId[] as [VolumeId, VolumeId, VolumeId];

const mounts = (fid: Fid, name: string, volume: VolumeId, dir = ROOT) => ({
  ...mkdir(fid, name, dir),
  mounts: volume,
});
const unmounts = (fid: Fid, name: string) => ({ ...rmdir(fid, name), unmounts: true }) as const;

let server: CoreServer;
let device: TestDevice;
/** m: mount point of TEAM; f: file; d: empty directory; x: not made. */
let [m, f, d, x] = [] as unknown as [Fid, Fid, Fid, Fid];

/** A device that sees TEAM; HIDDEN is there too. */
beforeEach(async () => {
  server = await CoreServer.start();
  server.meta.makeVolume(TEAM, 'team', wallTime(0));
  server.meta.makeVolume(HIDDEN, 'hidden', wallTime(0));
  server.meta.allow('owner', TEAM, 'read');
  device = await server.join();
  await device.hello();
  [m, f, d, x] = [0, 1, 2, 3].map((n) => device.fid(n)) as [Fid, Fid, Fid, Fid];
  await device.apply(mounts(m, 'team', TEAM), create(f, 'f'), mkdir(d, 'd'));
});

const outcome = async (update: MetadataUpdate): Promise<string> => {
  const result = await device.applyOne(update);
  return result.ok ? 'ok' : result.refusal;
};

describe('what the server decides', () => {
  const CASES: Array<[what: string, update: () => MetadataUpdate, outcome: string]> = [
    ['of a volume that may be seen is made', () => mounts(x, 'again', TEAM), 'ok'],
    ['of a hidden volume is refused', () => mounts(x, 'x', HIDDEN), 'no-right'],
    ['of no volume at all is refused alike', () => mounts(x, 'x', NOWHERE), 'no-right'],
    ['of the volume that it is in is refused', () => mounts(x, 'x', 1 as VolumeId), 'cycle'],
    ['takes no file', () => create(x, 'x', m), 'no-right'],
    ['takes no folder', () => mkdir(x, 'x', m), 'no-right'],
    ['takes no symlink', () => symlink(x, 'x', m), 'no-right'],
    ['takes no other mount point', () => mounts(x, 'x', TEAM, m), 'no-right'],
    ['takes no second name of a file', () => link(f, 'x', m), 'no-right'],
    ['takes nothing that is moved', () => rename(f, 'f', 'x', { toDir: m }), 'no-right'],
    ['has no second name', () => link(m, 'x'), 'wrong-kind'],
    ['is not removed as a folder', () => rmdir(m, 'team'), 'not-empty'],
    ['is not removed as a file', () => remove(m, 'team'), 'wrong-kind'],
    ['is not replaced by a folder', () => rename(d, 'd', 'team', { over: m }), 'not-empty'],
    ['is not replaced by a file', () => rename(f, 'f', 'team', { over: m }), 'wrong-kind'],
    ['goes when it is unmounted', () => unmounts(m, 'team'), 'ok'],
    ['is not what a folder is that somebody unmounts', () => unmounts(d, 'd'), 'wrong-kind'],
    ['can be moved', () => rename(m, 'team', 'x', { toDir: d }), 'ok'],
    ['has a mode of its own', () => chmod(m, 0o700), 'ok'],
  ];
  it.each(CASES)('a mount point %s', async (_, update, expected) => {
    expect(await outcome(update())).toBe(expected);
  });

  it.each(Array.from({ length: PROTOCOL.max }, (_, n) => n + 1))(
    'a mount point is an empty directory to a daemon of version %i (rule M6)',
    async (max) => {
      await device.hello({ protocol: { min: 1, max } });
      const page = { fid: ROOT, at: null, after: null, limit: 9 } as const;
      const read = decodeReply(
        'FetchDir',
        encodeReply('FetchDir', await device.ask('FetchDir', page)),
      );
      if (!read.ok) throw new Error(read.code);
      const found = read.body.entries.find(({ name }) => name === 'team')?.status;
      expect(found).toMatchObject({ kind: 'directory', target: '2', size: 0, digest: null });
      const within = await device.ask('FetchDir', { ...page, fid: m });
      expect(within.entries).toEqual([]);
    },
  );

  it('a mount point looks the same after the right to its volume is gone, and can not be made then', async () => {
    server.meta.allow('owner', TEAM, null);
    await device.hello();
    const { items } = await device.ask('FetchStatus', { fids: [m] });
    expect(items[0]?.status).toMatchObject({ kind: 'directory', target: '2' });
    expect(await outcome(mounts(x, 'x', TEAM))).toBe('no-right');
    expect(await outcome(unmounts(m, 'team'))).toBe('ok');
  });
});
