import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeControl } from '../../../test/support/fake-control.ts';
import type { Known } from '../view/status-view.ts';
import { DaemonWatch } from './daemon-watch.ts';

let control: FakeControl;
let watch: DaemonWatch;
let running: Promise<void>;
let heard: Known[];
let onHeard: () => void;

beforeEach(async () => {
  control = new FakeControl();
  heard = [];
  onHeard = () => undefined;
  await control.start();
  watch = new DaemonWatch(control.data, (known) => {
    heard.push(known);
    onHeard();
  });
  running = watch.run();
});

afterEach(async () => {
  watch.end();
  await running;
  await control.close();
});

const knows = (kind: Known['kind']): Promise<void> =>
  new Promise((resolve) => {
    onHeard = () => {
      if (watch.known.kind === kind) resolve();
    };
    onHeard();
  });

const DAY_MS = 86_400_000;

describe('the one subscription of the tray', () => {
  it('gives the page its first status when the daemon has sent it', async () => {
    expect(await watch.status(null, DAY_MS)).toMatchObject({ revision: 1 });
  });

  it('returns a status of another revision at once', async () => {
    await knows('running');
    expect(await watch.status(7, DAY_MS)).toMatchObject({ revision: 1 });
  });

  it('holds a request until the daemon has a new status', async () => {
    await knows('running');
    const next = watch.status(1, DAY_MS);
    control.daemon.become({ state: 'syncing' });
    expect(await next).toMatchObject({ revision: 2, state: 'syncing' });
  });

  it('asks the daemon once, however many ask the tray', async () => {
    await knows('running');
    const asked = [1, 2, 3].map(() => watch.status(1, DAY_MS));
    control.daemon.become({ state: 'syncing' });
    expect((await Promise.all(asked)).map((status) => status?.revision)).toEqual([2, 2, 2]);
    const calls = control.daemon.calls.filter((call) => call.startsWith('changed 1 '));
    expect(calls.length).toBeLessThanOrEqual(1);
  });

  it('ends a request after its time with the known status', async () => {
    await knows('running');
    expect(await watch.status(1, 0)).toMatchObject({ revision: 1 });
  });

  it('ends every request when the daemon ends', async () => {
    await knows('running');
    const next = watch.status(1, DAY_MS);
    await control.stop();
    expect(await next).toBeNull();
    expect(await watch.status(null, DAY_MS)).toBeNull();
  });

  it('finds the daemon again after an error of a listener', async () => {
    await knows('running');
    onHeard = () => {
      throw new Error('the picture of the icon can not be read');
    };
    const next = watch.status(1, DAY_MS);
    await control.stop();
    expect(await next).toBeNull();
    await control.start();
    await knows('running');
    expect(await watch.status(null, DAY_MS)).toMatchObject({ state: 'idle' });
  });

  it('has the reason for which a start failed until a daemon runs', async () => {
    writeFileSync(join(control.data, 'config.json'), '{}');
    await knows('running');
    watch.failed('it was running already');
    await control.stop();
    await knows('away');
    expect(watch.known).toEqual({ kind: 'away' });
    watch.failed('/data: the disk is full');
    expect(heard.at(-1)).toEqual({ kind: 'away', why: '/data: the disk is full' });
    // Told again with each look for the daemon.
    await new Promise<void>((resolve) => (onHeard = resolve));
    expect(watch.known).toEqual({ kind: 'away', why: '/data: the disk is full' });
    await control.start();
    await knows('running');
    await control.stop();
    await knows('away');
    expect(watch.known).toEqual({ kind: 'away' });
  });
});
