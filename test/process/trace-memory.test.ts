/** However long a trace is, reading it takes the same memory: by a limit of the heap, and by what the process had at most. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const MB = 1_000_000;
/** A process that reads nothing has 110 MB; one that kept what it reads would have all of it more. */
const MOST_BYTES = 150 * MB;
/** A young heap that grows would hide what is kept. */
const LIMITS = ['--max-old-space-size=40', '--max-semi-space-size=1'];

test.each([
  ['procmon', 100 * MB],
  ['strace', 50 * MB],
  ['godwit', 50 * MB],
])('the memory of a reader of %s traces does not grow with their length', (format, size) => {
  const child = fileURLToPath(new URL('./trace-memory-child.ts', import.meta.url));
  const env = { ...process.env, NODE_OPTIONS: '' };
  const args = [...LIMITS, child, format, String(size)];
  const { stdout, status } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  expect(status).toBe(0);
  const told = JSON.parse(stdout) as Record<string, number>;
  expect(told['bytes']).toBeGreaterThanOrEqual(size);
  // The first line of strace is one more.
  expect(told['records']).toBe((told['lines'] ?? 0) + (format === 'strace' ? 1 : 0));
  expect(told['peakBytes']).toBeLessThan(MOST_BYTES);
});
