/** What files have beside their bytes, between two real laptops: attributes, groups, times, owners and rights. */
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { textOf } from '../support/bench.ts';
import { twoLaptops } from '../support/two-laptops.ts';

const host = new NativeHost();
const bench = twoLaptops();
const { a, b } = bench;

const attributesOf = (path: string): string[] =>
  host.listXattrs(path).map(({ name, value }) => `${name}=${Buffer.from(value).toString()}`);

const errorsOf = async ({ data }: { data: string }): Promise<string[]> =>
  (await bench.status(data)).errors.map(({ code, path }) => `${code} ${path ?? ''}`);

const isRoot = process.getuid?.() === 0;

describe('two laptops', () => {
  it('sync a file with an attribute of the browser, and its next contents', async () => {
    const [here, there] = [join(a.folder, 'download.pdf'), join(b.folder, 'download.pdf')];
    writeFileSync(here, 'hello');
    host.setXattr(here, 'xdg.origin.url', Buffer.from('https://example.org'));
    await bench.flush(a, b);
    expect(textOf(there)).toBe('hello');
    expect(attributesOf(there)).toEqual(['xdg.origin.url=https://example.org']);
    host.setXattr(here, 'xdg.tags', Buffer.from('red'));
    writeFileSync(here, 'hello again');
    await bench.flush(a, b);
    expect(textOf(there)).toBe('hello again');
    expect(attributesOf(there)).toHaveLength(2);
    host.removeXattr(here, 'xdg.tags');
    await bench.flush(a, b);
    expect(attributesOf(there)).toHaveLength(1);
  });

  it('sync new contents of a file in a group', async () => {
    for (const name of ['g1', 'g2']) writeFileSync(join(a.folder, name), 'old');
    await bench.flush(a, b);
    await bench.json(['group', 'create', 'thesis', '/g1', '/g2', '--data', a.data]);
    writeFileSync(join(a.folder, 'g1'), 'new');
    await bench.flush(a, b);
    expect(textOf(join(b.folder, 'g1'))).toBe('new');
    expect(attributesOf(join(b.folder, 'g1'))).toEqual(attributesOf(join(a.folder, 'g1')));
    writeFileSync(join(b.folder, 'g2'), 'from there');
    await bench.flush(b, a);
    expect(textOf(join(a.folder, 'g2'))).toBe('from there');
    const list = await bench.json(['group', 'ls', 'thesis', '--data', b.data]);
    expect(JSON.stringify(list)).toContain('g2');
    expect(await errorsOf(b)).toEqual([]);
  });

  it('sync files with times that no program means', async () => {
    mkdirSync(join(a.folder, 'trip'));
    writeFileSync(join(a.folder, 'trip', 'photo.jpg'), 'photo');
    writeFileSync(join(a.folder, 'wrong year'), 'text');
    const years = { trip: 13_570_000_000, 'wrong year': 9_467_000_000 };
    // Node takes times before 1970 for the current time.
    host.setMtime(join(a.folder, 'trip', 'photo.jpg'), -300_000_000_000_000_000n);
    for (const [name, time] of Object.entries(years)) utimesSync(join(a.folder, name), time, time);
    await bench.flush(a, b);
    expect(textOf(join(b.folder, 'trip/photo.jpg'))).toBe('photo');
    expect(textOf(join(b.folder, 'wrong year'))).toBe('text');
    expect(statSync(join(b.folder, 'trip/photo.jpg')).mtimeMs).toBe(-300_000_000_000);
    expect(await errorsOf(a)).toEqual(['attributes-left trip', 'attributes-left wrong year']);
    // What was brought may be looked at for another moment, as events of it come.
    const { errors } = await bench.until(b.data, ({ state }) => state === 'idle');
    expect(errors).toEqual([]);
  });

  it('keep the owner and group of a file here when it is changed there', async () => {
    // Only root may change the owner of a file.
    if (!isRoot) return;
    const path = join(b.folder, 'shared');
    writeFileSync(path, 'one');
    await bench.flush(b, a);
    chownSync(path, 1234, 12_345);
    chmodSync(path, 0o4770);
    await bench.flush(b, a);
    writeFileSync(join(a.folder, 'shared'), 'two');
    await bench.flush(a, b);
    expect(textOf(path)).toBe('two');
    const { uid, gid, mode } = lstatSync(path);
    expect([uid, gid, mode & 0o7777]).toEqual([1234, 12_345, 0o770]);
    expect(await errorsOf(b)).toEqual(['rights-dropped shared']);
  });
});
