/** A folder that may keep 1 MB of a volume of 3 MB: real daemons that are killed in the middle of their work. */
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readPlaceholder } from '../../daemon/adapters/folder/placeholders/placeholder-text.ts';
import { ControlClient } from '../../shared/control/client.ts';
import { readControlFile } from '../../shared/control/control-file.ts';
import { endProcess } from '../support/bench.ts';
import { twoLaptops } from '../support/two-laptops.ts';

const FILES = 30;
const BYTES = 100_000;
const BOUND = 1_000_000;

const nameOf = (index: number): string => `file ${String(index).padStart(2, '0')}`;
const contentsOf = (index: number): string => String.fromCharCode(65 + (index % 26)).repeat(BYTES);

const bench = twoLaptops(async ({ a, b }) => {
  await bound(BOUND);
  for (let i = 0; i < FILES; i++) writeFileSync(join(a.folder, nameOf(i)), contentsOf(i));
  await bench.flush(a, b);
});
const { a, b } = bench;

/** A program may bound it tighter than a person can. */
async function bound(maximum: number): Promise<void> {
  const client = ControlClient.of(bench.b.data);
  try {
    await client.command('cache-settings', { minimum: 0, maximum });
  } finally {
    client.close();
  }
}

interface Shown {
  readonly full: string[];
  readonly placeholders: string[];
}

/** The state of B's folder; anything but a whole file or a whole placeholder is an error. */
function shown(): Shown {
  const found: Shown = { full: [], placeholders: [] };
  for (const name of readdirSync(b.folder).sort()) {
    if (name === '.godwit') continue;
    const text = readFileSync(join(b.folder, name), 'utf8');
    if (readPlaceholder(text) !== null) found.placeholders.push(name.replace(/\.godwit$/, ''));
    else if (text.length === BYTES && text === text.charAt(0).repeat(BYTES)) found.full.push(name);
    else throw new Error(`${name} is neither: ${text.slice(0, 60)}`);
  }
  return found;
}

const isAt = (status: { cache: { placeholders?: number } }, count: number): boolean =>
  (status.cache.placeholders ?? 0) === count;

async function kill(): Promise<void> {
  const pid = readControlFile(b.data)?.pid;
  if (pid !== undefined) await endProcess(pid, 'SIGKILL');
}

/** Names of files and placeholders. One that is just becoming the other may be seen under both names: it is looked at again. */
async function settledNames(): Promise<readonly string[]> {
  for (;;) {
    await bench.flush(b, a);
    const { full, placeholders } = shownNow();
    if (!full.some((name) => placeholders.includes(name))) return [...full, ...placeholders].sort();
  }
}

/** Looks again where a name went between the list and the look at it. */
function shownNow(): Shown {
  try {
    return shown();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return shownNow();
  }
}

/** Checks that every file is there once, as itself or as its placeholder, and that nothing was sent to other laptops. */
async function isWhole(): Promise<void> {
  const all = await settledNames();
  expect(all).toEqual(
    readdirSync(a.folder)
      .filter((name) => name !== '.godwit')
      .sort(),
  );
  expect(all).toHaveLength(FILES);
}

