import { expect, it } from '@jest/globals';
import { godwit } from '../../../test/support/run-cli.ts';

it.each([
  [
    ['bench'],
    /^godwit: bench: name one of its commands: ingest, mount, link, delay, rw, propagate, roam, cells, table2, fig2, fig3, .*; .*\n$/,
  ],
  [['bench', 'digest'], /^godwit: .*\n$/],
  [['bench', 'ingest', 'more'], /^godwit: .*argument 'more'.*\n$/],
  [['bench', 'ingest', '--files=-1'], /^godwit: .*-1.*\n$/],
  [['bench', 'ingest', '--size=0'], /^godwit: --size 0: .*\n$/],
  [['bench', 'ingest', '--large=1XB'], /^godwit: .*1XB.*\n$/],
  [['bench', 'ingest', '--known=many'], /^godwit: .*many.*\n$/],
  [['bench', 'ingest', '--idle=soon'], /^godwit: .*soon.*\n$/],
  [['bench', 'ingest', '--only=small'], /^godwit: .*small: one of files, large, known, idle .*\n$/],
  [
    ['bench', 'ingest', '--files=0', '--large=0', '--known=0', '--idle=0'],
    /^godwit: bench ingest: nothing is left to measure; .*\n$/,
  ],
  [['bench', 'link', 'more'], /^godwit: .*argument 'more'.*\n$/],
  [['bench', 'link', '--rates=64'], /^godwit: rates: 64: not a rate such as .*\n$/],
  [['bench', 'link', '--rates=1KB/s,0B/s'], /^godwit: rates: 0B\/s: more than 0 is wanted.*\n$/],
  [['bench', 'link', '--delays=5'], /^godwit: delays: 5: not a time such as 25ms.*\n$/],
  [['bench', 'link', '--delays=2m'], /^godwit: delays: delay 120000: from 0 to 60000.*\n$/],
  [['bench', 'link', '--time=0'], /^godwit: --time 0: some time is needed.*\n$/],
  [['bench', 'delay', '--time=0s'], /^godwit: --time 0: some time is needed.*\n$/],
  [['bench', 'delay', '--rates=0B/s'], /^godwit: rates: 0B\/s: more than 0 is wanted.*\n$/],
  [['bench', 'delay', '--rtts=3m'], /^godwit: rtts: delay 180000: from 0 to 60000.*\n$/],
  [['bench', 'rw', '--bandwidth=64'], /^godwit: bandwidth: 64: not a rate such as .*\n$/],
  [['bench', 'rw', '--scheduling=fair'], /^godwit: .*fair: one of priorities, uniform .*\n$/],
  [['bench', 'rw', '--through=mount'], /^godwit: .*mount: one of folder, port .*\n$/],
  [['bench', 'rw', '--through=folder', '--size=4KiB'], /^godwit: --size 4096: through .*\n$/],
  [['bench', 'rw', '--size=0'], /^godwit: --size 0: .*\n$/],
  [['bench', 'rw', '--queue=0ms'], /^godwit: --queue 0: .*\n$/],
  [['bench', 'rw', '--tbf', '--rtt=5ms'], /^godwit: --rtt: `tc tbf` adds no delay.*\n$/],
  [['bench', 'propagate', '--only=all'], /^godwit: .*all: one of saves, edit, pull, bulk .*\n$/],
  [['bench', 'propagate', '--size=1B'], /^godwit: bench propagate: a size is .*\n$/],
  [['bench', 'roam', '--outages=soon'], /^godwit: .*soon.*\n$/],
  [['bench', 'roam', '--size=1B'], /^godwit: bench roam: --size is .*\n$/],
  [['bench', 'latency-under-load', '--sample=2'], /^godwit: --sample: .* no runs to choose.*\n$/],
  [['bench', 'fig4', '--sample=0'], /^godwit: .*0.*\n$/],
  [['bench', 'delay', '--bulk=sideways'], /^godwit: .*sideways.*\n$/],
  [['bench', 'delay', '--rival', '--rtts=0ms,5ms'], /^godwit: --rtts: `tc tbf` adds no delay.*\n$/],
  [['bench', 'delay', '--rival', '--changing'], /^godwit: --changing: not beside a rival.*\n$/],
])('the arguments %j are a usage error', async (args, line) => {
  const { code, stdout, stderr } = await godwit(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(line);
});

it('a report file that cannot be written is reported as an object', async () => {
  const { code, stdout, stderr } = await godwit(['bench', 'rw', '--json=/nowhere/at/all']);
  expect([code, stderr]).toEqual([2, '']);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { code: 'usage', message: '--json /nowhere/at/all: there is no folder /nowhere/at' },
  });
});

it('a bench is refused in one line when there is no space', async () => {
  const { code, stderr } = await godwit(['bench', 'ingest', '--large', '8000TiB']);
  expect(code).toBe(5);
  expect(stderr).toMatch(/^godwit: .* are needed and .* are free .*; free some space.*\n$/);
});
