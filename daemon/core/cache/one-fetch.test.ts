/** A folder and a program that want the same contents: these cross the line once. */
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { digestOfText } from '../../../test/support/bench-disk.ts';
import { ClientBench, ROOT, type BenchClient } from '../../../test/support/client-bench.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { DataVersion } from '../../../shared/model/vnode.ts';
import { fetchReport } from './fetch-report.ts';

let bench: ClientBench;
let other: BenchClient;
let folder: BenchClient;
let fid: Fid;
let version: DataVersion;
let fetches: () => number;

beforeEach(async () => {
  bench = await ClientBench.start();
  other = await bench.join();
  folder = await bench.join({ frontEnd: 'folder' });
  ({ fid, version } = await other.write(ROOT, 'f', 'one'));
  await bench.pass(100);
  const steps = jest.spyOn(folder.client, 'step');
  fetches = () =>
    steps.mock.results
      .flatMap(({ value }) => (value as ReturnType<typeof folder.client.step>).effects)
      .filter((effect) => effect.kind === 'request' && effect.message.rpc === 'Fetch').length;
});

const obtain = (of: DataVersion = version, text = 'one'): number =>
  folder.call({ op: 'obtain', fid, version: of, digest: digestOfText(text) });
const open = (): number => folder.call({ op: 'open', fid, how: { mode: 'read' } });
const handed = (call: number): string | undefined => {
  const answer = folder.answers.get(call);
  if (answer?.ok !== true) return undefined;
  const { path, content } = answer.value as { path?: string; content?: string };
  return folder.disk.get(path ?? content ?? '');
};
const codeOf = (call: number): string | undefined => {
  const answer = folder.answers.get(call);
  return answer?.ok === false ? answer.code : undefined;
};
/** Until the fetch is on its way. */
const underWay = async (): Promise<void> => {
  while (fetches() === 0) await bench.one();
};

it('a program waits for a fetch of the folder, and both get the contents', async () => {
  await folder.do({ op: 'lookup', dir: ROOT, name: 'f' });
  const [given, alike] = [obtain(), obtain()];
  await underWay();
  const demanded = () =>
    fetchReport(folder.client.inside, 9).entries.map((entry) => entry.demanded);
  expect(demanded()).toEqual([false]);
  const opened = open();
  expect(demanded()).toEqual([true]);
  await bench.settle();
  expect([given, alike, opened].map(handed)).toEqual(['one', 'one', 'one']);
  expect(fetches()).toBe(1);
});

it("a folder waits for a program's fetch", async () => {
  const opened = open();
  await underWay();
  const given = obtain();
  await bench.settle();
  expect([given, opened].map(handed)).toEqual(['one', 'one']);
  expect(fetches()).toBe(1);
});

it('a folder that waited for another version fetches its own', async () => {
  await other.store(fid, 'two');
  await bench.pass(100);
  const opened = open();
  await underWay();
  const given = obtain();
  await bench.settle();
  expect([given, opened].map(handed)).toEqual(['one', 'two']);
  expect(fetches()).toBe(2);
});

it('a program that waited for a version that is gone fetches the present one', async () => {
  await folder.do({ op: 'lookup', dir: ROOT, name: 'f' });
  const lost = obtain(version, 'of a server that was put back');
  const given = obtain();
  await underWay();
  const opened = open();
  await bench.settle();
  expect(codeOf(lost)).toBe('version-gone');
  expect([given, opened].map(handed)).toEqual(['one', 'one']);
});

it('a program and a folder both get the contents after an interruption', async () => {
  await folder.do({ op: 'lookup', dir: ROOT, name: 'f' });
  const given = obtain();
  await underWay();
  const opened = open();
  folder.cutOff();
  folder.online = true;
  await bench.pass(40_000);
  expect([given, opened].map(handed)).toEqual(['one', 'one']);
});

it('a program that cancels leaves the folder its fetch', async () => {
  await folder.do({ op: 'lookup', dir: ROOT, name: 'f' });
  const given = obtain();
  await underWay();
  folder.feed({ kind: 'cancel', call: open() });
  await bench.settle();
  expect(handed(given)).toBe('one');
  expect(fetches()).toBe(1);
});

describe('a version that is brought back', () => {
  /** Writes over the file, with what a version of it had. */
  const bringBack = (text = 'one', of: DataVersion = version): number => {
    const from = { fid, version: of, digest: digestOfText(text) };
    return folder.call({ op: 'open', fid, how: { mode: 'write', truncate: false, from } });
  };

  it('comes with the contents that a program reads, where both are the present ones', async () => {
    const opened = open();
    await underWay();
    const brought = bringBack();
    await bench.settle();
    expect(handed(opened)).toBe('one');
    expect(folder.answers.get(brought)).toMatchObject({ ok: true });
    expect(fetches()).toBe(1);
  });

  it('is fetched by itself where a program reads a newer version', async () => {
    await other.store(fid, 'two');
    await bench.pass(100);
    const opened = open();
    await underWay();
    const brought = bringBack();
    await bench.settle();
    expect(handed(opened)).toBe('two');
    expect(folder.answers.get(brought)).toMatchObject({ ok: true });
    expect(fetches()).toBe(2);
  });

  it('fails alone where a server that was put back has other contents there', async () => {
    await folder.do({ op: 'lookup', dir: ROOT, name: 'f' });
    const lost = bringBack('of a server that was put back');
    await underWay();
    const opened = open();
    await bench.settle();
    expect(codeOf(lost)).toBe('version-gone');
    expect(handed(opened)).toBe('one');
  });
});
