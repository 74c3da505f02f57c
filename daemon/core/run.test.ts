import { describe, expect, it } from '@jest/globals';
import { instant, milliseconds, wallTime } from '../../shared/model/time.ts';
import { tellRun } from './run.ts';
import { ClientState, type ClientConfig } from './state.ts';

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
  for (const [key, value] of before?.meta ?? []) state.meta.set(key, value);
  return state;
}

describe('a run of the daemon', () => {
  it('sends its name with each Hello', () => {
    const first = run('a', 'here');
    expect(tellRun(first)).toEqual({ run: 'a' });
    expect(tellRun(first)).toEqual({ run: 'a' });
  });

  it('reports the end of the previous run at the same place', () => {
    const first = run('a', 'here');
    tellRun(first);
    const second = run('b', 'here', first);
    expect(tellRun(second)).toEqual({ run: 'b', endedRun: 'a' });
    expect(tellRun(second)).toEqual({ run: 'b', endedRun: 'a' });
    expect(tellRun(run('c', 'here', second))).toEqual({ run: 'c', endedRun: 'b' });
  });

  it.each([
    ['at another place, or after another start of the machine', 'here', 'there'],
    ['when its place is unknown', undefined, undefined],
    ['when the place of the one before is unknown', undefined, 'here'],
  ])('reports no earlier run %s', (_, before, place) => {
    const first = run('a', before);
    tellRun(first);
    expect(tellRun(run('b', place, first))).toEqual({ run: 'b' });
  });

  it('leaves no trace when it never said Hello, and the one before it is reported', () => {
    const first = run('a', 'here');
    tellRun(first);
    expect(tellRun(run('c', 'here', run('b', 'here', first)))).toMatchObject({ endedRun: 'a' });
  });
});
