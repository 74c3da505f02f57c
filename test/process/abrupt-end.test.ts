/**
 * A process that ends while links, relays and connections are open gives its exit code: no signal kills it, whatever the addon's
 * threads are at. A killing depends on the moment, so each story is told with several.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { End, Open } from './abrupt-end-child.ts';

const CHILD = fileURLToPath(new URL('./abrupt-end-child.ts', import.meta.url));
const MOMENTS_MS = [0, 0, 4, 12];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-abrupt-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** How a process ended: its code, or the signal that killed it. */
async function ended(opened: readonly Open[], end: End, after: number): Promise<number | string> {
  const spool = mkdtempSync(join(folder, 'files-'));
  const args = [CHILD, opened.join(','), end, String(after), spool];
  // The child must not get the flags of Jest.
  const env = { ...process.env, NODE_OPTIONS: '' };
  const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return signal ?? code ?? 'neither';
}

it.each<[End, number, readonly Open[]]>([
  ['never settles', 13, ['link', 'relay']],
  ['never settles', 13, ['listener', 'relay', 'connections']],
  ['drains', 0, ['listener', 'relay', 'connections']],
  ['exits', 0, ['listener', 'relay', 'streams']],
  ['throws', 1, ['listener', 'relay', 'streams']],
  ['terminates', 0, ['listener', 'relay', 'streams']],
  ['leaves a worker', 0, ['listener', 'relay', 'connections']],
])('a process that %s ends with exit code %d while it has %j open', async (end, code, opened) => {
  const all = await Promise.all(MOMENTS_MS.map((after) => ended(opened, end, after)));
  expect(all).toEqual(MOMENTS_MS.map(() => code));
});
