/** A start that is interrupted begins nothing more, however far it has come. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHere } from './start-here.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'godwit-here-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('a start that was interrupted before it begins starts no program', async () => {
  const started = startHere(join(dir, 'state'), join(dir, 'folder'), AbortSignal.abort());
  await expect(
    started.then(async (here) => {
      await here.end();
      return 'it has started';
    }),
  ).rejects.toThrow('abort');
  expect(existsSync(join(dir, 'state', 'server'))).toBe(false);
});

it('a start that is interrupted while its server starts begins no daemon', async () => {
  const state = join(dir, 'state');
  const interruption = new AbortController();
  const started = startHere(state, join(dir, 'folder'), interruption.signal);
  const outcome = started.then(
    async (here) => {
      await here.end();
      return 'it has started';
    },
    () => 'ended',
  );
  // Its server has been begun, and has not said so yet.
  interruption.abort();
  expect(await outcome).toBe('ended');
  expect(existsSync(join(state, 'laptop'))).toBe(false);
});
