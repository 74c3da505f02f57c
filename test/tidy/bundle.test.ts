/** build/bundle.mjs: a program in one piece finds what its sources find, and counts only while these are what they were. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureBundle } from '../../build/bundle.mjs';
import { ROOT } from '../../build/node-path.mjs';
import { bundleIn, bundleOfSources, bundlesOf } from '../../shared/system/bundle.ts';

const FILES: Readonly<Record<string, string>> = {
  'app/program.ts': `import { place } from '../lib/place.ts';
const { later } = await import('./later.ts');
type Said = readonly unknown[];
const said: Said = [...place, ...later, import.meta.url];
console.log(JSON.stringify(said));`,
  'app/later.ts': `import { word } from '../lib/place.ts';
export const later: readonly string[] = [word, import.meta.dirname];`,
  'lib/place.ts': `export const place = [import.meta.dirname, import.meta.filename, import.meta.url];
export const word = 'one';
new URL('./worker.ts', import.meta.url);
place.push(new URL('./worker.ts', import.meta.url).href);`,
};
/** When all of them were changed last. */
const WHOLE_SECONDS = 1_700_000_000;
const PROGRAMS = { program: 'app/program.ts' };

let root = '';

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

const run = (path: string): string => execFileSync(process.execPath, [path], { encoding: 'utf8' });

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'godwit bundle-')));
  for (const [path, text] of Object.entries(FILES)) {
    write(path, text);
    utimesSync(join(root, path), WHOLE_SECONDS, WHOLE_SECONDS);
  }
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('a bundled program', () => {
  it('knows the places of its sources', async () => {
    const folder = await ensureBundle(root, PROGRAMS);
    expect(run(join(String(folder), 'program.js'))).toBe(run(join(root, 'app', 'program.ts')));
  });

  it('is made of each file that its sources import, and once', async () => {
    const folder = await ensureBundle(root, PROGRAMS);
    expect(Object.keys(bundleIn(root)?.sources ?? {})).toEqual(Object.keys(FILES).sort());
    expect(await ensureBundle(root, PROGRAMS)).toBe(folder);
  });
});

describe('a bundle', () => {
  const path = 'lib/place.ts';
  const text = FILES[path] ?? '';

  it.each<[string, () => void]>([
    ['has another length', () => write(path, `${text}\n`)],
    ['has another text of that length and time', () => sameLengthAndTime()],
    ['is gone', () => rmSync(join(root, path))],
  ])('does not count when a source %s', async (_what, change) => {
    expect(await ensureBundle(root, PROGRAMS)).toBe(bundleOfSources(root));
    change();
    expect(bundleOfSources(root)).toBeNull();
  });

  function sameLengthAndTime(): void {
    const { mtimeMs } = statSync(join(root, path));
    write(path, text.replace('one', 'two'));
    utimesSync(join(root, path), WHOLE_SECONDS, WHOLE_SECONDS);
    expect(statSync(join(root, path)).mtimeMs).toBe(mtimeMs);
  }

  it('is made anew of changed sources, beside that which may still run', async () => {
    const before = String(await ensureBundle(root, PROGRAMS));
    sameLengthAndTime();
    const after = String(await ensureBundle(root, PROGRAMS));
    expect([after === before, existsSync(before)]).toEqual([false, true]);
    expect(run(join(after, 'program.js'))).toContain('"two"');
  });

  it('is not kept of sources that may have changed while they were read', async () => {
    const later = Date.now() / 1000 + 1000;
    utimesSync(join(root, path), later, later);
    expect(await ensureBundle(root, PROGRAMS)).toBeNull();
    expect(bundleIn(root)).toBeNull();
  });
});

describe('the programs', () => {
  const MAINS = [
    ['app/cli/main.ts', 'godwit.js'],
    ['daemon/main.ts', 'godwitd.js'],
  ] as const;

  function said(main: string, bundle: string): string {
    const env = { ...process.env, GODWIT_BUNDLE: bundle };
    return spawnSync(process.execPath, [join(ROOT, main)], { env, encoding: 'utf8' }).stdout;
  }

  it.each(MAINS)('are begun by %s from the bundle that they are given', (main, name) => {
    mkdirSync(bundlesOf(ROOT), { recursive: true });
    const bundle = mkdtempSync(join(bundlesOf(ROOT), 'test-'));
    try {
      writeFileSync(join(bundle, name), `console.log('the bundle');`);
      expect(said(main, bundle)).toBe('the bundle\n');
    } finally {
      rmSync(bundle, { recursive: true });
    }
  });

  it.each(MAINS)('are not begun by %s from the bundle of another clone', (main, name) => {
    write(`.cache/bundle/0/${name}`, `console.log('the bundle');`);
    expect(said(main, join(bundlesOf(root), '0'))).not.toContain('the bundle');
  });
});
