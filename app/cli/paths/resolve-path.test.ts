import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PathKind } from './path-arguments.ts';
import { resolvePath, type Standing, type Tree } from './resolve-path.ts';

/** A tree by its paths; what is in `past` was there once, what is in `queued` waits to be removed. */
class ListedTree implements Tree {
  readonly there = new Set(['home:/']);
  readonly past = new Set<string>();
  readonly queued = new Set<string>();
  isAway = false;
  asked = 0;

  add(...paths: string[]): void {
    for (const path of paths) {
      for (let at = path; at !== '/'; at = dirname(at)) this.there.add(`home:${at}`);
    }
  }

  isVolume(name: string): Promise<boolean> {
    return Promise.resolve(['home', 'team'].includes(name));
  }

  isThere(volume: string, names: readonly string[], kind: PathKind): Promise<boolean | null> {
    this.asked += 1;
    if (this.isAway) return Promise.resolve(null);
    const at = (path: readonly string[]): string => `${volume}:/${path.join('/')}`;
    if (kind === 'new') return Promise.resolve(this.there.has(at(names.slice(0, -1))));
    const extra = kind === 'past' ? this.past : kind === 'queued' ? this.queued : new Set<string>();
    return Promise.resolve(this.there.has(at(names)) || extra.has(at(names)));
  }

  alike(volume: string, names: readonly string[]): Promise<string[] | null> {
    const wanted = `${volume}:/${names.join('/')}`.normalize();
    const found = [...this.there].find((path) => path.normalize() === wanted);
    return Promise.resolve(found?.split('/').slice(1) ?? null);
  }
}

let base: string;
let folder: string;
let tree: ListedTree;
let cwd: string | null;
let more: Partial<Standing>;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'godwit-resolve-')));
  folder = join(base, 'ann', 'Godwit');
  mkdirSync(join(folder, 'project', 'docs'), { recursive: true });
  mkdirSync(join(folder, '.godwit'));
  writeFileSync(join(folder, '.godwit', 'marker.json'), '{}');
  tree = new ListedTree();
  tree.add(
    '/project/docs',
    '/project/README.md',
    '/README.md',
    '/only-root.txt',
    '/music/a b.flac',
  );
  cwd = join(folder, 'project');
  more = {};
});
afterEach(() => rmSync(base, { recursive: true }));

async function resolved(text: string, kind: PathKind = 'there') {
  const standing = { folder, ofFolder: 'home', asked: null, cwd, ...more };
  return resolvePath(text, kind, standing, tree);
}

async function named(text: string, kind: PathKind = 'there'): Promise<string> {
  const { volume, names } = await resolved(text, kind);
  return `${volume === 'home' ? '' : `${volume}:`}/${names.join('/')}`;
}

const refused = (text: string, kind: PathKind = 'there') =>
  resolved(text, kind).then(
    () => null,
    (error: unknown) => error as { code: string; message: string },
  );

describe('a path of the disk', () => {
  it('is taken from the folder it is in, absolute or from the working directory', async () => {
    expect(await named(join(folder, 'project/README.md'))).toBe('/project/README.md');
    expect(await named(folder)).toBe('/');
    expect(await named(`${folder}/`)).toBe('/');
    expect(await named('README.md')).toBe('/project/README.md');
    expect(await named('./docs/')).toBe('/project/docs');
    expect(await named('.')).toBe('/project');
    expect(await named('..')).toBe('/');
    expect(await named('../music/a b.flac')).toBe('/music/a b.flac');
    expect(await named('docs/../README.md')).toBe('/project/README.md');
  });

  it('is taken from the folder when the working directory is above or beside it', async () => {
    cwd = join(base, 'ann');
    expect(await named('Godwit/project/README.md')).toBe('/project/README.md');
    expect(await named('./Godwit')).toBe('/');
    mkdirSync(join(base, 'ann', 'beside'));
    cwd = join(base, 'ann', 'beside');
    expect(await named('../Godwit/README.md')).toBe('/README.md');
  });

  it('does not begin in a folder whose name only begins alike', async () => {
    mkdirSync(`${folder}-2`);
    expect(await named(`${folder}-2/README.md`)).toBe(`${folder}-2/README.md`);
  });

  it('is refused in one line when it is above the folder', async () => {
    for (const text of ['../..', '../../x', '../../../../../../..']) {
      expect(await refused(text)).toMatchObject({ code: 'usage' });
      expect((await refused(text))?.message).toBe(
        `${text}: it is not in the synced folder, ${folder}`,
      );
    }
  });

  it('keeps spaces, colons and any characters of names', async () => {
    for (const name of [
      'a b',
      'a:b',
      'home:',
      ' x ',
      'tab\tline\n',
      '-r',
      '~',
      'größe',
      '\u{1f600}',
    ]) {
      expect(await named(`./${name}`)).toBe(`/project/${name}`);
    }
  });

  it('may be given before the daemon has taken it in, or where it is removed', async () => {
    writeFileSync(join(folder, 'project', 'only-root.txt'), '');
    expect(await named('only-root.txt')).toBe('/project/only-root.txt');
    expect(await named(join(folder, 'project/gone'))).toBe('/project/gone');
  });
});

