import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Ledger } from './ledger.ts';
import { throwAway, versionOf } from './watched-writes.ts';

let folder: string;
let ledger: Ledger;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-watched-'));
  ledger = new Ledger();
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a torn file that is discarded', () => {
  const nothing = versionOf(Buffer.alloc(0));

  /** `before`: done between the failed write and that. */
  function thrown(before: (path: string) => void): string {
    const path = join(folder, 'doc');
    writeFileSync(path, 'half of i');
    const over = versionOf(Buffer.from('what was there'));
    ledger.wrote(over, null, 'doc', 'made');
    const file = openSync(path, 'r+');
    before(path);
    throwAway({ who: 'A', ledger }, { file, path, over });
    closeSync(file);
    return path;
  }

  it('is removed by the program together with what was there', () => {
    expect(existsSync(thrown(() => undefined))).toBe(false);
    expect([ledger.missing([]), ledger.has(nothing)]).toEqual([[], false]);
  });

  it('stays as an empty file when somebody has renamed it meanwhile', () => {
    const other = join(folder, 'doc.moved');
    thrown((path) => renameSync(path, other));
    expect(readFileSync(other, 'utf8')).toBe('');
    expect([ledger.missing([]), ledger.has(nothing)]).toEqual([[], true]);
  });
});
