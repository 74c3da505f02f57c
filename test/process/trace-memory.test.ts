/** Reading a trace takes the same memory, however long it is: checked by a limit of the heap and by the peak of the process. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const MB = 1_000_000;
/** A process that reads nothing has 110 MB; one that kept all records would need all their bytes in addition. */
const MOST_BYTES = 150 * MB;
/** A growing young heap would hide kept records. */
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
  // The trace of strace has one more line at the start.
  expect(told['records']).toBe((told['lines'] ?? 0) + (format === 'strace' ? 1 : 0));
  expect(told['peakBytes']).toBeLessThan(MOST_BYTES);
});
