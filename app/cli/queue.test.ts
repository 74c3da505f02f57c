import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { QueueEntry, QueueReport } from '../../shared/control/queue.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { FakeControl } from '../../test/support/fake-control.ts';
import { FakeDaemon, IDLE } from '../../test/support/fake-daemon.ts';
import { godwit } from '../../test/support/run-cli.ts';

let control: FakeControl;

beforeEach(async () => {
  control = new FakeControl();
  await control.start();
});

afterEach(() => control.close());

const run = (...args: string[]) => godwit([...args, '--data', control.data]);

const STORE: QueueEntry = {
  number: 8,
  volume: 'home',
  path: 'docs/a.txt',
  kind: 'store',
  priorityClass: 'STORE_DATA',
  bytes: 4000,
  sentBytes: 1000,
  state: 'on its way',
  turn: null,
  waitsFor: [],
  reason: null,
  until: null,
  seconds: 3,
};

it('`godwit queue fetches` prints what is fetched and for whom', async () => {
  const fetching = {
    volume: 'home',
    state: 'on its way',
    bytes: 4000,
    receivedBytes: 1000,
  } as const;
  control.daemon.fetching = {
    total: 3,
    entries: [
      { ...fetching, path: 'docs/a.txt', demanded: true },
      { ...fetching, path: null, demanded: false, bytes: null, state: 'waiting' },
    ],
  };
  expect((await run('queue', 'fetches', '--most', '2')).stdout).toBe(
    'state       for whom                  size  path\n' +
      'on its way  wanted now      25 % of 4.0 KB  /docs/a.txt\n' +
      'waiting     for the folder               -  (no name)\n' +
      '... and 1 more (--most)\n',
  );
  control.daemon.fetching = { total: 0, entries: [] };
  expect((await run('queue', 'fetches')).stdout).toBe('nothing is being fetched\n');
  expect(control.daemon.calls).toEqual(['fetches 2', 'fetches 50']);
});

describe('godwit queue', () => {
  it('prints what waits in its order, and why nothing is sent', async () => {
    const rename: QueueEntry = {
      ...{
        ...STORE,
        number: 9,
        kind: 'rename',
        state: 'waiting',
        path: 'b\u001b[2J',
        turn: 'later',
      },
      ...{ waitsFor: [8, 7], seconds: null, bytes: 0, sentBytes: 0 },
    };
    control.daemon.queued = { total: 3, entries: [STORE, rename], why: 'paused' };
    const { data, metadata } = IDLE.queues;
    const estimate = { bytesPerSecond: 1000, seconds: 3, why: null };
    const stores = { ...data, updates: 2, bytes: 4000, sentBytes: 1000, estimate };
    control.daemon.become({ queues: { metadata: { ...metadata, updates: 1 }, data: stores } });
    const { code, stdout } = await run('queue');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^↑ 3 changes to send, 3\.0 KB left, about 3 s at 1\.0 KB\/s\n/);
    expect(stdout).toMatch(/\n +number +state +what +size +sent +left +path\n/);
    expect(stdout).toMatch(/8 +on its way +contents +4\.0 KB +25 % +3 s +\/docs\/a\.txt\n/);
    expect(stdout).toMatch(/9 +waits for 8 and 1 more, last +rename +- +\$'\/b/);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/and 1 more \(--most\)\n! nothing is sent at the moment: paused\n$/);
    expect(control.daemon.calls).toEqual(['queue 50']);
    expect(JSON.parse((await run('queue', '--json')).stdout)).toEqual(control.daemon.queued);
  });

  it('prints a long queue page by page and starts over when a listing has expired', async () => {
    const entries = Array.from({ length: 2500 }, (_, at) => ({ ...STORE, number: at + 1 }));
    control.daemon.queued = { total: 2500, entries, why: null };
    const told = async (...more: string[]): Promise<number[]> => {
      const { stdout } = await run('queue', '--json', ...more);
      return (JSON.parse(stdout) as QueueReport).entries.map(({ number }) => number);
    };
    const numbers = entries.map(({ number }) => number);
    expect(await told()).toEqual(numbers);
    expect(control.daemon.calls).toHaveLength(3);
    expect(await told('--most', '1001')).toEqual(numbers.slice(0, 1001));
    const { daemon } = control;
    let isGone = true;
    daemon.queue = (asked) => {
      if (asked.from !== 1000 || !isGone) return FakeDaemon.prototype.queue.call(daemon, asked);
      isGone = false;
      return Promise.reject(new GodwitError('listing-gone'));
    };
    expect(await told()).toEqual(numbers);
    daemon.queue = () => Promise.reject(new GodwitError('listing-gone'));
    const refused = await run('queue', '--json');
    expect(refused.code).toBe(5);
  });

  it('shows for a new file how long the contents are that wait for it', async () => {
    const bare: QueueEntry = { ...STORE, number: 6, kind: 'create', bytes: 0, sentBytes: 0 };
    const create: QueueEntry = { ...bare, path: 'new', contentBytes: 5_000_000 };
    const folder: QueueEntry = { ...bare, number: 5, kind: 'mkdir', path: 'd' };
    control.daemon.queued = { total: 2, entries: [folder, create], why: null };
    const { stdout } = await run('queue');
    expect(stdout).toMatch(/new file +5\.0 MB .*\/new$/m);
    expect(stdout).not.toMatch(/new folder.*MB/);
  });

  it.each<[string, string, object]>([
    ['now', 'docs/a', { volume: 'home', path: ['docs', 'a'] }],
    ['later', '42', { number: 42 }],
    ['cancel', '/42', { volume: 'home', path: ['42'] }],
  ])('sends the order %s %s', async (act, text, target) => {
    control.daemon.ordered = { updates: 3, others: 2, underWay: 1, why: null };
    const { code, stdout } = await run('queue', act, text);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^\S.*: 2 changes \(and 2 others with them\) .*\n.*: 1 change is on its way already\n$/,
    );
    const order = JSON.stringify({ act, target, withDependents: false });
    expect(control.daemon.calls).toEqual([`order ${order}`]);
  });

  it('reports in one line what is wrong', async () => {
    control.daemon.ordered = new GodwitError('update-needed', 'a change waits for it: rename of b');
    const refused = await run('queue', 'cancel', 'a');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/rename of b; .*--with-dependents/);
    expect((await run('queue', 'now', '0')).code).toBe(2);
    expect((await run('queue', 'now', '../a')).code).toBe(2);
    expect((await run('queue', 'now')).code).toBe(2);
    expect((await run('queue', 'explode', 'a')).code).toBe(2);
  });
});

