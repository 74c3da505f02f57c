/** `godwit stats`, on a daemon that has counted something. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeControl } from '../../test/support/fake-control.ts';
import { fakeStats } from '../../test/support/fake-stats.ts';
import { godwit } from '../../test/support/run-cli.ts';
import { statsLines } from './stats-lines.ts';

let control: FakeControl;

beforeEach(async () => {
  control = new FakeControl();
  await control.start();
});
afterEach(() => control.close());

const run = (...args: string[]) => godwit(['stats', ...args, '--data', control.data]);

describe('godwit stats', () => {
  it('prints calls by name, looks, and what was spared, since the daemon began', async () => {
    const { code, stdout } = await run();
    expect(code).toBe(0);
    const lines = stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  ').trim());
    expect(lines[0]).toMatch(
      /^counted for 5 h 0 min, since 2026-01-0\d .*, when the daemon began$/,
    );
    expect(lines.slice(1)).toEqual([
      '',
      'calls  number  failed  broken  sent  received  average  99 % within',
      'Store  12  1  0  2.4 MB  900 B  100 ms  over 100 ms',
      'BreakCallback (of the other side)  4  0  1  30 B  90 B  1 ms  1 ms',
      '',
      'looked at  number  from here  asked  fetched  in vain',
      'opens of files, by programs  100  97.0 %  0  3  0',
      'names  2  0.0 %  0  0  2',
      '',
      'never had to be sent:',
      'overwritten before  2 updates  5.0 MB',
      'merged with another  4 updates',
      '',
    ]);
  });

  it('asks for the time that a person gives, and for no other', async () => {
    expect((await run('--since', '10m')).stdout).toMatch(/^counted for 10 min, since [\d :-]+\n/);
    expect((await run('--since', '1d')).stdout).toMatch(/^counted for 1 d 0 h/);
    const { code, stderr } = await run('--since', 'yesterday');
    expect([code, stderr]).toEqual([2, expect.stringContaining('yesterday: not a time')]);
  });

  it('prints the whole report as JSON', async () => {
    const { stdout } = await run('--json');
    expect(JSON.parse(stdout)).toEqual(fakeStats(null));
  });

  it('prints that there were no calls before the first one', () => {
    const nothing = { ...fakeStats(null), calls: [], looks: [], spared: [] };
    expect(statsLines(nothing).slice(1)).toEqual(['', 'no calls']);
  });

  it('does not say that all was here where something was not', () => {
    const looks = [
      { by: 'program', of: 'name', end: 'here', count: 99_999 },
      { by: 'program', of: 'name', end: 'asked', count: 1 },
    ] as const;
    expect(statsLines({ ...fakeStats(null), looks }).join('\n')).toMatch(/100,000 +99\.9 % +1 /);
  });
});
