import { describe, expect, it } from '@jest/globals';
import { instant, milliseconds, wallTime } from '../../../shared/model/time.ts';
import { tellInstance } from './daemon-instance.ts';
import { ClientState, type ClientConfig } from '../state.ts';

const NOW = { at: instant(0), wall: wallTime(0) };

/** A run of a daemon on what `before`, if there was one, has left. */
function run(updateName: string, place: string | undefined, before?: ClientState): ClientState {
  const config: ClientConfig = {
    deviceName: 'laptop',
    software: 'test',
    updateName,
    frontEnd: 'none',
    invitation: null,
    notConnectedWait: milliseconds(0),
    cacheBytes: 0,
    localCopies: false,
    ...(place === undefined ? {} : { place }),
  };
  const state = new ClientState(config, NOW);
  for (const key of before?.meta.keys() ?? []) {
    state.meta.set(key, before?.meta.get(key) ?? null);
  }
  return state;
}

describe('a run of the daemon', () => {
  it('sends its name with each Hello', () => {
    const first = run('a', 'here');
    expect(tellInstance(first)).toEqual({ run: 'a' });
    expect(tellInstance(first)).toEqual({ run: 'a' });
  });

  it('reports the end of the previous run at the same place', () => {
    const first = run('a', 'here');
    tellInstance(first);
    const second = run('b', 'here', first);
    expect(tellInstance(second)).toEqual({ run: 'b', endedRun: 'a' });
    expect(tellInstance(second)).toEqual({ run: 'b', endedRun: 'a' });
    expect(tellInstance(run('c', 'here', second))).toEqual({ run: 'c', endedRun: 'b' });
  });

  it.each([
    ['at another place, or after another start of the machine', 'here', 'there'],
    ['when its place is unknown', undefined, undefined],
    ['when the place of the one before is unknown', undefined, 'here'],
  ])('reports no earlier run %s', (_, before, place) => {
    const first = run('a', before);
    tellInstance(first);
    expect(tellInstance(run('b', place, first))).toEqual({ run: 'b' });
  });

  it('leaves no trace when it never said Hello, and the one before it is reported', () => {
    const first = run('a', 'here');
    tellInstance(first);
    expect(tellInstance(run('c', 'here', run('b', 'here', first)))).toMatchObject({
      endedRun: 'a',
    });
  });
});