describe('godwit writeback', () => {
  it('prints how changes are sent and changes that', async () => {
    expect((await run('writeback')).stdout).toMatch(/^async: /);
    const { stdout } = await run('writeback', 'logging', '--delay', '30', '--dirty-limit', '1GB');
    expect(stdout).toMatch(/^logging: .*\n.*not written for 30.0 s\n.*from 1.0 GB on\n$/);
    const json = await run('writeback', '--dirty-limit', '0', '--json');
    expect(JSON.parse(json.stdout)).toEqual({
      policy: 'logging',
      delay: 30_000,
      dirtyLimit: null,
    });
  });

  it.each([[['fast']], [['--delay', '-1']], [['--delay', '90000']], [['--dirty-limit', 'much']]])(
    'refuses the arguments %j',
    async (args) => {
      expect((await run('writeback', ...args)).code).toBe(2);
      expect(control.daemon.calls).toEqual([]);
    },
  );
});

it('`godwit status` prints how long the queue takes or why that is unknown', async () => {
  const { data } = IDLE.queues;
  const become = (estimate: (typeof data)['estimate'], cancelled = 0) =>
    control.daemon.become({
      queues: { ...IDLE.queues, data: { ...data, updates: 2, bytes: 4000, cancelled, estimate } },
    });
  become({ bytesPerSecond: 1000, seconds: 4, why: null });
  expect((await run('status')).stdout).toMatch(
    /^↑ 2 changes to send, 4.0 KB left, about 4 s at 1.0 KB\/s$/m,
  );
  become({ bytesPerSecond: 1000, seconds: null, why: 'not connected' }, 1);
  expect((await run('status')).stdout).toMatch(
    /^↑ 1 change to send, 4.0 KB left, no estimate: not connected\n· 1 change cancelled: see `godwit queue`$/m,
  );
});

it('`godwit flush --now` waits and ignores the network rules', async () => {
  expect(await run('flush', '--now')).toMatchObject({ code: 0, stderr: '' });
  expect(await run('flush', '--wait', '--timeout', '5')).toMatchObject({ code: 0 });
  expect(control.daemon.calls).toEqual(['flush null now', 'flush 5000']);
});

it('`godwit pause --until-network-changes` prints that, as `status` does', async () => {
  const paused = await run('pause', '--until-network-changes');
  expect(paused).toMatchObject({ code: 0, stderr: '' });
  expect(paused.stdout).toMatch(/^paused: .* or until the network changes\n$/);
  expect((await run('status')).stdout).toMatch(/^● Paused until the network changes\n/);
  const both = await run('pause', '--until-network-changes', '--for', '30m');
  expect(both).toMatchObject({ code: 2, stdout: '' });
  expect(both.stderr).toMatch(/^godwit: [^\n]+\n$/);
  expect(control.daemon.calls).toEqual(['pause until the network changes']);
});