describe('a folder with a bound on its contents', () => {
  it('keeps as much in full as the bound allows and shows placeholders for the rest', async () => {
    const { full, placeholders } = shown();
    expect(full).toHaveLength(BOUND / BYTES);
    expect(placeholders).toHaveLength(FILES - BOUND / BYTES);
    const { entries } = await bench.json(['ls', '/', '--data', b.data]);
    const away = (entries as Array<{ cached: boolean }>).filter(({ cached }) => !cached);
    expect(away).toHaveLength(placeholders.length);
    expect((await bench.godwit(['status', '--data', b.data])).stdout).toContain('20 placeholders');
  });

  it('fills a placeholder on request and makes another one in return', async () => {
    const [name = ''] = shown().placeholders;
    const told = await bench.godwit(['prefetch', `/${name}.godwit`, '--data', b.data]);
    expect(told).toMatchObject({ code: 0, stdout: `'/${name}': 1 file (100.0 KB) fetched\n` });
    expect(shown().full).toContain(name);
    const status = await bench.until(b.data, ({ cache }) => (cache.placeholders ?? 0) >= 20);
    expect(status.cache.placeholders).toBeLessThan(23);
    expect(shown().full).toContain(name);
    await isWhole();
  });

  it('fills a placeholder that is opened, under whatever name it has now', async () => {
    const [name = '', other = ''] = shown().placeholders;
    const open = (placeholder: string) =>
      bench.godwit(['open', '--print', join(b.folder, placeholder), '--data', b.data]);
    expect(await open(`${name}.godwit`)).toMatchObject({
      ...{ code: 0, stdout: `${join(b.folder, name)}\n` },
    });
    expect(shown().full).toContain(name);
    renameSync(join(b.folder, `${other}.godwit`), join(b.folder, 'opened.godwit'));
    expect((await open('opened.godwit')).code).toBe(0);
    expect(readFileSync(join(b.folder, 'opened'), 'utf8')).toHaveLength(BYTES);
    renameSync(join(b.folder, 'opened'), join(b.folder, other));
    await isWhole();
  });

  it('prints what evict and prefetch did', async () => {
    const [name = ''] = shown().full;
    const evicted = await bench.godwit(['evict', `/${name}`, '--data', b.data]);
    expect(evicted.stdout).toBe(`'/${name}': 1 file (100.0 KB) evicted\n`);
    expect(shown().placeholders).toContain(name);
    const again = await bench.godwit(['evict', `/${name}`, '--data', b.data]);
    expect(again.stdout).toBe(`'/${name}': 1 file as before\n`);
    const read = await bench.godwit(['cat', `/${name}`, '--data', b.data]);
    expect(read.stdout).toHaveLength(BYTES);
  });

  it('follows the other laptop, which follows what is done to placeholders', async () => {
    const [one = '', two = '', three = ''] = shown().placeholders;
    writeFileSync(join(a.folder, one), 'x'.repeat(2 * BYTES));
    renameSync(join(b.folder, `${two}.godwit`), join(b.folder, 'renamed.godwit'));
    rmSync(join(b.folder, `${three}.godwit`));
    await bench.flush(a, b, a, b);
    expect(readFileSync(join(b.folder, `${one}.godwit`), 'utf8')).toContain('200000 bytes');
    expect(statSync(join(a.folder, 'renamed')).size).toBe(BYTES);
    const names = readdirSync(a.folder);
    expect(names).not.toContain(two);
    expect(names).not.toContain(three);
    writeFileSync(join(a.folder, one), contentsOf(0));
    writeFileSync(join(a.folder, three), contentsOf(1));
    await bench.flush(a, b);
    await isWhole();
  });

  it.each([1, 2, 4])(
    'survives a kill while it frees space, when %d files may have gone',
    async (count) => {
      await bound(100_000_000);
      await bench.json(['prefetch', '/', '--data', b.data]);
      expect(shown().placeholders).toEqual([]);
      const middle = bench.until(b.data, ({ cache }) => (cache.placeholders ?? 0) >= count);
      const end = middle.then(kill, kill);
      await bound(BOUND).catch(() => undefined);
      await end;
      shown();
      await bench.json(['up', '--data', b.data]);
      await bound(BOUND);
      await bench.until(b.data, ({ cache }) => (cache.placeholders ?? 0) >= 20);
      await isWhole();
    },
  );

  it('survives a kill while it fills placeholders', async () => {
    await bound(100_000_000);
    const filling = bench.godwit(['prefetch', '/', '--data', b.data]);
    await bench.until(b.data, ({ cache }) => (cache.placeholders ?? 0) <= 15);
    await kill();
    await filling;
    shown();
    await bench.json(['up', '--data', b.data]);
    await isWhole();
    await bench.json(['prefetch', '/', '--data', b.data]);
    expect(shown().placeholders).toEqual([]);
    await bench.until(b.data, (status) => isAt(status, 0));
    await bench.flush(b);
    expect(bench.differences()).toEqual([]);
  });
});
