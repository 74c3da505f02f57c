/** People and volumes with a real server and the real laptops of two people: made, named, removed and restored while all of them run. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readConfig } from '../../shared/control/config.ts';
import { Bench, textOf, type RunningServer } from '../support/bench.ts';
import type { Laptop } from '../support/two-laptops.ts';

const bench = new Bench();
let server: RunningServer;
let ann: Laptop;
let bob: Laptop;

beforeAll(async () => {
  server = await bench.server();
  ann = await bench.laptop('ann', await bench.invite(server, 'ann'));
  bob = await bench.laptop('bob', await bench.invite(server, 'bob'));
});
afterAll(() => bench.close());

const onServer = (...args: string[]) => bench.json(['server', ...args, '--data', server.data]);
const hasError =
  (code: string) =>
  ({ errors }: { errors: ReadonlyArray<{ code: string }> }): boolean =>
    errors.some((error) => error.code === code);
const isWell = ({ connected, errors }: { connected: boolean; errors: readonly unknown[] }) =>
  connected && errors.length === 0;

it('two invited people have a volume each, and nothing of one is seen by the other', async () => {
  writeFileSync(join(ann.folder, 'diary'), "ann's");
  writeFileSync(join(bob.folder, 'diary'), "bob's");
  await bench.flush(ann, bob);
  expect(await bench.json(['cat', '/diary', '--data', ann.data, '--volume', 'ann'])).toBeDefined();
  const { volumes } = await bench.status(bob.data);
  expect(volumes.map(({ name }) => name)).toEqual(['bob']);
  const other = await bench.godwit(['ls', '/', '--volume', 'ann', '--data', bob.data]);
  const none = await bench.godwit(['ls', '/', '--volume', 'xyz', '--data', bob.data]);
  expect(other).toEqual({ ...none, stderr: none.stderr.replaceAll('xyz', 'ann') });
  expect((await bench.godwit(['ls', '--data', bob.data])).stdout).toContain('diary');
  expect(await onServer('user', 'ls')).toMatchObject({
    users: [
      { name: 'owner', home: 'home', devices: 0 },
      { name: 'ann', home: 'ann', devices: 1, volumes: [{ volume: 'ann', rights: 'write' }] },
      { name: 'bob', home: 'bob', devices: 1 },
    ],
  });
});

it('a volume that is made for somebody is seen by their laptop at once, with its quota', async () => {
  await onServer('volume', 'create', 'photos', '--owner', 'ann', '--quota', '1MB');
  const sees = await bench.until(ann.data, ({ volumes }) => volumes.length === 2);
  const photos = sees.volumes.find(({ name }) => name === 'photos');
  expect(photos).toMatchObject({ rights: 'write', quota: { limit: 1_000_000, used: 0 } });
  const text = bench.path('picture');
  writeFileSync(text, 'p'.repeat(100_000));
  const put = ['put', text, '/picture', '--volume', 'photos', '--data', ann.data];
  expect(await bench.godwit(put)).toMatchObject({ code: 0 });
  await bench.until(ann.data, ({ queues }) => queues.data.updates + queues.metadata.updates === 0);
  expect(existsSync(join(ann.folder, 'picture'))).toBe(false);
  const large = bench.path('large');
  writeFileSync(large, 'l'.repeat(1_500_000));
  const more = ['put', large, '/large', '--volume', 'photos', '--data', ann.data];
  expect((await bench.godwit(more)).stderr).toMatch(/quota/);
  expect(await onServer('volume', 'ls')).toMatchObject({
    volumes: [
      { name: 'ann', owner: 'ann' },
      { name: 'bob', owner: 'bob' },
      { name: 'home', owner: 'owner' },
      { name: 'photos', owner: 'ann', quota: 1_000_000, used: 100_000, removed: null },
    ],
  });
});

it('a laptop shows the volume that it was started for, and is refused one that it may not see', async () => {
  const [data, folder] = [bench.path('third', 'data'), bench.path('third', 'Godwit')];
  const invitation = await bench.invite(server, 'ann');
  const up = ['up', '--data', data, '--folder', folder, '--name', 'third'];
  const refused = await bench.godwit([...up, '--invite', invitation, '--volume', 'bob']);
  const why = 'this device sees no volume bob, only ann, photos';
  const goOn = 'this laptop is paired; choose one of them: `godwit up --volume NAME`';
  expect(refused.stderr).toBe(`godwit: ${why}; ${goOn}\n`);
  expect(refused.code).not.toBe(0);
  // Its daemon knows the volumes by now. The name that was refused is not kept, either time.
  const nosuch = await bench.godwit([...up, '--volume', 'nosuch']);
  expect(nosuch.stderr).toMatch(/^godwit: this device sees no volume nosuch, only ann, photos; /);
  expect(readConfig(data)?.volume).toBeUndefined();
  // It is paired: the invitation was not spent for nothing.
  await bench.json([...up, '--volume', 'photos']);
  await bench.until(data, () => existsSync(join(folder, 'picture')));
  expect(existsSync(join(folder, 'diary'))).toBe(false);
  await bench.json(['down', '--data', data]);
  const other = await bench.godwit([...up, '--volume', 'ann']);
  expect(other.stderr).toMatch(/^godwit: --volume ann: the folder shows the volume photos; /);
});

it('a volume that gets another name goes on at a laptop that runs, and after its restart', async () => {
  await onServer('volume', 'rename', 'bob', 'papers');
  await bench.until(bob.data, ({ volumes }) => volumes[0]?.name === 'papers');
  writeFileSync(join(bob.folder, 'second'), 'after the rename');
  await bench.flush(bob);
  expect((await bench.godwit(['cat', '/second', '--data', bob.data])).stdout).toBe(
    'after the rename',
  );
  await bench.json(['down', '--data', bob.data]);
  await onServer('volume', 'rename', 'papers', 'letters');
  // The name is somebody else's by now.
  await onServer('volume', 'create', 'papers', '--owner', 'bob');
  await bench.json(['up', '--data', bob.data]);
  await bench.until(bob.data, isWell);
  writeFileSync(join(bob.folder, 'third'), 'after the restart');
  await bench.flush(bob);
  expect((await bench.godwit(['cat', '/third', '--data', bob.data])).stdout).toBe(
    'after the restart',
  );
  expect((await bench.status(bob.data)).volumes.map(({ name }) => name).sort()).toEqual([
    'letters',
    'papers',
  ]);
});

it('a removed volume is reported and held at its laptop, and returns whole with the work done meanwhile', async () => {
  const removed = await onServer('volume', 'remove', 'ann');
  expect(removed).toMatchObject({ removed: 'ann', keptUntil: expect.stringMatching(/^20/) });
  const told = await bench.until(ann.data, hasError('volume-removed'));
  expect(told.errors).toContainEqual(
    expect.objectContaining({
      code: 'volume-removed',
      message: 'the volume ann was removed on the server; what is here stays',
    }),
  );
  expect(textOf(join(ann.folder, 'diary'))).toBe("ann's");
  writeFileSync(join(ann.folder, 'diary'), "ann's, changed while it was away");
  writeFileSync(join(ann.folder, 'new'), 'made while it was away');
  const flush = ['flush', '--wait', '--timeout', '60', '--data', ann.data];
  expect((await bench.godwit(flush)).code).not.toBe(0);
  // Also over a restart of both.
  await bench.json(['down', '--data', ann.data]);
  await bench.stop(server);
  server = await bench.server('server', server.address);
  await bench.json(['up', '--data', ann.data]);
  await bench.until(ann.data, hasError('volume-removed'));
  expect(textOf(join(ann.folder, 'diary'))).toBe("ann's, changed while it was away");
  await onServer('volume', 'restore', 'ann');
  await bench.until(ann.data, isWell);
  await bench.flush(ann);
  const again = await bench.laptop('again', await bench.invite(server, 'ann'));
  await bench.until(again.data, () => existsSync(join(again.folder, 'new')));
  await bench.flush(again);
  expect(textOf(join(again.folder, 'diary'))).toBe("ann's, changed while it was away");
  expect(await onServer('check')).toMatchObject({ fine: true });
});

it('the devices of a person who is removed are admitted no longer, and their files stay', async () => {
  const { devices, volumes } = await onServer('user', 'remove', 'bob');
  expect([devices, volumes]).toEqual([1, ['letters', 'papers']]);
  await bench.until(bob.data, hasError('device-revoked'));
  expect(textOf(join(bob.folder, 'second'))).toBe('after the rename');
  // Somebody is added under that name, and begins with nothing.
  await onServer('user', 'add', 'bob');
  await bench.json(['down', '--data', bob.data]);
  const up = await bench.godwit(['up', '--data', bob.data]);
  expect([up.code, up.stderr]).toEqual([
    1,
    expect.stringContaining('no longer admits this device'),
  ]);
});

it.each([' ', ' x', '.', '..', 'a/b'])('nobody and no volume gets the name %j', async (name) => {
  const place = ['--data', server.data];
  const commands = [
    ['user', 'add'],
    ['invite'],
    ['volume', 'create'],
    ['volume', 'rename', 'home'],
  ];
  for (const command of commands) {
    const run = await bench.godwit(['server', ...command, name, ...place]);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(/^godwit: a (user|volume) can not be called [^\n]+\n$/);
  }
});

it('names of volumes have no colon, hints quote names, and none is no quota', async () => {
  const colon = await bench.godwit(['server', 'volume', 'create', 'a:b', '--data', server.data]);
  expect(colon.stderr).toBe(
    'godwit: a volume can not be called “a:b”: it has a colon; give another name\n',
  );
  const quoted = ['server', 'volume', 'create', 'x y', '--quota', 'none', '--data', server.data];
  expect((await bench.godwit(quoted)).stdout).toContain("--volume 'x y'\n");
});

it('the last one who may write is removed only if that is meant', async () => {
  await onServer('user', 'remove', 'ann');
  const remove = ['server', 'user', 'remove', 'owner', '--data', server.data];
  const run = await bench.godwit(remove);
  expect([run.code, run.stderr]).toEqual([
    2,
    'godwit: owner: nobody else may write in home; nobody was removed; give --yes if that is meant\n',
  ]);
  expect(await bench.godwit([...remove, '--yes'])).toMatchObject({ code: 0 });
});
