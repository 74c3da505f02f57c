/** `godwit pin` and its like, on a daemon that keeps what it is told. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeControl } from '../../test/support/fake-control.ts';
import { godwit } from '../../test/support/run-cli.ts';

let control: FakeControl;

beforeEach(async () => {
  control = new FakeControl();
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
  ])('%s says what was done', async (act, said) => {
    expect(await run(act, 'a')).toMatchObject({ code: 0, stdout: said, stderr: '' });
    expect(control.daemon.calls).toEqual([`${act} home a`]);
  });

  it('takes several paths, and a volume', async () => {
    const told = await run('evict', '/a/b', '/', '--volume', 'work', '--json');
    expect(JSON.parse(told.stdout)).toMatchObject({
      act: 'evict',
      volume: 'work',
      paths: [{ path: '/a/b', files: 1 }, { path: '/' }],
    });
    expect(control.daemon.calls).toEqual(['evict work a/b', 'evict work ']);
  });

  it('says what could not be done, and fails', async () => {
    const exceptions = [{ path: '/dir/open', why: 'it is in use' }];
    control.daemon.cached = { files: 0, bytes: 0, unchanged: 2, failed: 3, exceptions };
    const told = await run('evict', 'dir');
    expect(told).toMatchObject({ code: 1, stderr: '' });
    expect(told.stdout).toBe(
      '/dir: 2 files as before, 3 files not evicted\n  /dir/open: it is in use\n  ... and 2 more\n',
    );
  });

  it.each([[['pin']], [['pin', '../x']], [['evict', 'a', 'b/../c']]])(
    '%j is refused in one line, and nothing is done',
    async (args) => {
      const refused = await run(...args);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toMatch(/^godwit: [^\n]+\n$/);
      expect(control.daemon.calls).toEqual([]);
    },
  );
});
