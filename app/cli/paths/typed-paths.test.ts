import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fid } from '../../../shared/model/fid.ts';
import { FakeControl } from '../../../test/support/fake-control.ts';
import { godwit } from '../../../test/support/run-cli.ts';

let control: FakeControl;
beforeEach(async () => {
  control = new FakeControl();
  await control.start();
  const { fileSystem } = control.daemon;
  const root = (await fileSystem.volumes())[0]?.root as Fid;
  const { fid: letters } = await fileSystem.mkdir(root, 'letters', { mode: 0o755 });
  for (const name of ['draft one.txt', 'dr\u001b[31mx.txt', 'final.txt']) {
    await fileSystem.create(letters, name, { mode: 0o644 });
  }
  await fileSystem.create(root, 'lemon.txt', { mode: 0o644 });
});
afterEach(() => control.close());

/** What a shell gets for a word that was begun. */
async function offered(typed: string): Promise<string[]> {
  const { stdout, stderr, code } = await godwit(['ls', '--data', control.data, `--typed=${typed}`]);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('the paths that begin with what was typed', () => {
  it.each([
    ['/le', ['/lemon.txt', '/letters/']],
    ['home:/let', ['home:/letters/']],
    ['home:/letters/', ['home:/letters/draft one.txt', 'home:/letters/final.txt']],
    ['/letters/d', ['/letters/draft one.txt']],
    ['/letters/../le', ['/letters/../lemon.txt', '/letters/../letters/']],
    ['ho', ['home:/']],
    ['x', []],
    ['nobody:/', []],
    ['/none/', []],
    ['/lemon.txt/', []],
    ['/../', []],
  ])('are, of %j, %j', async (typed, paths) => {
    expect((await offered(typed)).sort()).toEqual(paths);
  });
});
