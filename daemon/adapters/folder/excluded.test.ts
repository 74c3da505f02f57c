/** Folders that are not kept on this disk (rules X1 to X5): what goes from it, what stays, what others do in them, and what a person puts there. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { FolderBench } from '../../../test/support/folder-bench.ts';

let bench: FolderBench;

const whole = {
  'film/': '',
  'film/a': 'one',
  'film/cuts/': '',
  'film/cuts/b': 'two',
  doc: 'text',
};
beforeEach(async () => {
  bench = await new FolderBench().start();
  mkdirSync(bench.path('film'));
  mkdirSync(bench.path('film', 'cuts'));
  writeFileSync(bench.path('film', 'a'), 'one');
  writeFileSync(bench.path('film', 'cuts', 'b'), 'two');
  writeFileSync(bench.path('doc'), 'text');
  await bench.settled();
  bench.told();
});
afterEach(() => bench.destroy());

const fidOf = (path: string) => bench.volume.status(path).fid;
const exclude = (path: string, isExcluded = true): void =>
  bench.volume.exclude(fidOf(path), isExcluded);
const staying = () => bench.folder.excluded().flatMap((each) => each.staying);
/** But the times of folders. */
const told = () => bench.told().filter((update) => !update.startsWith('setattr'));
const codes = () => bench.folder.status().errors.map(({ code, path }) => `${code} ${path}`);

