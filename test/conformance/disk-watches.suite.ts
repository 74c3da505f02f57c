/** What the watches of a Disk tell. */
import { expect, it } from '@jest/globals';
import type { DirectoryEvent, DirectoryWatches } from '../../shared/ports/host.ts';
import { codeOf, type DiskBench } from './disk-harness.ts';

type On = () => DiskBench;

/** Watches of a test, and what they have told so far. */
class Heard {
  readonly watches: DirectoryWatches;
  told: DirectoryEvent[] = [];
  #heard: () => void = () => undefined;

  constructor({ disk }: DiskBench) {
    this.watches = disk.watchDirectories({
      happened: (event) => {
        this.told.push(event);
        this.#heard();
      },
      lost: () => undefined,
    });
  }

  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#heard = () => holds() && resolve();
      this.#heard();
    });
  }

  isTold(watch: number, name: string | null): boolean {
    return this.told.some((event) => event.watch === watch && event.name === name);
  }
}

export function watchTests(on: On): void {
  /** Runs a test with watches, where the disk has some. */
  const watched = (run: (bench: DiskBench, heard: Heard) => Promise<void>) => async () => {
    if (!on().disk.hasDirectoryWatches) return;
    const heard = new Heard(on());
    try {
      await run(on(), heard);
    } finally {
      heard.watches.close();
    }
  };

  it(
    'a watch reports changes in its directory by name, and never from inside a call',
    watched(tellsNames),
  );
  it(
    'a watch reports changes of the directory itself and nothing from deeper levels',
    watched(tellsItself),
  );
  it('a watch ends with its directory, or when it is taken away', watched(ends));
  it('a directory is watched once, by whatever name', watched(isShared));
}

async function tellsNames(bench: DiskBench, heard: Heard): Promise<void> {
  const { disk, arrange } = bench;
  const watch = heard.watches.add(bench.at(), false);
  const file = bench.at('file');
  for (const act of [
    () => disk.makeEmpty(file),
    () => arrange.append(file, 'more'),
    () => disk.setMode(file, 0o600),
    () => disk.setMtime(file, 1_000_000_000n),
    () => disk.unlink(file),
  ]) {
    heard.told = [];
    const isRefused = codeOf(act) !== undefined;
    expect(heard.told).toEqual([]);
    if (!isRefused) await heard.until(() => heard.isTold(watch, 'file'));
  }
  disk.makeDirectory(bench.at('dir'), 0o755);
  await heard.until(() => heard.isTold(watch, 'dir'));
  expect(heard.told.find(({ name }) => name === 'dir')?.isDirectory).toBe(true);
  disk.rename(bench.at('dir'), bench.at('moved'));
  await heard.until(() => heard.isTold(watch, 'moved'));
}

async function tellsItself(bench: DiskBench, heard: Heard): Promise<void> {
  const { disk, arrange } = bench;
  arrange.mkdir(bench.at('dir'));
  arrange.mkdir(bench.at('dir', 'inner'));
  const watch = heard.watches.add(bench.at('dir'), false);
  arrange.write(bench.at('dir', 'inner', 'deep'), '');
  disk.setMtime(bench.at('dir'), 1_000_000_000n);
  await heard.until(() => heard.isTold(watch, null));
  expect(heard.told.map(({ name }) => name)).not.toContain('deep');
}

async function ends(bench: DiskBench, heard: Heard): Promise<void> {
  const { arrange } = bench;
  for (const name of ['gone', 'left', 'other']) arrange.mkdir(bench.at(name));
  const gone = heard.watches.add(bench.at('gone'), false);
  const left = heard.watches.add(bench.at('left'), false);
  const other = heard.watches.add(bench.at('other'), false);
  arrange.rmdir(bench.at('gone'));
  await heard.until(() => heard.told.some(({ watch, isEnded }) => watch === gone && isEnded));
  heard.watches.remove(left);
  arrange.write(bench.at('left', 'file'), '');
  arrange.write(bench.at('other', 'file'), '');
  await heard.until(() => heard.isTold(other, 'file'));
  expect(heard.isTold(left, 'file')).toBe(false);
}

function isShared(bench: DiskBench, { watches }: Heard): Promise<void> {
  const { arrange } = bench;
  arrange.mkdir(bench.at('dir'));
  arrange.write(bench.at('file'), '');
  const watch = watches.add(bench.at('dir'), false);
  expect(watches.add(bench.at('dir', '.'), false)).toBe(watch);
  expect(codeOf(() => watches.add(bench.at('none'), false))).toBe('ENOENT');
  expect(codeOf(() => watches.add(bench.at('file'), false))).toBe('ENOTDIR');
  if (bench.symlink('dir', bench.at('link'))) {
    expect(watches.add(bench.at('link'), true)).toBe(watch);
    expect(['ENOTDIR', 'ELOOP']).toContain(codeOf(() => watches.add(bench.at('link'), false)));
  }
  return Promise.resolve();
}
