/**
 * What every ControlledDaemon must do (shared/ports/controlled.ts), clause by clause: the daemon's own, and the one that tests of the CLI, of the
 * control endpoint and of the page have. Of what waits, what is kept and what was, see the suites beside this one.
 *
 * `logLines`, `diskUse` and `down` are the program's that runs it: the daemon hands them on.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DEFAULT_CACHE } from '../../shared/model/cache.ts';
import { NO_LIMITS } from '../../shared/model/transfer-limits.ts';
import { DEFAULT_CONSISTENCY } from '../../shared/model/consistency.ts';
import type { Fid } from '../../shared/model/fid.ts';
import { NO_RULE } from '../../shared/model/network.ts';
import { DEFAULT_WRITEBACK } from '../../shared/model/writeback.ts';
import { ControlledBench, type ControlledHarness } from './controlled-harness.ts';

const HOUR = 3_600_000;

let bench: ControlledBench;

export function controlledDaemonSuite(name: string, start: () => Promise<ControlledHarness>): void {
  describe(`${name}, as a ControlledDaemon`, () => {
    beforeEach(async () => {
      bench = await ControlledBench.begin(await start());
    });

    afterEach(() => bench.harness.end());

    describe('its snapshot', statusClauses);
    describe('its settings', settingsClauses);
    describe('the name of the laptop', nameClauses);
    describe('what is said of sharing', sharingClauses);
    describe('locks of files', lockClauses);
    describe('rules of networks', networkClauses);
    describe('a flush', flushClauses);
    describe('removals that are held back', removalClauses);
    describe('conflicts', conflictClauses);
  });
}

function nameClauses(): void {
  it('the name is shown as it was given last', async () => {
    await bench.run(bench.daemon.renameDevice('anns-laptop'));
    await bench.until(() => bench.daemon.snapshot().device.name === 'anns-laptop');
  });

  it.each(['', ' ', 'a/b', 'a\nb', 'x'.repeat(65)])(
    'the name is refused when it is %j',
    async (name) => {
      const before = bench.daemon.snapshot().device.name;
      const renamed = bench.daemon.renameDevice(name);
      await expect(bench.run(renamed)).rejects.toMatchObject({ code: 'usage' });
      expect(bench.daemon.snapshot().device.name).toBe(before);
    },
  );
}

function statusClauses(): void {
  it('the snapshot shows a pause and its end, each with a new revision', async () => {
    for (const [act, paused] of [
      ['pause', true],
      ['resume', false],
    ] as const) {
      const { revision } = bench.daemon.snapshot();
      const changed = bench.daemon.changed(revision, HOUR);
      bench.daemon[act]();
      await bench.run(changed);
      await bench.until(() => bench.daemon.snapshot().paused === paused);
      expect(bench.daemon.snapshot().revision).toBeGreaterThan(revision);
    }
  });

  it('the snapshot is waited for no longer than requested', async () => {
    await bench.harness.rest();
    await bench.run(bench.daemon.changed(bench.daemon.snapshot().revision, 50));
  });

  it('the snapshot is returned at once when its revision has changed already', async () => {
    const { revision } = bench.daemon.snapshot();
    await bench.run(bench.daemon.changed(revision - 1, HOUR));
  });

  it('the snapshot shows whether the server is connected', async () => {
    expect(bench.daemon.snapshot().connected).toBe(true);
    await bench.harness.connect(false);
    expect(bench.daemon.snapshot().connected).toBe(false);
    await bench.harness.connect(true);
    expect(bench.daemon.snapshot().connected).toBe(true);
  });
}

function settingsClauses(): void {
  it('the writeback settings can be read and changed, and omitted ones stay', async () => {
    expect(await bench.run(bench.daemon.writeback({}))).toEqual(DEFAULT_WRITEBACK);
    const change = { policy: 'logging', dirtyLimit: 1000 } as const;
    const changed = { ...DEFAULT_WRITEBACK, ...change };
    expect(await bench.run(bench.daemon.writeback(change))).toEqual(changed);
    const delayed = { ...changed, delay: 5000 };
    expect(await bench.run(bench.daemon.writeback({ delayMs: 5000 }))).toEqual(delayed);
    expect(await bench.run(bench.daemon.writeback({}))).toEqual(delayed);
  });

  it('the dirty limit returns to the default when it is set to null', async () => {
    await bench.run(bench.daemon.writeback({ dirtyLimit: 1000 }));
    expect(await bench.run(bench.daemon.writeback({ dirtyLimit: null }))).toEqual(
      DEFAULT_WRITEBACK,
    );
  });

  it('the limits can be read, changed and taken away, and omitted ones stay', async () => {
    expect(await bench.run(bench.daemon.limits({}))).toEqual(NO_LIMITS);
    const upload = { upload: 50_000, download: null };
    expect(await bench.run(bench.daemon.limits({ upload: 50_000 }))).toEqual(upload);
    const both = { upload: 50_000, download: 10_000 };
    expect(await bench.run(bench.daemon.limits({ download: 10_000 }))).toEqual(both);
    expect(await bench.run(bench.daemon.limits({}))).toEqual(both);
    const gone = { upload: null, download: 10_000 };
    expect(await bench.run(bench.daemon.limits({ upload: null }))).toEqual(gone);
    expect(await bench.run(bench.daemon.limits(NO_LIMITS))).toEqual(NO_LIMITS);
  });

  it('the consistency settings can be read and changed, and omitted ones stay', async () => {
    expect(await bench.run(bench.daemon.consistency({}))).toEqual(DEFAULT_CONSISTENCY);
    const change = { invalidations: 'no', awayReads: 'try-again' } as const;
    const changed = { ...DEFAULT_CONSISTENCY, ...change };
    expect(await bench.run(bench.daemon.consistency(change))).toEqual(changed);
    const each = { ...changed, validations: 'each' };
    const asked = { validations: 'each', invalidations: undefined } as const;
    expect(await bench.run(bench.daemon.consistency(asked))).toEqual(each);
    expect(await bench.run(bench.daemon.consistency({}))).toEqual(each);
  });

  it('the cache settings can be read and changed, and null restores the default', async () => {
    expect(await bench.run(bench.daemon.cacheSettings({}))).toEqual(DEFAULT_CACHE);
    const change = { maximum: 1e9, reserve: 1e6, prefetch: false };
    const changed = { ...DEFAULT_CACHE, ...change, isBounded: true };
    expect(await bench.run(bench.daemon.cacheSettings(change))).toEqual(changed);
    expect(await bench.run(bench.daemon.cacheSettings({}))).toEqual(changed);
    expect(bench.daemon.cache.use()).toMatchObject({ settings: changed, limit: 1e9 });
    const back = { maximum: null, reserve: null };
    const left = { ...DEFAULT_CACHE, prefetch: false };
    expect(await bench.run(bench.daemon.cacheSettings(back))).toEqual(left);
  });

  it('a preview of a bound on the cache changes nothing, and refuses what the change would', async () => {
    const before = await bench.run(bench.daemon.cacheSettings({}));
    const none = { files: 0, bytes: 0 };
    const { goes } = await bench.run(bench.daemon.cache.preview({ maximum: null }));
    expect(goes).toEqual(none);
    const { here, goes: all } = await bench.run(
      bench.daemon.cache.preview({ minimum: 0, maximum: 0 }),
    );
    expect(all.bytes).toBeLessThanOrEqual(here.bytes);
    await bench.refuses(bench.daemon.cache.preview({ minimum: 10, maximum: 9 }), 'usage');
    expect(await bench.run(bench.daemon.cacheSettings({}))).toEqual(before);
  });

  it('the cache minimum can not exceed the maximum', async () => {
    const small = { ...DEFAULT_CACHE, minimum: 1000, maximum: 1000, isBounded: true };
    expect(await bench.run(bench.daemon.cacheSettings({ maximum: 1000 }))).toEqual(small);
    await bench.refuses(bench.daemon.cacheSettings({ minimum: 1001, reserve: 5 }), 'usage');
    expect(await bench.run(bench.daemon.cacheSettings({}))).toEqual(small);
    const less = { ...small, minimum: 10 };
    expect(await bench.run(bench.daemon.cacheSettings({ minimum: 10 }))).toEqual(less);
    await bench.refuses(bench.daemon.cacheSettings({ maximum: 9 }), 'usage');
    expect(await bench.run(bench.daemon.cacheSettings({}))).toEqual(less);
  });

  it('the settings survive a restart', async () => {
    if (bench.harness.restart === null) return;
    await bench.run(bench.daemon.writeback({ policy: 'sync', delayMs: 7, dirtyLimit: 9 }));
    await bench.run(bench.daemon.consistency({ awayReads: 'try-again' }));
    await bench.run(bench.daemon.cacheSettings({ minimum: 5, maximum: 6 }));
    await bench.run(bench.daemon.ruleNetwork('train', { pause: true }));
    await bench.harness.restart();
    const writeback = { policy: 'sync', delay: 7, dirtyLimit: 9 };
    expect(await bench.run(bench.daemon.writeback({}))).toEqual(writeback);
    const consistency = { ...DEFAULT_CONSISTENCY, awayReads: 'try-again' };
    expect(await bench.run(bench.daemon.consistency({}))).toEqual(consistency);
    const cache = { ...DEFAULT_CACHE, minimum: 5, maximum: 6, isBounded: true };
    expect(await bench.run(bench.daemon.cacheSettings({}))).toEqual(cache);
    expect(bench.daemon.networks().networks).toMatchObject([
      { network: 'train', rule: { ...NO_RULE, pause: true } },
    ]);
  });
}

function lockClauses(): void {
  it('a lock is listed until it is ended', async () => {
    const { fid } = await bench.file('f', 'text');
    await bench.flush();
    const { locks } = bench.daemon;
    expect(locks.report()).toEqual({ isCurrent: true, locks: [], lost: [] });
    const { lock, isCurrent } = await bench.run(locks.lock(fid, 'shared'));
    const row = { volume: bench.volume.name, path: 'f', fid, mode: 'shared', isOwn: true };
    expect({ lock, isCurrent }).toMatchObject({ lock: { ...row, state: 'held' }, isCurrent: true });
    expect(await bench.run(locks.lock(fid, 'exclusive'))).toMatchObject({
      lock: { mode: 'exclusive' },
    });
    expect(locks.report().locks).toMatchObject([{ ...row, mode: 'exclusive', state: 'held' }]);
    expect(await bench.run(locks.unlock(fid, false))).toEqual({ waits: false, others: 0 });
    await bench.harness.rest();
    expect(locks.report().locks).toEqual([]);
    await bench.refuses(locks.unlock(fid, false), 'not-locked');
    expect(await bench.run(locks.unlock(fid, true))).toEqual({ waits: false, others: 0 });
  });

  it('a lock of a folder, of what is not there, or without the server is refused', async () => {
    const { locks } = bench.daemon;
    const dir = await bench.folder('d');
    const { fid } = await bench.file('f', 'text');
    await bench.flush();
    await bench.refuses(locks.lock(dir.fid, 'exclusive'), 'is-a-directory');
    const gone = `${bench.volume.id}.9999.1` as Fid;
    await bench.refuses(locks.lock(gone, 'exclusive'), 'not-found');
    await bench.harness.connect(false);
    await bench.refuses(locks.lock(fid, 'exclusive'), 'not-connected');
    expect(locks.report().locks).toEqual([]);
  });
}

function sharingClauses(): void {
  const unsaid = { order: 'auto', from: null, counts: 'unshared' };

  it('the list of sharing orders is empty at first', async () => {
    const { fid } = await bench.file('f', 'text');
    expect(bench.daemon.sharing(null)).toEqual({ orders: [], of: null });
    expect(bench.daemon.sharing(fid)).toEqual({ orders: [], of: unsaid });
  });

  it('a sharing order is kept and listed until it is withdrawn', async () => {
    const { fid } = await bench.file('f', 'text');
    await bench.flush();
    const said = { order: 'shared', from: 'f', counts: 'shared' };
    expect(await bench.run(bench.daemon.orderSharing(fid, 'shared'))).toEqual(said);
    const row = { volume: bench.volume.name, path: 'f', fid, order: 'shared' };
    expect(bench.daemon.sharing(fid)).toEqual({ orders: [row], of: said });
    const wish = { order: 'unshared', from: 'f', counts: 'unshared' };
    expect(await bench.run(bench.daemon.orderSharing(fid, 'unshared'))).toEqual(wish);
    expect(await bench.run(bench.daemon.orderSharing(fid, null))).toEqual(unsaid);
    expect(bench.daemon.sharing(fid)).toEqual({ orders: [], of: unsaid });
    expect(await bench.run(bench.daemon.orderSharing(fid, null))).toEqual(unsaid);
  });

  it('a sharing order for a folder applies to all files in it without an order of their own', async () => {
    const dir = await bench.folder('d');
    const { fid } = await bench.file('f', 'text', dir.fid);
    await bench.flush();
    await bench.run(bench.daemon.orderSharing(dir.fid, 'shared'));
    const above = { order: 'shared', from: 'd', counts: 'shared' };
    expect(bench.daemon.sharing(fid).of).toEqual(above);
    await bench.run(bench.daemon.orderSharing(fid, 'unshared'));
    const own = { order: 'unshared', from: 'd/f', counts: 'unshared' };
    expect(bench.daemon.sharing(fid).of).toEqual(own);
    expect(await bench.run(bench.daemon.orderSharing(fid, null))).toEqual(above);
    expect(await bench.run(bench.daemon.orderSharing(bench.root, 'unshared'))).toMatchObject({
      from: '',
    });
  });

  it('a sharing order for an unknown file, or without the server, is refused and changes nothing', async () => {
    const { fid } = await bench.file('f', 'text');
    await bench.flush();
    await bench.refuses(bench.daemon.orderSharing('99.1.1' as Fid, 'shared'), 'no-such-volume');
    await bench.refuses(
      bench.daemon.orderSharing(`${bench.volume.id}.9999.1` as Fid, 'shared'),
      'no-such-vnode',
    );
    bench.daemon.pause();
    const made = await bench.make('new');
    await bench.refuses(bench.daemon.orderSharing(made.fid, 'shared'), 'not-committed');
    await bench.harness.connect(false);
    await bench.refuses(bench.daemon.orderSharing(fid, 'shared'), 'not-connected');
    expect(bench.daemon.sharing(fid)).toEqual({ orders: [], of: unsaid });
  });
}

function networkClauses(): void {
  const rows = () => bench.daemon.networks().networks;

  it('network rules can be made, changed and withdrawn, and there are none at first', async () => {
    expect(rows()).toEqual([]);
    const row = { network: 'train', used: 0, current: false };
    await bench.run(bench.daemon.ruleNetwork('train', { metered: 'yes' }));
    expect(rows()).toEqual([{ ...row, rule: { ...NO_RULE, metered: 'yes' } }]);
    await bench.run(bench.daemon.ruleNetwork('train', { budget: 1000 }));
    expect(rows()).toEqual([{ ...row, rule: { ...NO_RULE, metered: 'yes', budget: 1000 } }]);
    await bench.run(bench.daemon.ruleNetwork('train', { budget: null }));
    expect(rows()).toEqual([{ ...row, rule: { ...NO_RULE, metered: 'yes' } }]);
    await bench.run(bench.daemon.ruleNetwork('train', null));
    expect(rows()).toEqual([]);
  });

  it('network rules are listed by name', async () => {
    for (const network of ['b', 'subnet:10.0.0.0/8', 'a']) {
      await bench.run(bench.daemon.ruleNetwork(network, {}));
    }
    expect(rows().map(({ network }) => network)).toEqual(['a', 'b', 'subnet:10.0.0.0/8']);
    expect(rows()[0]?.rule).toEqual(NO_RULE);
  });

  it('network rules with an invalid name or value are refused and change nothing', async () => {
    await bench.run(bench.daemon.ruleNetwork('train', {}));
    const before = rows();
    for (const bad of ['', 'x'.repeat(201), 'subnet:10.0.0.1/8']) {
      await bench.refuses(bench.daemon.ruleNetwork(bad, {}), 'usage');
    }
    await bench.refuses(bench.daemon.ruleNetwork('tram', null), 'not-found');
    expect(rows()).toEqual(before);
  });

  it('network rules are limited in number', async () => {
    for (let at = 0; at < 200; at++) await bench.run(bench.daemon.ruleNetwork(`net ${at}`, {}));
    await bench.refuses(bench.daemon.ruleNetwork('one more', {}), 'usage');
    await bench.run(bench.daemon.ruleNetwork('net 7', { pause: true }));
    expect(rows()).toHaveLength(200);
  });
}

function flushClauses(): void {
  it('a flush resolves when everything is committed', async () => {
    const { fid } = await bench.file('f', 'text');
    await bench.run(bench.daemon.scan());
    await bench.flush();
    expect(await bench.look(fid)).toMatchObject({ sync: 'committed' });
    await bench.store(fid, 'more');
    await bench.run(bench.daemon.flush(60_000, true));
    expect(await bench.look(fid)).toMatchObject({ sync: 'committed' });
  });

  it('a flush rejects when it takes too long, without losing anything', async () => {
    const { fid } = await bench.file('f', 'text');
    await bench.flush();
    await bench.harness.connect(false);
    await bench.store(fid, 'more');
    await bench.refuses(bench.daemon.flush(500), 'timed-out');
    await bench.refuses(bench.daemon.flush(500, true), 'timed-out');
    await bench.harness.connect(true);
    await bench.flush();
    expect(await bench.look(fid)).toMatchObject({ sync: 'committed' });
  });

  it('a flush rejects while an update is cancelled', async () => {
    await bench.enqueue();
    const order = { target: { volume: bench.volume.name, path: ['b'] }, withDependents: true };
    await bench.run(bench.daemon.orderQueue({ ...order, act: 'cancel' }));
    bench.daemon.resume();
    await bench.refuses(bench.daemon.flush(null), 'sync-blocked');
    expect(await bench.told()).toEqual(['create b cancelled', 'store b cancelled']);
    await bench.run(bench.daemon.orderQueue({ ...order, act: 'now' }));
    await bench.flush();
    expect(await bench.told()).toEqual([]);
  });

  it('a flush ignores the writeback delay', async () => {
    await bench.run(bench.daemon.writeback({ delayMs: HOUR }));
    const { fid } = await bench.file('f', 'text');
    await bench.flush();
    expect(await bench.look(fid)).toMatchObject({ sync: 'committed' });
  });

  it('a delayed update is sent without a flush when somebody expedites it', async () => {
    await bench.run(bench.daemon.writeback({ delayMs: HOUR }));
    const { fid } = await bench.file('f', 'text');
    await bench.harness.rest();
    expect(await bench.told()).toEqual(['store f delayed']);
    const [entry] = await bench.queue();
    expect(entry?.until).toMatch(/^\d{4}-\d\d-\d\dT/);
    bench.daemon.hurry();
    await bench.harness.rest();
    expect(await bench.told()).toEqual([]);
    expect(await bench.look(fid)).toMatchObject({ sync: 'committed' });
  });
}

function removalClauses(): void {
  it('held-back removals can be confirmed or rejected also when there are none', async () => {
    expect(await bench.run(bench.daemon.confirmRemovals())).toBe(0);
    expect(await bench.run(bench.daemon.rejectRemovals())).toBe(0);
  });

  it.each(['confirmRemovals', 'rejectRemovals'] as const)(
    'held-back removals keep a flush from ending until they are decided on: %s',
    async (act) => {
      bench.harness.holdRemovals(60);
      await bench.refuses(bench.daemon.flush(null), 'removals-held');
      expect(await bench.run(bench.daemon[act]())).toBe(60);
      expect(await bench.run(bench.daemon[act]())).toBe(0);
      await bench.flush();
    },
  );
}

function conflictClauses(): void {
  it('conflicts are shown until they are dismissed', async () => {
    await bench.harness.conflict('f');
    await bench.until(() => bench.daemon.snapshot().conflicts.length === 1);
    const { conflicts, revision } = bench.daemon.snapshot();
    const id = conflicts[0]?.id ?? 0;
    bench.daemon.dismissConflict(id + 1);
    await bench.harness.rest();
    expect(bench.daemon.snapshot().conflicts).toEqual(conflicts);
    bench.daemon.dismissConflict(id);
    await bench.until(() => bench.daemon.snapshot().conflicts.length === 0);
    expect(bench.daemon.snapshot().revision).toBeGreaterThan(revision);
  });
}
