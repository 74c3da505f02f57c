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

  it('looks into a bounded number of folders', async () => {
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
    expect(await nearestPath(endless, root, ['wanted'], () => false)).toBeNull();
    expect(calls).toBeLessThan(300);
  });

  it('ends when it is late', async () => {
    const { fileSystem } = control.daemon;
    expect(await nearestPath(fileSystem, root, ['guide.md'], () => true)).toBeNull();
    expect(await nearestPath(fileSystem, root, ['guide.md'], () => false)).not.toBeNull();
  });
});
