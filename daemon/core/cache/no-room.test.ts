/** Contents that do not fit on the disk are not fetched for a folder: they would cross the line at each try. */
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { digestOfText } from '../../../test/support/bench-disk.ts';
import { ClientBench, ROOT, type BenchClient } from '../../../test/support/client-bench.ts';
import type { Attributes } from '../../../shared/ports/file-system.ts';

const LONG = 'x'.repeat(400_000);
const TOTAL = 10_000_000;

let bench: ClientBench;
let other: BenchClient;
let folder: BenchClient;
let made: Attributes;
let steps: jest.SpiedFunction<typeof folder.client.step>;

beforeEach(async () => {
  bench = await ClientBench.start();
  other = await bench.join();
  folder = await bench.join({ frontEnd: 'folder' });
  made = await other.write(ROOT, 'f', LONG);
  await folder.do({ op: 'lookup', dir: ROOT, name: 'f' });
  await bench.pass(100);
  steps = jest.spyOn(folder.client, 'step');
});

const effects = () =>
  steps.mock.results.flatMap(
    ({ value }) => (value as ReturnType<typeof folder.client.step>).effects,
  );
const fetches = (): number =>
  effects().filter(
    ({ kind, ...of }) => kind === 'request' && JSON.stringify(of).includes('"Fetch"'),
  ).length;
const obtain = (): number =>
  folder.call({ op: 'obtain', fid: made.fid, version: made.version, digest: digestOfText(LONG) });
const room = (free: number): void => folder.feed({ kind: 'disk', room: { free, total: TOTAL } });

describe('a file that does not fit on the disk of a folder', () => {
  it('is refused with what it takes and what there is, and nothing crosses the line', async () => {
    room(300_000);
    for (let again = 0; again < 3; again++) {
      const call = obtain();
      await bench.settle();
      expect(folder.answers.get(call)).toMatchObject({
        ok: false,
        code: 'disk-full',
        message: 'its 400.0 KB do not fit on the disk, which has 300.0 KB for it',
      });
    }
    expect(fetches()).toBe(0);
  });

  it('is fetched where what came in part makes up for it', async () => {
    folder.feed({ kind: 'disk', room: { free: 300_000, total: TOTAL }, parts: 100_001 });
    const call = obtain();
    await bench.settle();
    expect(folder.answers.get(call)).toMatchObject({ ok: true });
  });

  it('is fetched when there is room again', async () => {
    room(300_000);
    obtain();
    await bench.settle();
    room(1_000_000);
    const call = obtain();
    await bench.settle();
    expect(folder.answers.get(call)).toMatchObject({ ok: true });
    expect(fetches()).toBe(1);
  });

  it('is one too that only fits without what is on its way', async () => {
    const second = await other.write(ROOT, 'g', `${LONG}y`);
    await folder.do({ op: 'lookup', dir: ROOT, name: 'g' });
    await bench.pass(100);
    room(600_000);
    const [first] = [obtain()];
    const call = folder.call({
      op: 'obtain',
      fid: second.fid,
      version: second.version,
      digest: digestOfText(`${LONG}y`),
    });
    await bench.settle();
    expect(folder.answers.get(first)).toMatchObject({ ok: true });
    expect(folder.answers.get(call)).toMatchObject({ ok: false, code: 'disk-full' });
  });

  it('takes the room of what can be fetched again', async () => {
    const cached = await other.write(ROOT, 'c', 'z'.repeat(200_000));
    await bench.pass(100);
    await folder.do({ op: 'lookup', dir: ROOT, name: 'c' });
    await folder.read(cached.fid);
    await folder.write(ROOT, 'latest', '1');
    await bench.pass(100);
    room(300_000);
    const call = obtain();
    await bench.settle();
    expect(folder.answers.get(call)).toMatchObject({ ok: true });
  });

  it('is fetched all the same when it is small', async () => {
    const small = await other.write(ROOT, 's', 'y'.repeat(2000));
    await folder.do({ op: 'lookup', dir: ROOT, name: 's' });
    await bench.pass(100);
    room(1000);
    const { fid, version } = small;
    const call = folder.call({
      op: 'obtain',
      fid,
      version,
      digest: digestOfText('y'.repeat(2000)),
    });
    await bench.settle();
    expect(folder.answers.get(call)).toMatchObject({ ok: true });
  });
});