describe('an excluded folder', () => {
  it('goes from the disk, is removed nowhere else, and comes back when it is included', async () => {
    exclude('film');
    await bench.shows({ doc: 'text' });
    await bench.settled();
    expect(bench.told()).toEqual([]);
    expect(bench.volume.tree()).toEqual(whole);
    expect(bench.folder.excluded()).toMatchObject([{ path: ['film'], left: 0, staying: [] }]);
    expect(bench.folder.leftOut?.(['film', 'a'])).toContain('not kept on this laptop');
    exclude('film', false);
    await bench.shows(whole);
    await bench.settled();
    expect(bench.told()).toEqual([]);
    expect(bench.volume.tree()).toEqual(whole);
  });

  it('stays away over a restart', async () => {
    exclude('film');
    await bench.shows({ doc: 'text' });
    await bench.close();
    await bench.start();
    expect(bench.tree()).toEqual({ doc: 'text' });
    expect(bench.told()).toEqual([]);
    exclude('film', false);
    await bench.shows(whole);
  });

  it('is not brought in when nothing is known of the folder', async () => {
    exclude('film');
    await bench.shows({ doc: 'text' });
    await bench.close();
    rmSync(bench.dataDir, { recursive: true });
    rmSync(bench.root, { recursive: true });
    await bench.start();
    expect(bench.tree()).toEqual({ doc: 'text' });
    expect(bench.volume.tree()).toEqual(whole);
  });

  it('keeps on the disk what is not sent, and names it, until it is', async () => {
    bench.volume.connected = false;
    writeFileSync(bench.path('film', 'a'), 'changed');
    await bench.folder.scan();
    exclude('film');
    await bench.until(() => staying().length > 0);
    expect(bench.tree()).toEqual({ doc: 'text', 'film/': '', 'film/a': 'changed' });
    expect(staying()).toEqual([{ path: 'film/a', reason: 'it is not sent yet' }]);
    bench.volume.connected = true;
    await bench.shows({ doc: 'text' });
    expect(bench.volume.tree()).toEqual({ ...whole, 'film/a': 'changed' });
  });

  it('keeps on the disk what a program has open to write, and takes its last words along', async () => {
    const file = openSync(bench.path('film', 'a'), 'r+');
    exclude('film');
    await bench.until(() => staying().length > 0);
    expect(staying()).toEqual([{ path: 'film/a', reason: 'a program has it open to write' }]);
    writeFileSync(file, 'last');
    closeSync(file);
    await bench.shows({ doc: 'text' });
    expect(bench.volume.tree()).toEqual({ ...whole, 'film/a': 'last' });
  });

  it('keeps on the disk a side of a conflict', async () => {
    bench.volume.conflicting.add(fidOf('film/a'));
    exclude('film');
    await bench.until(() => staying().length > 0);
    expect(staying()).toEqual([
      { path: 'film/a', reason: 'it is a side of a conflict: see `godwit conflicts`' },
    ]);
    bench.volume.conflicting.clear();
    await bench.shows({ doc: 'text' });
  });

  it('stays with what is ignored in it, whose rules stay as well', async () => {
    writeFileSync(bench.path('film', '.godwitignore'), 'draft\n');
    writeFileSync(bench.path('film', 'draft'), 'mine');
    await bench.settled();
    exclude('film');
    const left = {
      doc: 'text',
      'film/': '',
      'film/.godwitignore': 'draft\n',
      'film/draft': 'mine',
    };
    await bench.shows(left);
    await bench.settled();
    expect(bench.volume.tree()['film/draft']).toBeUndefined();
    expect(staying().map(({ path }) => path)).toEqual(['film/.godwitignore']);
    unlinkSync(bench.path('film', 'draft'));
    await bench.settled();
    await bench.shows({ doc: 'text' });
  });

  it('says of a folder in it what keeps that here, however often it is looked at', async () => {
    writeFileSync(bench.path('film', '.godwitignore'), 'draft\n');
    writeFileSync(bench.path('film', 'cuts', 'draft'), 'mine');
    await bench.settled();
    exclude('film');
    const reason = 'draft is in it, and is not synced';
    const said = (): string[] =>
      staying().flatMap((each) => (each.path === 'film/cuts' ? [each.reason] : []));
    await bench.until(() => said().includes(reason));
    const reasons = new Set<string>();
    for (let round = 0; round < 4; round++) {
      await bench.folder.looked?.();
      said().forEach((each) => reasons.add(each));
      await bench.settled();
      said().forEach((each) => reasons.add(each));
    }
    expect([...reasons]).toEqual([reason]);
    unlinkSync(bench.path('film', 'cuts', 'draft'));
    await bench.settled();
    await bench.shows({ doc: 'text' });
  });

  it('is as the volume has it when others go on in it, of which nothing is fetched', async () => {
    exclude('film');
    await bench.shows({ doc: 'text' });
    const before = bench.volume.obtained;
    await bench.other.write('film/a', 'newer');
    await bench.other.write('film/c', 'more');
    bench.other.remove('film/cuts/b');
    bench.other.rename('film/cuts', 'film/parts');
    await bench.settled();
    expect(bench.tree()).toEqual({ doc: 'text' });
    expect(bench.volume.obtained).toBe(before);
    exclude('film', false);
    const now = {
      'film/': '',
      'film/a': 'newer',
      'film/c': 'more',
      'film/parts/': '',
      doc: 'text',
    };
    await bench.shows(now);
    expect(bench.volume.tree()).toEqual(now);
  });

  it('is excluded wherever others move it', async () => {
    exclude('film');
    await bench.shows({ doc: 'text' });
    bench.other.mkdir('attic');
    bench.other.rename('film', 'attic/cinema');
    await bench.settled();
    expect(bench.tree()).toEqual({ doc: 'text', 'attic/': '' });
    expect(bench.folder.excluded()).toMatchObject([{ path: ['attic', 'cinema'] }]);
    bench.other.rename('attic', 'loft');
    await bench.settled();
    expect(bench.tree()).toEqual({ doc: 'text', 'loft/': '' });
    exclude('loft/cinema', false);
    await bench.until(() => existsSync(bench.path('loft', 'cinema', 'cuts', 'b')));
  });

  it('is forgotten when others remove it with the folder that it is in', async () => {
    bench.other.mkdir('attic');
    bench.other.rename('film', 'attic/film');
    await bench.settled();
    exclude('attic/film');
    await bench.shows({ doc: 'text', 'attic/': '' });
    for (const path of ['cuts/b', 'cuts', 'a', '']) {
      bench.other.remove(`attic/film/${path}`.replace(/\/$/, ''));
    }
    bench.other.remove('attic');
    await bench.settled();
    expect(bench.tree()).toEqual({ doc: 'text' });
    expect(bench.volume.tree()).toEqual({ doc: 'text' });
  });

  it('gives to the disk what others move out of it', async () => {
    exclude('film');
    await bench.shows({ doc: 'text' });
    bench.other.rename('film/a', 'a');
    bench.other.rename('film/cuts', 'cuts');
    await bench.settled();
    expect(bench.tree()).toEqual({ doc: 'text', a: 'one', 'cuts/': '', 'cuts/b': 'two' });
  });

  it('takes from the disk what others move into it, and what is not sent when it is', async () => {
    mkdirSync(bench.path('more'));
    writeFileSync(bench.path('more', 'c'), 'three');
    writeFileSync(bench.path('more', 'd'), 'four');
    await bench.settled();
    exclude('film');
    await bench.until(() => !existsSync(bench.path('film')));
    bench.told();
    bench.volume.paused = true;
    writeFileSync(bench.path('more', 'd'), 'changed');
    await bench.folder.scan();
    bench.other.rename('more', 'film/more');
    bench.other.rename('doc', 'film/doc');
    await bench.shows({ 'more/': '', 'more/d': 'changed' });
    bench.volume.paused = false;
    bench.volume.goOn();
    await bench.settled();
    await bench.shows({});
    const all = { 'film/more/': '', 'film/more/c': 'three', 'film/more/d': 'changed' };
    const { doc, ...rest } = whole;
    expect(bench.volume.tree()).toEqual({ ...rest, ...all, 'film/doc': doc });
  });

  it('frees a name at once that others give to something else', async () => {
    exclude('film');
    await bench.shows({ doc: 'text' });
    bench.other.rename('doc', 'film/doc');
    await bench.other.write('doc', 'another');
    await bench.settled();
    await bench.shows({ doc: 'another' });
    expect(bench.volume.tree()['film/doc']).toBe('text');
  });

  it('is removed nowhere when a person removes what is left of it', async () => {
    bench.volume.conflicting.add(fidOf('film/a'));
    exclude('film');
    await bench.until(() => staying().length > 0);
    bench.told();
    unlinkSync(bench.path('film', 'a'));
    await bench.settled();
    expect(told()).toEqual([]);
    await bench.shows({ doc: 'text' });
    expect(bench.volume.tree()).toEqual(whole);
  });

  it('loses one name of a file that has another one outside', async () => {
    linkSync(bench.path('film', 'a'), bench.path('a'));
    await bench.settled();
    exclude('film');
    await bench.shows({ doc: 'text', a: 'one' });
    writeFileSync(bench.path('a'), 'changed');
    await bench.settled();
    expect(bench.volume.tree()).toEqual({ ...whole, a: 'changed', 'film/a': 'changed' });
  });
});

