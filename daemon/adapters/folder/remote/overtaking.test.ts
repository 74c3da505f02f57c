/** What is small is put in place while what is large and was committed before is on its way. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import type { Fid } from '../../../../shared/model/fid.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';

let bench: FolderBench;
/** Fetches that do not come before they are let go, by fid; each time a fetch begins its fid is noted. */
let stuck: Map<Fid, PromiseWithResolvers<void>>;
let fetched: string[];
beforeEach(async () => {
  bench = new FolderBench();
  stuck = new Map();
  fetched = [];
  bench.volume.onObtain = (fid) => {
    fetched.push(bench.volume.server.names(fid)[0]?.name ?? fid);
    return stuck.get(fid)?.promise;
  };
  await bench.other.write('large', 'first');
  await bench.other.write('small', 'first');
  await bench.start();
  await bench.shows({ large: 'first', small: 'first' });
});
afterEach(async () => {
  for (const { resolve } of stuck.values()) resolve();
  await bench.destroy();
});

const fidOf = (path: string): Fid => bench.volume.server.find(path) as Fid;

function hold(path: string): () => void {
  const fid = fidOf(path);
  const held = Promise.withResolvers<void>();
  stuck.set(fid, held);
  return () => {
    if (stuck.get(fid) === held) stuck.delete(fid);
    held.resolve();
  };
}

describe('a small save from another device', () => {
  it('does not wait for an earlier commit under way', async () => {
    const letGo = hold('large');
    await bench.other.write('large', 'second');
    await bench.other.write('small', 'second');
    await bench.shows({ large: 'first', small: 'second' });
    // The folder does not say that it shows all of it.
    expect(bench.folder.unsettled().commits).toBeGreaterThan(0);
    let isReached = false;
    const reached = bench.folder.reached(bench.volume.head).then(() => (isReached = true));
    await bench.other.write('small', 'third');
    await bench.shows({ large: 'first', small: 'third' });
    expect(isReached).toBe(false);
    letGo();
    await reached;
    await bench.shows({ large: 'second', small: 'third' });
  });

  it('does not wait for as many large ones as are allowed', async () => {
    const size = 300 * 1024;
    const names = Array.from({ length: 40 }, (_, at) => `bulk ${at}`);
    for (const name of names) await bench.other.write(name, 'x');
    await bench.settled();
    const ends = names.map(hold);
    for (const name of names) await bench.other.write(name, name.padEnd(size));
    await bench.other.write('small', 'second');
    await bench.other.write('new', 'new');
    await bench.until(() => bench.tree()['small'] === 'second' && bench.tree()['new'] === 'new');
    expect(bench.tree()['bulk 0']).toBe('x');
    for (const end of ends) end();
    await bench.settled();
    expect(bench.tree()).toEqual(bench.volume.tree());
  });

  it('does not wait when it is a rename over the old file', async () => {
    const letGo = hold('large');
    await bench.other.write('large', 'second');
    await bench.other.write('tmp', 'second');
    bench.other.rename('tmp', 'small');
    await bench.shows({ large: 'first', small: 'second' });
    letGo();
    await bench.settled();
    expect(bench.tree()).toEqual(bench.volume.tree());
  });

  it('is applied once after a restart, and the large one follows', async () => {
    const letGo = hold('large');
    await bench.other.write('large', 'second');
    await bench.other.write('small', 'second');
    await bench.shows({ large: 'first', small: 'second' });
    await bench.close();
    fetched = [];
    await bench.open();
    // And what is committed now does not wait for it either.
    await bench.other.write('small', 'third');
    await bench.shows({ large: 'first', small: 'third' });
    expect(fetched).toEqual(['large', 'small']);
    expect(bench.folder.unsettled().commits).toBeGreaterThan(0);
    letGo();
    await bench.settled();
    expect(bench.tree()).toEqual({ large: 'second', small: 'third' });
    expect(bench.told()).toEqual([]);
  });

  it('is in place after a crash that lost its records', async () => {
    const letGo = hold('large');
    bench.keepRecords();
    await bench.other.write('large', 'second');
    await bench.other.write('small', 'second');
    await bench.shows({ large: 'first', small: 'second' });
    await bench.crash();
    await bench.open();
    letGo();
    await bench.settled();
    expect(bench.tree()).toEqual({ large: 'second', small: 'second' });
    expect(bench.volume.tree()).toEqual({ large: 'second', small: 'second' });
  });
});

