import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Actor } from '../../bench/real/stage.ts';
import { below, differences, refusalOf, until, wrongText } from './day.ts';

let root: string;
let ann: Actor;
let bob: Actor;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'godwit-day-'));
  [ann, bob] = ['ann-1', 'bob-1'].map((name) => laptop(name)) as [Actor, Actor];
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** As much of one as is looked at: a folder with one file, and with what a daemon keeps there. */
function laptop(name: string): Actor {
  const folder = join(root, name);
  for (const own of ['.godwit', 'trip/.godwit-5d41']) {
    mkdirSync(join(folder, own), { recursive: true });
    writeFileSync(join(folder, own, 'marker.json'), name);
  }
  writeFileSync(join(folder, 'trip', 'plan'), 'go north\n');
  return { laptop: { name, folder } } as Actor;
}

describe('the folder of one laptop beside that of another', () => {
  it('is the same whatever the daemons keep in it for themselves', () => {
    expect([...below(ann).keys()]).toEqual(['trip', 'trip/plan']);
    expect(differences(below(ann, 'trip'), [[bob, 'trip']], 'mtime')).toEqual([]);
  });

  it('differs by name, laptop and aspect where a file does', async () => {
    writeFileSync(join(bob.laptop.folder, 'trip', 'plan'), 'go south!\n');
    expect(differences(below(ann, 'trip'), [[bob, 'trip']], 'mtime')).toEqual([
      expect.stringMatching(/^laptop bob-1: plan: contents: 9 bytes, .* 10 bytes/),
    ]);
    expect(await wrongText(bob, 'trip/plan', 'go south!\n')).toEqual([]);
    expect(await wrongText(bob, 'trip/plan', null)).toEqual([
      'laptop bob-1: trip/plan: nothing wanted, "go south!\\n" found',
    ]);
    expect(await wrongText(bob, 'trip/none', 'x')).toEqual([
      'laptop bob-1: trip/none: "x" wanted, nothing found',
    ]);
  });
});

describe('an order that is refused', () => {
  it('gives its code, and no error of another kind', async () => {
    const refused = Promise.reject(new GodwitError('locked', 'it is locked'));
    expect(await refusalOf(refused)).toBe('locked');
    expect(await refusalOf(Promise.resolve({}))).toBeNull();
    await expect(refusalOf(Promise.reject(new TypeError('a bug')))).rejects.toThrow('a bug');
  });
});

describe('a wait of the day', () => {
  it('ends when what it waits for holds, and when the demo is interrupted', async () => {
    let looks = 0;
    const { signal } = new AbortController();
    await until({ signal }, 'it', () => ++looks > 2);
    expect(looks).toBe(3);
    const over = until({ signal: AbortSignal.abort() }, 'it', () => false);
    await expect(over).rejects.toThrow('aborted');
  });
});