describe('a link', () => {
  it('above the folder is followed, on the way of the settings and of what is typed', async () => {
    symlinkSync(join(base, 'ann'), join(base, 'link'));
    expect(await named(join(base, 'link/Godwit/project/README.md'))).toBe('/project/README.md');
    more = { folder: join(base, 'link/Godwit') };
    expect(await named(join(folder, 'README.md'))).toBe('/README.md');
    expect(await named(join(base, 'link/Godwit/README.md'))).toBe('/README.md');
    expect(await named('README.md')).toBe('/project/README.md');
    cwd = join(base, 'link/Godwit/project');
    expect(await named('README.md')).toBe('/project/README.md');
  });

  it('to a folder of the folder leads there, from wherever it is', async () => {
    symlinkSync(join(folder, 'project'), join(base, 'work'));
    expect(await named(join(base, 'work/README.md'))).toBe('/project/README.md');
    expect(await named(join(base, 'work'))).toBe('/project');
    cwd = join(base, 'work');
    expect(await named('README.md')).toBe('/project/README.md');
    expect(await named('../README.md')).toBe('/README.md');
  });

  it('in the folder is what is meant by its name, and followed with a slash', async () => {
    symlinkSync('project', join(folder, 'current'));
    expect(await named(join(folder, 'current'))).toBe('/current');
    expect(await named(join(folder, 'current/'))).toBe('/project');
    expect(await named(join(folder, 'current/README.md'))).toBe('/project/README.md');
    expect(await named(`${folder}/current/docs/..`)).toBe('/project');
  });

  it('is a place in the folder when it points out of it', async () => {
    symlinkSync('/usr', join(folder, 'out'));
    expect(await named(join(folder, 'out/bin'))).toBe('/out/bin');
  });
});

describe('a relative path with nothing there', () => {
  it('is taken from the root of the volume if it names something there', async () => {
    expect(await resolved('only-root.txt')).toMatchObject({
      names: ['only-root.txt'],
      fromRoot: true,
    });
    expect(await resolved('README.md')).toMatchObject({ fromRoot: false });
    expect(await named('music/a b.flac')).toBe('/music/a b.flac');
    expect(await named('nothing')).toBe('/project/nothing');
  });

  it('stays where it is while the daemon does not know what is there', async () => {
    tree.isAway = true;
    expect(await named('only-root.txt')).toBe('/project/only-root.txt');
  });

  it('stays where it is when it was removed from there, for a command that asks for the past', async () => {
    tree.past.add('home:/project/only-root.txt');
    expect(await named('only-root.txt', 'past')).toBe('/project/only-root.txt');
    expect(await named('only-root.txt', 'there')).toBe('/only-root.txt');
  });

  it('stays where it is when a change of it waits, for a command about the queue', async () => {
    tree.queued.add('home:/project/only-root.txt');
    expect(await named('only-root.txt', 'queued')).toBe('/project/only-root.txt');
  });

  it('stays where it is when it is to be made, unless its folder is at the root alone', async () => {
    expect(await named('only-root.txt', 'new')).toBe('/project/only-root.txt');
    expect(await named('docs/x', 'new')).toBe('/project/docs/x');
    expect(await named('music/x', 'new')).toBe('/music/x');
    expect(await named('none/x', 'new')).toBe('/project/none/x');
  });

  it('is taken from the root when the working directory is not in the folder', async () => {
    for (const place of [base, '/', null]) {
      cwd = place;
      expect(await named('project/README.md')).toBe('/project/README.md');
      expect(await named('./README.md')).toBe('/README.md');
    }
    more = { folder: null };
    expect(await named('README.md')).toBe('/README.md');
    expect((await refused('../x'))?.message).toBe('../x: that is above the root of the volume');
  });
});

