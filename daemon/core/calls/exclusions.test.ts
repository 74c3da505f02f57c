import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Attributes } from '../../../shared/ports/file-system.ts';
import { ClientBench, ROOT, type BenchClient } from '../../../test/support/client-bench.ts';

const FILMS = { dir: ROOT, name: 'films' };

let bench: ClientBench;
let ada: BenchClient;
let bob: BenchClient;
let films: Attributes;

beforeEach(async () => {
  bench = await ClientBench.start();
  ada = await bench.join();
  bob = await bench.join();
  films = await ada.do({ op: 'mkdir', dir: ROOT, name: 'films', options: { mode: 0o755 } });
  await bench.pass(100);
  await bob.do<boolean>({ op: 'exclude', fid: films.fid });
});

const marks = (): string[] => bob.client.inside.cache.excluded.all();

function startAgain(): void {
  bob.crash();
  bob.begin();
}

describe('the mark of an excluded folder', () => {
  it('stays when others rename the folder, and over a restart', async () => {
    await ada.do({
      op: 'rename',
      from: FILMS,
      to: { dir: ROOT, name: 'movies' },
      options: {},
    });
    await bench.pass(100);
    startAgain();
    await bench.pass(100);
    expect(marks()).toEqual([films.fid]);
  });

  it('ends when others have removed the folder, also over a restart', async () => {
    await ada.do({ op: 'rmdir', place: FILMS, options: {} });
    await bench.pass(100);
    expect(await bob.try({ op: 'getattr', fid: films.fid })).toMatchObject({ ok: false });
    expect(marks()).toEqual([]);
    startAgain();
    expect(marks()).toEqual([]);
  });

  it('ends when this laptop removes the folder', async () => {
    await bob.do({ op: 'rmdir', place: FILMS, options: {} });
    await bench.pass(100);
    expect(marks()).toEqual([]);
  });

  it('ends at the next connection when others removed the folder while this laptop was away', async () => {
    bob.crash();
    await ada.do({ op: 'rmdir', place: FILMS, options: {} });
    await bench.pass(100);
    bob.begin();
    await bench.pass(100);
    expect(marks()).toEqual([]);
  });
});
