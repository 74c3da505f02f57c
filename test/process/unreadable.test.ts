/** A directory that can't be read, or is too deep, does not affect the rest, neither at the start nor while running. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect } from '@jest/globals';
import { itNeeds } from '../support/browser.ts';
import { asOrdinary, missingForOrdinary } from '../support/namespaces.ts';
import { twoLaptops } from '../support/two-laptops.ts';

const itIs = itNeeds(missingForOrdinary);

describe('an unreadable place in a folder', () => {
  const bench = twoLaptops(
    async ({ a, b }) => {
      mkdirSync(join(a.folder, 'secret'));
      writeFileSync(join(a.folder, 'secret', 'file'), '1');
      mkdirSync(join(a.folder, 'listed'));
      writeFileSync(join(a.folder, 'listed', 'file'), '1');
      writeFileSync(join(a.folder, 'doc'), '1');
      await bench.flush(a, b);
    },
    (made) => {
      for (const { data } of [made.a, made.b]) made.within(data, asOrdinary);
      return Promise.resolve();
    },
  );
  const { a, b } = bench;
  const doc = ({ folder }: { folder: string }): string => readFileSync(join(folder, 'doc'), 'utf8');
  const secret = join(a.folder, 'secret');
  const listed = join(a.folder, 'listed');
  afterAll(() => {
    for (const path of [secret, listed]) if (existsSync(path)) chmodSync(path, 0o700);
  });

  itIs('prevents no start, is reported, and removes nothing', async () => {
    chmodSync(secret, 0);
    chmodSync(listed, 0o400);
    await bench.json(['down', '--data', a.data]);
    await bench.json(['up', '--data', a.data]);
    writeFileSync(join(a.folder, 'doc'), '2');
    expect(await bench.flushButFor(a)).toMatch(/^file-unreadable \/(listed|secret)$/);
    await bench.until(b.data, () => doc(b) === '2');
    const { errors } = await bench.status(a.data);
    expect(errors.map(({ code, path }) => `${code} ${path}`).sort()).toEqual([
      'file-unreadable listed',
      'file-unreadable secret',
    ]);
    for (const dir of ['secret', 'listed'])
      expect(existsSync(join(b.folder, dir, 'file'))).toBe(true);
    chmodSync(secret, 0o700);
    chmodSync(listed, 0o700);
    writeFileSync(join(secret, 'file'), '2');
    await bench.until(a.data, (status) => status.errors.length === 0);
    await bench.flush(a, b);
    expect(readFileSync(join(b.folder, 'secret', 'file'), 'utf8')).toBe('2');
  });

  itIs('is reported when another user made it while no daemon ran', async () => {
    await bench.json(['down', '--data', a.data]);
    mkdirSync(join(a.folder, 'foreign', 'deep'), { recursive: true });
    chmodSync(join(a.folder, 'foreign'), 0);
    await bench.json(['up', '--data', a.data]);
    expect(await bench.flushButFor(a)).toBe('file-unreadable /foreign');
    chmodSync(join(a.folder, 'foreign'), 0o700);
    await bench.until(a.data, (status) => status.errors.length === 0);
    await bench.flush(a, b);
    expect(existsSync(join(b.folder, 'foreign', 'deep'))).toBe(true);
  });

  itIs(
    'stays where it is when no program can open the path, and is reported with the reason',
    async () => {
      const names = Array.from({ length: 25 }, () => 'd'.repeat(200));
      const made = spawnSync(
        'sh',
        ['-c', 'for n; do mkdir "$n" && cd -P "$n" || exit 1; done; echo x > leaf', 'sh', ...names],
        { cwd: a.folder, encoding: 'utf8' },
      );
      expect(made).toMatchObject({ status: 0 });
      expect(await bench.flushButFor(a)).toMatch(/^name-unusable \/d/);
      const { errors } = await bench.status(a.data);
      expect(errors).toEqual([
        expect.objectContaining({
          code: 'name-unusable',
          message: expect.stringContaining('4095 bytes') as unknown,
        }),
      ]);
      for (const { data } of [a, b]) {
        await bench.json(['down', '--data', data]);
        await bench.json(['up', '--data', data]);
      }
      writeFileSync(join(a.folder, 'doc'), '3');
      expect(await bench.flushButFor(a)).toMatch(/^name-unusable \/d/);
      await bench.until(b.data, () => doc(b) === '3');
    },
  );
});