describe('a thing of a person at the place of an excluded folder', () => {
  beforeEach(async () => {
    exclude('film');
    await bench.shows({ doc: 'text' });
    await bench.settled();
  });

  it('is not synced, and named, and synced when the folder is included', async () => {
    mkdirSync(bench.path('film'));
    writeFileSync(bench.path('film', 'a'), 'mine');
    writeFileSync(bench.path('film', 'own'), 'my own');
    await bench.settled();
    expect(told()).toEqual([]);
    expect(bench.volume.tree()).toEqual(whole);
    expect(codes()).toEqual(['place-excluded film']);
    exclude('film', false);
    await bench.until(() => existsSync(bench.path('film', 'cuts', 'b')));
    await bench.settled();
    const texts = Object.values(bench.volume.tree());
    for (const text of ['one', 'two', 'mine', 'my own']) expect(texts).toContain(text);
    expect(bench.tree()).toEqual(bench.volume.tree());
    expect(codes()).toEqual([]);
  });

  it('is synced under another name', async () => {
    mkdirSync(bench.path('film'));
    writeFileSync(bench.path('film', 'a'), 'mine');
    await bench.settled();
    renameSync(bench.path('film'), bench.path('own'));
    await bench.settled();
    expect(bench.volume.tree()).toEqual({ ...whole, 'own/': '', 'own/a': 'mine' });
    expect(codes()).toEqual([]);
  });

  it('is not synced when it is found at a start', async () => {
    await bench.close();
    writeFileSync(bench.path('film'), 'a file');
    await bench.start();
    expect(bench.tree()).toEqual({ doc: 'text', film: 'a file' });
    expect(bench.volume.tree()).toEqual(whole);
    expect(codes()).toEqual(['place-excluded film']);
  });
});

describe('the folder around an excluded one', () => {
  it('comes back when a person removes it, and nothing of the excluded one is removed', async () => {
    mkdirSync(bench.path('attic'));
    renameSync(bench.path('film'), bench.path('attic', 'film'));
    writeFileSync(bench.path('attic', 'old'), 'old');
    await bench.settled();
    exclude('attic/film');
    await bench.until(() => !existsSync(bench.path('attic', 'film')));
    rmSync(bench.path('attic'), { recursive: true });
    await bench.settled();
    await bench.shows({ doc: 'text', 'attic/': '' });
    expect(Object.keys(bench.volume.tree()).sort()).toEqual(
      [
        'attic/',
        'attic/film/',
        'attic/film/a',
        'attic/film/cuts/',
        'attic/film/cuts/b',
        'doc',
      ].sort(),
    );
  });

  it('can not become a volume without the excluded one', async () => {
    mkdirSync(bench.path('attic'));
    renameSync(bench.path('film'), bench.path('attic', 'film'));
    await bench.settled();
    exclude('attic/film');
    await bench.until(() => !existsSync(bench.path('attic', 'film')));
    await bench.settled();
    const found = await bench.folder.hindrance(['attic']);
    expect(found?.reason).toContain('not kept on this laptop');
  });

  it('takes the excluded one along when a person renames it', async () => {
    mkdirSync(bench.path('attic'));
    renameSync(bench.path('film'), bench.path('attic', 'film'));
    await bench.settled();
    exclude('attic/film');
    await bench.until(() => !existsSync(bench.path('attic', 'film')));
    renameSync(bench.path('attic'), bench.path('loft'));
    await bench.settled();
    expect(bench.volume.tree()['loft/film/cuts/b']).toBe('two');
    expect(bench.tree()).toEqual({ doc: 'text', 'loft/': '' });
    exclude('loft/film', false);
    await bench.until(() => existsSync(bench.path('loft', 'film', 'cuts', 'b')));
  });
});
