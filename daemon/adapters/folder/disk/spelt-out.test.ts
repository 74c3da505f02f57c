/** A disk that lists a name with its accents apart from their letters, as the older disks of a Mac do: such a name may be too long for the volume. */
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HFS } from '../../../../app/lab/simulator/posix/file-system-switches.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { simulatedSite } from '../../../../test/support/simulated-programs.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import { present } from '../../../../shared/util/assert.ts';
import type { Disk } from './disk.ts';
import { lacksOf, tryDisk } from './disk-abilities.ts';
import { systemDisk } from './system-disk.ts';

const LONG = '\u00fc'.repeat(120);
const LONGEST_AS_PLACEHOLDER = '\u00fc'.repeat(82);
const TOO_LONG_AS_PLACEHOLDER = '\u00fc'.repeat(84);
const BIG = 'x'.repeat(5000);

let bench: FolderBench;
beforeEach(() => {
  bench = new FolderBench();
});
afterEach(() => bench.destroy());

type Call = (...given: unknown[]) => unknown;

/** The disk of this machine, which finds a name in either form and lists it decomposed. */
function speltOut(): Disk {
  const disk = systemDisk(bench.host);
  const to = (given: unknown): unknown =>
    typeof given === 'string' ? given.normalize('NFC') : given;
  const calls = Object.entries(disk).map(([name, call]: [string, unknown]) => [
    name,
    typeof call === 'function' ? (...given: unknown[]) => (call as Call)(...given.map(to)) : call,
  ]);
  const names = (path: string): string[] =>
    disk.names(path.normalize('NFC')).map((name) => name.normalize('NFD'));
  return {
    ...(Object.fromEntries(calls) as Disk),
    names,
    namesAsBytes: (path) => names(path).map((name) => Buffer.from(name)),
  };
}

const codes = (): string[] => bench.folder.status().errors.map(({ code }) => code);
const fidOf = (path: string): Fid => present(bench.volume.view.find(path), path);
const evict = async (path: string): Promise<string | undefined> =>
  (await bench.folder.contents?.evict(fidOf(path)))?.kind;

/** The folder is opened again, and its disk has become one of these. */
async function openSpeltOut(): Promise<void> {
  await bench.close();
  bench.world = { disk: speltOut() };
  await bench.open();
  await bench.folder.scan();
}

describe('a disk that keeps accents apart', () => {
  it('is noticed by trying, and listed in the status', () => {
    const { disk, dir } = simulatedSite(HFS, []);
    const can = tryDisk(disk, dir, `${dir}/scratch`);
    expect(can).toMatchObject({ forms: false, composed: false });
    expect(lacksOf(can)).toContainEqual(expect.stringContaining('apart from its letter'));
  });

  it('leaves out a name of others that is too long then, with the reason', async () => {
    bench.world = { disk: speltOut() };
    await bench.start();
    await bench.other.write(LONG, 'theirs');
    await bench.other.write('b', 'theirs');
    await bench.shows({ b: 'theirs' });
    await bench.until(() => codes().includes('name-refused'));
    await bench.folder.scan();
    expect(bench.volume.tree()).toEqual({ b: 'theirs', [LONG]: 'theirs' });
  });

  it('never makes a removal of a file that is listed under no usable name', async () => {
    await bench.other.write(LONG, 'theirs');
    await bench.other.write('b', 'theirs');
    await bench.start();
    await openSpeltOut();
    writeFileSync(bench.path('b'), 'mine');
    writeFileSync(bench.path(LONG), 'mine');
    await bench.folder.scan();
    await bench.until(() => bench.volume.tree()['b'] === 'mine');
    expect(Object.keys(bench.volume.tree())).toEqual(['b', LONG]);
  });

  it('never makes a removal of a placeholder that is listed under no usable name', async () => {
    await bench.other.write(TOO_LONG_AS_PLACEHOLDER, BIG);
    await bench.start();
    expect(await evict(TOO_LONG_AS_PLACEHOLDER)).toBe('done');
    await openSpeltOut();
    writeFileSync(bench.path('b'), 'mine');
    await bench.until(() => bench.volume.tree()['b'] === 'mine');
    expect(Object.keys(bench.volume.tree())).toEqual(['b', TOO_LONG_AS_PLACEHOLDER]);
  });

  it('keeps a file in full where its placeholder would have too long a name', async () => {
    await bench.other.write(LONGEST_AS_PLACEHOLDER, BIG);
    await bench.other.write(TOO_LONG_AS_PLACEHOLDER, BIG);
    await bench.start();
    await openSpeltOut();
    const long = TOO_LONG_AS_PLACEHOLDER.normalize('NFD');
    const short = LONGEST_AS_PLACEHOLDER.normalize('NFD');
    await bench.until(() => [long, short].every((name) => name in bench.volume.tree()));
    expect(await evict(short)).toBe('done');
    expect(await evict(long)).toBe('kept');
  });
});
