/** The history of a volume: what a ControlledDaemon reports of it and restores (PastKeeper in shared/ports/controlled.ts). */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fid } from '../../shared/model/fid.ts';
import type { PastKeeper, RestoreOrder } from '../../shared/ports/controlled.ts';
import { ControlledBench, type ControlledHarness } from './controlled-harness.ts';

const PRESENT = { version: null, at: null, to: null };

let bench: ControlledBench;

const asks: ReadonlyArray<[string, (past: PastKeeper, volume: string) => Promise<unknown>]> = [
  ['versions', (past, volume) => past.versions(volume, ['f'])],
  ['removed', (past, volume) => past.removed(volume, ['d'])],
  ['restore', (past, volume) => past.restore(volume, { ...PRESENT, path: ['f'] })],
  ['acts', (past, volume) => past.acts(volume, 10)],
  ['undo', (past, volume) => past.undo(volume, { last: 1 }, true)],
];

export function controlledPastSuite(name: string, start: () => Promise<ControlledHarness>): void {
  describe(`${name}, as a PastKeeper`, () => {
    beforeEach(async () => {
      bench = await ControlledBench.begin(await start());
    });

    afterEach(() => bench.harness.end());

    describe('whatever is asked', refusalClauses);
    describe('versions', versionClauses);
    describe('what comes back', restoreClauses);
    describe('what is taken back', undoClauses);
  });
}

const restore = (order: Partial<RestoreOrder> & Pick<RestoreOrder, 'path'>) =>
  bench.run(bench.daemon.past.restore(bench.volume.name, { ...PRESENT, ...order }));

async function contents(fid: Fid): Promise<number> {
  return (await bench.look(fid)).size;
}

/** Makes a file with two versions, of four and of nine bytes. */
async function twice(): Promise<Fid> {
  const { fid } = await bench.file('f', 'four');
  await bench.flush();
  await bench.store(fid, 'four more');
  await bench.flush();
  return fid;
}

async function remove(name: string): Promise<void> {
  await bench.run(bench.daemon.fileSystem.remove({ dir: bench.root, name }));
  await bench.flush();
}

function refusalClauses(): void {
  it.each(asks)('the request %s is refused for an unknown volume', async (_name, ask) => {
    await bench.refuses(ask(bench.daemon.past, 'none'), 'no-such-volume');
  });

  // `undo` flushes first, which may take long.
  it.each(asks.slice(0, 3))('the request %s is refused without the server', async (_name, ask) => {
    await twice();
    await bench.folder('d');
    await bench.flush();
    await bench.harness.connect(false);
    await bench.refuses(ask(bench.daemon.past, bench.volume.name), 'not-connected');
  });

  it('versions of a file that never existed are not found', async () => {
    const { past } = bench.daemon;
    const { name } = bench.volume;
    await bench.refuses(past.versions(name, ['none']), 'not-found');
    await bench.refuses(past.removed(name, ['none']), 'not-found');
    await bench.refuses(past.restore(name, { ...PRESENT, path: ['none'] }), 'not-found');
    await bench.refuses(past.versions(name, ['none', 'f']), 'not-found');
  });
}

function versionClauses(): void {
  it('versions are listed newest first with the present one marked', async () => {
    await twice();
    const { path, removed, versions } = await bench.run(
      bench.daemon.past.versions(bench.volume.name, ['f']),
    );
    expect({ path, removed }).toEqual({ path: '/f', removed: null });
    expect(versions).toMatchObject([
      { size: 9, present: true, kept: true },
      { size: 4, present: false, kept: true },
    ]);
    const [newer, older] = versions;
    expect(newer?.number).toBeGreaterThan(older?.number ?? Infinity);
  });

  it('versions of a removed file are listed together with its removal', async () => {
    await twice();
    await remove('f');
    const told = await bench.run(bench.daemon.past.versions(bench.volume.name, ['f']));
    expect(told.removed).not.toBeNull();
    expect(told.versions.map(({ size, present }) => [size, present])).toEqual([
      [9, false],
      [4, false],
    ]);
    const { removed } = await bench.run(bench.daemon.past.removed(bench.volume.name, []));
    expect(removed).toMatchObject([{ path: '/f', kind: 'file', size: 9 }]);
  });

  it('the list of removed files is empty when nothing was removed', async () => {
    await twice();
    const told = await bench.run(bench.daemon.past.removed(bench.volume.name, []));
    expect(told).toEqual({ path: '/', removed: [] });
  });
}

function restoreClauses(): void {
  it('a restore without a version takes the one before the present', async () => {
    const fid = await twice();
    const report = await restore({ path: ['f'] });
    expect(report).toEqual({ done: [{ path: '/f', as: 'contents', to: '/f' }], failed: [] });
    expect(await contents(fid)).toBe(4);
  });

  it('a restore of a given version puts it at the given path', async () => {
    const fid = await twice();
    const { versions } = await bench.run(bench.daemon.past.versions(bench.volume.name, ['f']));
    const version = versions.at(-1)?.number ?? 0;
    const report = await restore({ path: ['f'], version, to: ['g'] });
    expect(report).toEqual({ done: [{ path: '/f', as: 'made', to: '/g' }], failed: [] });
    expect(await contents(fid)).toBe(9);
    const made = await bench.run(bench.daemon.fileSystem.lookup(bench.root, 'g'));
    expect(made.size).toBe(4);
  });

  it('a restore of a removed file takes its last version', async () => {
    await twice();
    await remove('f');
    expect(await restore({ path: ['f'] })).toEqual({
      done: [{ path: '/f', as: 'made', to: '/f' }],
      failed: [],
    });
    expect(await bench.names()).toEqual(['f']);
    const { size } = await bench.run(bench.daemon.fileSystem.lookup(bench.root, 'f'));
    expect(size).toBe(9);
  });
}

function undoClauses(): void {
  const undo = (dryRun: boolean, extent = { last: 1 }) =>
    bench.run(bench.daemon.past.undo(bench.volume.name, extent, dryRun));

  it('an undo reports what it would do in a dry run and changes nothing', async () => {
    await twice();
    await remove('f');
    const done = [{ path: '/f', as: 'made', to: '/f' }];
    expect(await undo(true)).toEqual({ done, failed: [] });
    expect(await bench.names()).toEqual([]);
    expect(await undo(false)).toEqual({ done, failed: [] });
    expect(await bench.names()).toEqual(['f']);
  });

  it('an undo also reverses an overwrite', async () => {
    const fid = await twice();
    expect(await undo(false)).toEqual({
      done: [{ path: '/f', as: 'contents', to: '/f' }],
      failed: [],
    });
    expect(await contents(fid)).toBe(4);
  });

  it('an undo is refused while removals are held back', async () => {
    await twice();
    bench.harness.holdRemovals(3);
    await bench.refuses(
      bench.daemon.past.undo(bench.volume.name, { last: 1 }, false),
      'removals-held',
    );
  });
}