describe('a path of the volume', () => {
  it('begins with a slash where that is not in the folder', async () => {
    expect(await named('/project/README.md')).toBe('/project/README.md');
    expect(await named('/')).toBe('/');
    expect(await named('//project/./docs/../README.md/')).toBe('/project/README.md');
    expect(tree.asked).toBe(0);
  });

  it('may name its volume, and then means that alone', async () => {
    expect(await named('home:/README.md')).toBe('/README.md');
    expect(await named('team:/a/../b')).toBe('team:/b');
    expect(await named(`home:${folder}/x`)).toBe(`${folder}/x`);
    expect(await named('other:/x')).toBe('/project/other:/x');
    expect(await named('./home:/x')).toBe('/project/home:/x');
    tree.add('/home:/x');
    expect(await named('./home:/x')).toBe('/project/home:/x');
    expect(await refused('home::/x')).toMatchObject({ code: 'usage', remedy: 'give home:/x' });
    expect(await refused('home::')).toMatchObject({ code: 'usage', remedy: 'give home:/' });
    expect(await named('other::/x')).toBe('/project/other::/x');
    expect((await refused('home:/../x'))?.message).toBe(
      'home:/../x: that is above the root of the volume',
    );
  });

  it('is of the volume that --volume names, wherever a person is', async () => {
    more = { asked: 'team' };
    expect(await named('README.md')).toBe('team:/README.md');
    expect(await named('team:/x')).toBe('team:/x');
    expect(await refused('home:/x')).toMatchObject({ code: 'usage' });
    more = { asked: 'home' };
    expect(await named('README.md')).toBe('/project/README.md');
  });
});

describe('the name of a placeholder', () => {
  it('is that of its file', async () => {
    tree.add('/project/x.bin');
    writeFileSync(join(folder, 'project', 'x.bin.godwit'), '');
    expect(await named('x.bin.godwit')).toBe('/project/x.bin');
    expect(await named('/project/x.bin.godwit')).toBe('/project/x.bin');
    expect(await named(join(folder, 'project/x.bin.godwit'))).toBe('/project/x.bin');
    expect(await named('x.bin')).toBe('/project/x.bin');
  });

  it('is kept when a file is called so, or when the file does not exist', async () => {
    tree.add('/project/x.bin', '/project/x.bin.godwit');
    expect(await named('x.bin.godwit')).toBe('/project/x.bin.godwit');
    expect(await named('/y.bin.godwit')).toBe('/y.bin.godwit');
    expect(await named('.godwit')).toBe('/project/.godwit');
  });

  it('is that of a file that was removed, for a command that asks for the past', async () => {
    tree.past.add('home:/project/x.bin');
    expect(await named('x.bin.godwit', 'past')).toBe('/project/x.bin');
  });
});

describe('a name with a character that has two forms', () => {
  it('is the one that is there, and stays as it is written where both are', async () => {
    tree.add('/project/caf\u00e9');
    expect(await named('cafe\u0301')).toBe('/project/caf\u00e9');
    tree.add('/project/cafe\u0301');
    expect(await named('cafe\u0301')).toBe('/project/cafe\u0301');
    expect(await named('/project/caf\u00e9')).toBe('/project/caf\u00e9');
    expect(await named('Zoe\u0308')).toBe('/project/Zoe\u0308');
  });
});

describe('a place in the synced folder of another daemon', () => {
  beforeEach(() => {
    mkdirSync(join(base, 'Other', '.godwit'), { recursive: true });
    writeFileSync(join(base, 'Other', '.godwit', 'marker.json'), '{}');
  });

  it('is never taken for something in this one', async () => {
    cwd = join(base, 'Other');
    for (const text of ['README.md', join(base, 'Other', 'README.md'), '.']) {
      expect((await refused(text))?.message).toContain(
        `it is in another synced folder, ${join(base, 'Other')}`,
      );
    }
    expect(await named('/README.md')).toBe('/README.md');
    expect(await named('home:/README.md')).toBe('/README.md');
  });

  it('is refused when this folder was moved there', async () => {
    more = { folder: join(base, 'away') };
    expect((await refused('README.md'))?.message).toContain(`another synced folder, ${folder}`);
  });
});

it('a name that can be none is refused', async () => {
  expect(await refused('a\0b')).toMatchObject({ code: 'bad-name' });
  expect(await refused('x'.repeat(300))).toMatchObject({ code: 'bad-name' });
  expect(await refused(`${'d/'.repeat(5000)}..`)).toBeNull();
});
