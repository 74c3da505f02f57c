import { beforeEach, describe, expect, it } from '@jest/globals';
import { ClientBench, ROOT, type BenchClient } from '../../../test/support/client-bench.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import { instant, wallTime } from '../../../shared/model/time.ts';
import { SILENCE_ASKED, SILENCE_ENDED, SILENCE_LATE } from '../../limits.ts';
import type { Event } from '../events.ts';

let laptop: BenchClient;
let now: number;

beforeEach(async () => {
  const bench = await ClientBench.start();
  laptop = await bench.join();
  await laptop.write(ROOT, 'doc', 'text');
  await bench.pass(1000);
  now = bench.now;
});

/** What is sent, or done, from now on reaches nobody. Gives what was. */
function step(event: Event): string[] {
  const { effects } = laptop.client.step(event, { at: instant(now), wall: wallTime(now) });
  return effects.flatMap((effect) => {
    if (effect.kind === 'request') return [effect.message.rpc];
    return effect.kind === 'disconnect' ? ['disconnect'] : [];
  });
}

/** As `nextWake` wants it, for so long; `late`: by how much each time. Gives when what was done. */
function pass(milliseconds: number, late = 0): Array<[number, string]> {
  const [begin, end] = [now, now + milliseconds];
  const done: Array<[number, string]> = [];
  for (let at = laptop.client.nextWake(); at !== null && at + late <= end;) {
    now = Math.max(now, at + late);
    for (const what of step({ kind: 'tick' })) done.push([now - begin, what]);
    at = laptop.client.nextWake();
  }
  now = end;
  return done;
}

function ask(): string[] {
  return step({
    kind: 'call',
    call: 900,
    what: { op: 'mkdir', dir: ROOT, name: 'd', options: { mode: 0o755 } },
  });
}

describe('a silent server that somebody waits for', () => {
  it('is pinged and disconnected when no answer comes', () => {
    expect(ask()).toEqual(['Apply']);
    expect(pass(SILENCE_ASKED + SILENCE_ENDED)).toEqual([
      [SILENCE_ASKED, 'GetTime'],
      [SILENCE_ASKED + SILENCE_ENDED, 'disconnect'],
    ]);
  });

  it('is disconnected also when only a flush waits', () => {
    const what = { op: 'flush', volume: 1 as VolumeId, timeoutMs: null } as const;
    expect(step({ kind: 'call', call: 901, what })).toEqual(['GetTime']);
    expect(pass(SILENCE_ASKED + SILENCE_ENDED)).toEqual([
      [SILENCE_ASKED, 'GetTime'],
      [SILENCE_ASKED + SILENCE_ENDED, 'disconnect'],
    ]);
  });

  it('loses its promises in the step that disconnects it', () => {
    expect(laptop.client.inside.sharing.promises.count).toBeGreaterThan(0);
    ask();
    pass(SILENCE_ASKED + SILENCE_ENDED);
    expect(laptop.client.inside.sharing.promises.count).toBe(0);
    expect(laptop.client.inside.sharing.promises.leaseEnd).toBeNull();
  });

  it.each<[string, Event]>([
    ['its machine has the question', { kind: 'received' }],
    ['contents go on', { kind: 'progress', request: 1, sentBytes: 9, receivedBytes: 0 }],
    ['it breaks a promise', { kind: 'breaks', call: 1, items: [] }],
    ['it refuses something', { kind: 'aborted', request: 1, reason: 'peer', jitter: 0 }],
  ])('stays connected when %s', (_, sign) => {
    ask();
    for (let times = 0; times < 5; times++) {
      expect(pass(SILENCE_ASKED).map(([, what]) => what)).toContain('GetTime');
      pass(SILENCE_ENDED - 1);
      step(sign);
    }
    expect(pass(SILENCE_ASKED + SILENCE_ENDED).map(([, what]) => what)).toContain('disconnect');
  });

  it('gets the same time again when this machine slept', () => {
    ask();
    expect(pass(SILENCE_ASKED + 3 * SILENCE_LATE, SILENCE_LATE + 1)).toEqual([]);
    expect(pass(SILENCE_ASKED).map(([, what]) => what)).toContain('GetTime');
    now += 3_600_000;
    expect(step({ kind: 'tick' })).not.toContain('disconnect');
    const after = pass(SILENCE_ASKED + SILENCE_ENDED).map(([, what]) => what);
    expect(after.slice(0, -1)).not.toContain('disconnect');
    expect(after.at(-1)).toBe('disconnect');
  });
});

it('an idle connection is used only to keep the lease and is never given up', () => {
  const done = pass(28_000).map(([at, what]) => [Math.round(at / 1000), what]);
  expect(done).toEqual([
    [9, 'GetTime'],
    [19, 'GetTime'],
  ]);
});
