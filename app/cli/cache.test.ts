/** `godwit pin` and its like, on a daemon that keeps what it is told. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeControl } from '../../test/support/fake-control.ts';
import { godwit } from '../../test/support/run-cli.ts';

let control: FakeControl;

beforeEach(async () => {
  control = new FakeControl();
  control.daemon.cached = { files: 1, bytes: 1000, unchanged: 0, failed: 0, exceptions: [] };
  await control.start();
});
afterEach(() => control.close());

const run = (...args: string[]) => godwit([...args, '--data', control.data]);

describe('godwit pin, unpin, evict and prefetch', () => {
  it.each([
    ['pin', '/a: 1 file (1.0 KB) pinned\n'],
    ['unpin', '/a: 1 file not pinned any more\n'],
    ['evict', '/a: 1 file (1.0 KB) evicted\n'],
    ['prefetch', '/a: 1 file (1.0 KB) fetched\n'],
  ])('report with %s what was done', async (act, said) => {
    expect(await run(act, 'a')).toMatchObject({ code: 0, stdout: said, stderr: '' });
    expect(control.daemon.calls).toEqual([`${act} home a`]);
  });

  it('accept several paths and a volume', async () => {
    const told = await run('evict', '/a/b', '/', '--volume', 'work', '--json');
    expect(JSON.parse(told.stdout)).toMatchObject({
      act: 'evict',
      volume: 'work',
      paths: [{ path: '/a/b', files: 1 }, { path: '/' }],
    });
    expect(control.daemon.calls).toEqual(['evict work a/b', 'evict work ']);
  });

  it('report what failed and exit with an error', async () => {
    const exceptions = [{ path: '/dir/open', why: 'it is in use' }];
    control.daemon.cached = { files: 0, bytes: 0, unchanged: 2, failed: 3, exceptions };
    const told = await run('evict', 'dir');
    expect(told).toMatchObject({ code: 1, stderr: '' });
    expect(told.stdout).toBe(
      '/dir: 2 files as before, 3 files not evicted\n  /dir/open: it is in use\n  ... and 2 more\n',
    );
  });

  it.each([[['pin']], [['pin', '../x']], [['evict', 'a', 'b/../../c']]])(
    'refuse the arguments %j in one line and do nothing',
    async (args) => {
      const refused = await run(...args);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toMatch(/^godwit: [^\n]+\n$/);
      expect(control.daemon.calls).toEqual([]);
    },
  );
});

describe('godwit cache', () => {
  it('reports what keeps contents, how much space there is, and what is pinned', async () => {
    const use = control.daemon.cacheHas;
    control.daemon.cacheHas = {
      ...use,
      ...{ files: 3, bytes: 6000, limit: 50_000, reserve: 7000 },
      folder: { here: { files: 14, bytes: 35_000 }, away: { files: 12, bytes: 29_000 } },
      kept: { ...use.kept, pinned: { files: 1, bytes: 1000 }, rest: { files: 2, bytes: 5000 } },
      disk: { free: 9000, total: 90_000 },
      pins: {
        total: 3,
        first: [
          { volume: 'home', path: 'a/b', isFolder: true },
          { volume: 'work', path: null, isFolder: false },
        ],
      },
    };
    const { stdout, code } = await run('cache');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      '● 17 files, 41.0 KB here, without a bound',
      '  in the folder               35.0 KB  14 files',
      '  pinned                       1.0 KB  1 file',
      '  goes when there is no room   5.0 KB  2 files',
      '  12 placeholders (29.0 KB): `godwit prefetch PATH` fetches one',
      '  bound beside the folder  256.0 MB to 20.0 GB; leaves 7.0 KB of the disk, 9.0 KB of it free',
      '  pinned  /a/b/',
      '  pinned  work: (no name of it is known here)',
      '  ... and 1 more pinned',
      '',
    ]);
    const told = JSON.parse((await run('cache', '--json')).stdout) as object;
    expect(told).toEqual(control.daemon.cacheHas);
  });
});
