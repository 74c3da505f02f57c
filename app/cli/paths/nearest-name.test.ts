import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fid } from '../../../shared/model/fid.ts';
import { FakeControl } from '../../../test/support/fake-control.ts';
import { godwit } from '../../../test/support/run-cli.ts';
import { nearestNames, nearestPath } from './nearest-name.ts';

let control: FakeControl;
let root: Fid;
const before = process.cwd();

beforeEach(async () => {
  control = new FakeControl();
  await control.start();
  root = (await control.daemon.fileSystem.volumes())[0]?.root as Fid;
  for (const path of ['project/README.md', 'project/docs/guide.md', 'letters/draft one.txt']) {
    await make(path);
  }
});
afterEach(async () => {
  process.chdir(before);
  await control.close();
});

async function make(path: string): Promise<void> {
  const { fileSystem } = control.daemon;
  const names = path.split('/');
  let dir = root;
  for (const name of names.slice(0, -1)) {
    const made = fileSystem.mkdir(dir, name, { mode: 0o755 });
    dir = (await made.catch(() => fileSystem.lookup(dir, name))).fid;
  }
  await fileSystem.create(dir, names.at(-1) ?? '', { mode: 0o644 });
}

const run = (...args: string[]) => godwit([...args, '--data', control.data]);

describe('the error for a path that names nothing', () => {
  it.each([
    ['/project/REAMDE.md', '/project/README.md'],
    ['/projct/readme.md', '/project/README.md'],
    ['/project/README', '/project/README.md'],
    ['/README.md', '/project/README.md'],
    ['guide.md', '/project/docs/guide.md'],
    ['/guide.md', '/project/docs/guide.md'],
    ['home:/project/doc', '/project/docs'],
    ['/letters/draft two.txt', "'/letters/draft one.txt'"],
    ['/project/README.md.godwit/x', null],
    ['/completely/else', null],
  ])('suggests for %s what is meant: %s', async (path, meant) => {
    const { code, stdout, stderr } = await run('status', path);
    expect({ code: code === 0, stdout }).toEqual({ code: false, stdout: '' });
    expect(stderr).toMatch(/^godwit: [^\n]+; [^\n]+\n$/);
    expect(/ \(did you mean (.*)\?\);/.exec(stderr)?.[1] ?? null).toBe(meant);
  });

  it('keeps its code and exit code', async () => {
    const { code, stdout } = await run('cat', '/project/REAMDE.md', '--json');
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        code: 'not-found',
        message:
          '/project/REAMDE.md: there is no such file or folder (did you mean /project/README.md?)',
      },
    });
  });

  it('suggests what was removed, for a command that brings that back', async () => {
    const { fileSystem } = control.daemon;
    const { fid } = await fileSystem.lookup(root, 'project');
    await fileSystem.remove({ dir: fid, name: 'README.md' });
    const { stderr } = await run('restore', '/project/REDME.md');
    expect(stderr).toContain('(did you mean /project/README.md?)');
  });

  it('suggests a folder that is there when something is to be put into it', async () => {
    const { stderr } = await run('put', '-', '/projcet/new.txt');
    expect(stderr).toContain('(did you mean /project/new.txt?)');
  });

  it('suggests nothing when the reason is another one', async () => {
    const { stderr } = await run('put', '-', '/project');
    expect(stderr).not.toContain('did you mean');
  });
});

describe('the search', () => {
  it('prefers the nearest name, and of equal ones the first', () => {
    const names = ['b', 'notes', 'note', 'Notes.md', 'nodes'];
    expect(nearestNames('Note', names)).toEqual(['note', 'notes']);
    expect(nearestNames('x', ['abc'])).toEqual([]);
    expect(nearestNames('', ['a', 'bb'])).toEqual(['a']);
  });

  it.each([
    ['a file of that name', ['wanted']],
    ['a path that is spelt nearly so', Array.from({ length: 40 }, () => 'x')],
  ])('looks into a bounded number of folders for %s', async (_what, names) => {
    let calls = 0;
    const endless = {
      lookup: () => Promise.reject(new Error('not asked')),
      readdir: () => {
        calls += 1;
        const attributes = { kind: 'directory', fid: root };
        return Promise.resolve([
          { name: 'a', attributes },
          { name: 'b', attributes },
        ] as never);
      },
    };
    expect(await nearestPath(endless, root, names, 30)).toBeNull();
    expect(calls).toBe(30);
  });

  it('looks at a bounded number of names', async () => {
    let calls = 0;
    const attributes = { kind: 'directory', fid: root };
    const large = {
      lookup: () => Promise.reject(new Error('not asked')),
      readdir: () => {
        calls += 1;
        return Promise.resolve(
          Array.from({ length: 20_000 }, (_, n) => ({ name: `${n}`, attributes })) as never,
        );
      },
    };
    expect(await nearestPath(large, root, ['wanted'], 200)).toBeNull();
    expect(calls).toBe(3);
  });

  it('finds the same however slow the daemon is', async () => {
    const { fileSystem } = control.daemon;
    const now = Date.now;
    let passed = 0;
    Date.now = () => now() + (passed += 10_000);
    try {
      const { stderr } = await run('status', '/guide.md');
      expect(stderr).toContain('(did you mean /project/docs/guide.md?)');
      expect(await nearestPath(fileSystem, root, ['guide.md'], 200)).not.toBeNull();
    } finally {
      Date.now = now;
    }
  });
});