describe('a change that depends on contents under way', () => {
  it('shows no renamed file with less than its contents', async () => {
    await bench.other.write('tmp', 'old');
    await bench.settled();
    const letGo = hold('tmp');
    await bench.other.write('tmp', 'new');
    bench.other.rename('tmp', 'large');
    bench.other.mkdir('later');
    await bench.shows({ large: 'first', small: 'first', tmp: 'old', 'later/': '' });
    letGo();
    await bench.shows({ large: 'new', small: 'first', 'later/': '' });
  });

  it('shows each version that has arrived of a file saved repeatedly', async () => {
    const first = hold('large');
    await bench.other.write('large', 'second');
    await bench.until(() => fetched.at(-1) === 'large');
    const letGo = hold('large');
    await bench.other.write('large', 'third');
    await bench.other.write('small', 'second');
    await bench.shows({ large: 'first', small: 'second' });
    first();
    await bench.shows({ large: 'second', small: 'second' });
    letGo();
    await bench.settled();
    expect(bench.tree()).toEqual({ large: 'third', small: 'second' });
  });

  it('shows no version under a name that is newer than it', async () => {
    const first = hold('large');
    await bench.other.write('large', 'second');
    await bench.until(() => fetched.at(-1) === 'large');
    await bench.other.write('large', 'third');
    bench.other.rename('large', 'moved');
    await bench.other.write('small', 'second');
    await bench.shows({ large: 'first', small: 'second' });
    const seen = new Set<string | undefined>();
    const watch = bench.until(() => {
      seen.add(bench.tree()['moved']);
      return bench.tree()['moved'] === 'third';
    });
    first();
    await watch;
    expect([...seen].filter((contents) => contents !== undefined)).toEqual(['third']);
  });

  it('shows no file that was removed meanwhile', async () => {
    const letGo = hold('large');
    await bench.other.write('large', 'second');
    await bench.until(() => fetched.at(-1) === 'large');
    bench.other.remove('large');
    await bench.shows({ small: 'first' });
    letGo();
    await bench.settled();
    expect(bench.tree()).toEqual({ small: 'first' });
    await bench.until(() => readdirSync(bench.path('.godwit', 'tmp')).length === 0);
  });

  it('makes, moves and removes a directory with the file', async () => {
    bench.other.mkdir('d');
    await bench.other.write('d/file', 'x');
    await bench.settled();
    const letGo = hold('d/file');
    await bench.other.write('d/file', 'y');
    bench.other.rename('d', 'e');
    bench.other.mkdir('d');
    await bench.other.write('d/other', 'z');
    await bench.until(() => existsSync(bench.path('d', 'other')));
    expect(bench.tree()['e/file']).toBe('x');
    bench.other.remove('e/file');
    bench.other.remove('e');
    await bench.until(() => !existsSync(bench.path('e')));
    letGo();
    await bench.settled();
    expect(bench.tree()).toEqual(bench.volume.tree());
  });

  it('keeps our own save meanwhile as a conflict', async () => {
    const letGo = hold('large');
    await bench.other.write('large', 'theirs');
    await bench.until(() => fetched.at(-1) === 'large');
    writeFileSync(bench.path('large'), 'mine');
    await bench.folder.scan();
    letGo();
    await bench.settled();
    expect(Object.values(bench.tree()).sort()).toEqual(['first', 'mine', 'theirs']);
    expect(bench.tree()).toEqual(bench.volume.tree());
  });
});
